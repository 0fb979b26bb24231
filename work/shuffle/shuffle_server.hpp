// Serves map outputs of this node to holders of an application's token, over TCP. One thread, any number of
// connections. Requests are those of shuffle_protocol.hpp; whoever sends anything else, or a wrong token, is
// disconnected without a word.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/ids.hpp"
#include "model/result.hpp"

namespace heddle::work {

struct ShuffleServerSettings {
  std::string bind_address = "127.0.0.1";
  std::uint16_t port = 0;                    // 0: any free one
  std::int32_t connections_max = 1024;       // the next takes the place of the longest idle; others wait while none is
  std::int64_t request_timeout_ms = 60'000;  // of a connection on which nothing moves
};

class ShuffleServer {
public:
  /// Listens and starts the thread; unreachable or io if it cannot.
  [[nodiscard]] static Result<std::unique_ptr<ShuffleServer>> start(const ShuffleServerSettings& settings);
  /// Closes everything.
  ~ShuffleServer();
  ShuffleServer(const ShuffleServer&) = delete;
  ShuffleServer& operator=(const ShuffleServer&) = delete;

  /// host:port
  [[nodiscard]] const std::string& address() const;
  /// From now on the application's outputs, which lie under `directory`, are served to those who know `token`.
  void add_application(const ApplicationId& application, const std::string& token, const std::string& directory);
  /// Requests for it are refused afterwards; answers under way are cut.
  void remove_application(const ApplicationId& application);

private:
  class Service;
  explicit ShuffleServer(std::unique_ptr<Service> service);
  std::unique_ptr<Service> service_;
};

}  // namespace heddle::work

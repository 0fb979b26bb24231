// Serves map outputs of this node over TLS to clients that prove the application's token. One thread, any number of
// connections. Disconnects a client without a response if it sends anything but a request of shuffle_protocol.hpp for
// that application.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/ids.hpp"
#include "model/result.hpp"

namespace heddle::work {

struct ShuffleServerSettings {
  std::string bind_address = "127.0.0.1";  // or host name
  std::string advertised_host = {};        // by which clients reach it; empty: bind_address
  std::uint16_t port = 0;                  // 0: any free port
  // above it, the longest idle connection is closed; if none is idle, new clients wait
  std::int32_t connections_max = 1024;
  std::int64_t request_timeout_ms = 60'000;  // close a connection without traffic after this time
};

class ShuffleServer {
public:
  /// Listens and starts the thread. Errors: usage (address), io.
  [[nodiscard]] static Result<std::unique_ptr<ShuffleServer>> start(const ShuffleServerSettings& settings);
  /// Closes all connections and stops the thread.
  ~ShuffleServer();
  ShuffleServer(const ShuffleServer&) = delete;
  ShuffleServer& operator=(const ShuffleServer&) = delete;

  /// host:port
  [[nodiscard]] const std::string& address() const;
  /// Starts to serve the outputs of the application in `directory` to clients that know `token`.
  void add_application(const ApplicationId& application, const std::string& token, const std::string& directory);
  /// Refuses further requests for the application; running responses are cut off.
  void remove_application(const ApplicationId& application);

private:
  class Service;
  explicit ShuffleServer(std::unique_ptr<Service> service);
  std::unique_ptr<Service> service_;
};

}  // namespace heddle::work

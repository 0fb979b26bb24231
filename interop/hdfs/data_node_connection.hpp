// A connection to a DataNode, with deadlines, for one thread. It sends requests and receives whole parts of responses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "model/result.hpp"

namespace heddle::interop::hdfs {

/// Limits of the waits for a DataNode.
struct TransferLimits {
  std::int64_t connect_timeout_ms = 20'000;
  std::int64_t silence_ms = 60'000;          // without any byte (dfs.client.socket-timeout)
  std::int64_t silence_per_node_ms = 5'000;  // added for each DataNode of a write pipeline
  std::int64_t heartbeat_ms = 15'000;        // of a pipeline without data; DataNodes wait 60 s
  std::int64_t relocation_wait_ms = 1'000;   // before a block without readable replica is located again
  std::int64_t idle_ms = 2'500;              // age of a connection that is used again; DataNodes keep it for 4 s
};

class DataNodeConnection {
public:
  /// Errc::unreachable if nothing answers at "host:port" in time.
  [[nodiscard]] static Result<DataNodeConnection> connect(const std::string& address, std::int64_t timeout_ms);

  /// Takes a connected, non-blocking socket. `address`: for errors.
  DataNodeConnection(int socket, std::string address) : socket_{socket}, address_{std::move(address)} {}
  DataNodeConnection(DataNodeConnection&& other) noexcept;
  DataNodeConnection& operator=(DataNodeConnection&& other) noexcept;
  DataNodeConnection(const DataNodeConnection&) = delete;
  DataNodeConnection& operator=(const DataNodeConnection&) = delete;
  ~DataNodeConnection();

  [[nodiscard]] const std::string& address() const { return address_; }
  /// Sends two pieces, one behind the other. Fails with timed_out if the peer takes nothing for `silence_ms`.
  [[nodiscard]] Result<Done> send(std::string_view first, std::string_view second, std::int64_t silence_ms);
  /// Sends as much as fits without waiting; returns the number of bytes.
  [[nodiscard]] Result<std::size_t> send_some(std::string_view first, std::string_view second);
  /// The next `size` bytes. They are valid until the next call.
  [[nodiscard]] Result<std::string_view> receive(std::size_t size, std::int64_t silence_ms);
  /// The next delimited message, without its length.
  [[nodiscard]] Result<std::string_view> receive_delimited(std::int64_t silence_ms);
  /// True if a whole delimited message has arrived. Receives without waiting.
  [[nodiscard]] Result<bool> has_delimited();
  /// Waits until bytes can be received, or sent if `is_sending`. Errc::timed_out after `silence_ms`.
  [[nodiscard]] Result<Done> wait(bool is_sending, std::int64_t silence_ms) const;
  /// True if the peer has neither closed the connection nor sent anything without a request.
  [[nodiscard]] bool is_quiet() const;

private:
  [[nodiscard]] std::string_view buffered() const { return {buffer_.get() + begin_, end_ - begin_}; }
  void make_room(std::size_t size);
  // Receives what is there; returns 0 if that is nothing. The end of the connection is an error.
  [[nodiscard]] Result<std::size_t> receive_some();
  [[nodiscard]] Result<Done> fill(std::size_t size, std::int64_t silence_ms);
  [[nodiscard]] Error broken(int reason) const;
  [[nodiscard]] Error silent(std::int64_t silence_ms) const;

  int socket_ = -1;
  std::string address_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace heddle::interop::hdfs

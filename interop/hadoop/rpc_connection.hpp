// One TCP connection to a Hadoop service on the RpcThread: look-up, connection, authentication, calls, pings. Includes
// Asio; only sources of this room include this header.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interop/hadoop/rpc_conversation.hpp"

namespace heddle::interop {

/// Called on the thread, none after close().
struct ConnectionEvents {
  std::function<void(const std::string& local_host)> on_ready;
  std::function<void(std::vector<CallResponse>)> on_responses;
  std::function<void(RpcFault)> on_closed;  // once; the last one
};

class RpcConnection : public std::enable_shared_from_this<RpcConnection> {
public:
  RpcConnection(boost::asio::io_context& io, std::string address, ConversationSettings settings,
                ConnectionEvents events);

  void open(std::int64_t connect_timeout_ms, std::int64_t ping_ms);
  /// Precondition: on_ready was called.
  void send_call(std::int32_t call_id, std::int32_t retry_count, std::string_view method, std::string_view request);
  /// With true the connection sends a ping when the server has been silent for a while.
  void set_waiting(bool is_waiting);
  /// Closes without an event.
  void close();
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] bool is_ready() const { return is_ready_; }

private:
  using Tcp = boost::asio::ip::tcp;

  void connect(const Tcp::resolver::results_type& found);
  void on_connected(boost::system::error_code failure);
  void start();
  void read();
  void take(std::size_t count);
  void write();
  void arm_ping();
  void fail(RpcFault::Kind kind, std::string text);
  void fail(RpcFault fault);
  [[nodiscard]] std::string local_host() const;

  Tcp::resolver resolver_;
  Tcp::socket socket_;
  boost::asio::steady_timer limit_;  // of the connection's start
  boost::asio::steady_timer ping_;
  std::string address_;
  RpcConversation conversation_;
  ConnectionEvents events_;
  std::int64_t ping_ms_ = 0;
  std::array<char, 16 << 10> received_{};
  std::string writing_;
  bool is_writing_ = false;
  bool is_connected_ = false;
  bool is_ready_ = false;
  bool is_closed_ = false;
  bool is_waiting_ = false;
};

}  // namespace heddle::interop

// An HTTP server on 127.0.0.1 that answers each request with a handler, one at a time.
#pragma once

#include <atomic>
#include <boost/asio.hpp>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace heddle::tests {

struct HttpAnswer {
  int status = 200;
  std::string body;
  bool is_chunked = false;  // in parts of 10 bytes
  bool is_cut = false;      // the connection closes before the last byte
  bool is_silent = false;   // nothing is sent until the client leaves
};

class FakeHttpServer {
public:
  using Handler = std::function<HttpAnswer(const std::string& target)>;

  explicit FakeHttpServer(Handler handler) : handler_{std::move(handler)}, thread_{[this] { serve(); }} {}
  ~FakeHttpServer() {
    is_over_ = true;
    boost::asio::io_context context;
    boost::asio::ip::tcp::socket last{context};
    boost::system::error_code ignored;
    last.connect(acceptor_.local_endpoint(), ignored);
    thread_.join();
  }
  FakeHttpServer(const FakeHttpServer&) = delete;
  FakeHttpServer& operator=(const FakeHttpServer&) = delete;

  /// "127.0.0.1:port".
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()); }
  [[nodiscard]] std::vector<std::string> heads() const {
    const std::lock_guard lock{mutex_};
    return heads_;
  }

private:
  using Socket = boost::asio::ip::tcp::socket;

  void serve() {
    while (!is_over_) {
      Socket socket{context_};
      boost::system::error_code fault;
      acceptor_.accept(socket, fault);
      if (!fault && !is_over_) answer(socket);
    }
  }
  void answer(Socket& socket) {
    boost::system::error_code fault;
    std::string head;
    boost::asio::read_until(socket, boost::asio::dynamic_buffer(head), "\r\n\r\n", fault);
    if (fault) return;
    {
      const std::lock_guard lock{mutex_};
      heads_.push_back(head);
    }
    const auto begin = head.find(' ') + 1;
    const auto made = handler_(head.substr(begin, head.find(' ', begin) - begin));
    if (made.is_silent) {
      char any = 0;
      boost::asio::read(socket, boost::asio::buffer(&any, 1), fault);
      return;
    }
    boost::asio::write(socket, boost::asio::buffer(bytes_of(made)), fault);
    socket.shutdown(Socket::shutdown_both, fault);
  }
  static std::string bytes_of(const HttpAnswer& made) {
    auto text = "HTTP/1.1 " + std::to_string(made.status) + " X\r\n";
    if (made.is_chunked) {
      text += "Transfer-Encoding: chunked\r\n\r\n";
      constexpr std::size_t part_bytes = 10;
      for (std::size_t at = 0; at < made.body.size(); at += part_bytes) {
        const auto part = made.body.substr(at, part_bytes);
        text += (part.size() == part_bytes ? "a" : std::to_string(part.size())) + "\r\n" + part + "\r\n";
      }
      text += "0\r\n\r\n";
    } else {
      text += "Content-Length: " + std::to_string(made.body.size()) + "\r\n\r\n" + made.body;
    }
    if (made.is_cut) text.pop_back();
    return text;
  }

  Handler handler_;
  boost::asio::io_context context_;
  boost::asio::ip::tcp::acceptor acceptor_{context_, {boost::asio::ip::address_v4::loopback(), 0}};
  std::atomic<bool> is_over_{false};
  mutable std::mutex mutex_;
  std::vector<std::string> heads_;
  std::thread thread_;
};

}  // namespace heddle::tests

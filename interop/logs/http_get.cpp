#include "interop/logs/http_get.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

namespace heddle::interop {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr auto look_interval = std::chrono::milliseconds{50};  // for a cancellation
constexpr std::uint32_t header_bytes_max = 64 << 10;
constexpr std::size_t error_bytes_max = 4 << 10;
constexpr std::size_t received_bytes = 64 << 10;

/// Result of a look-up, shared with its thread, which may outlive the request.
struct LookUp {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_over = false;
  error_code code;
  asio::ip::tcp::resolver::results_type found;
};

/// The look-up of the system takes as long as it likes and cannot be cancelled.
std::shared_ptr<LookUp> start_look_up(const HttpUrl& url) {
  const auto made = std::make_shared<LookUp>();
  std::thread{[made, host = url.host, port = url.port] {
    error_code code;
    asio::ip::tcp::resolver::results_type found;
    try {
      asio::io_context context;
      found = asio::ip::tcp::resolver{context}.resolve(host, port, code);
    } catch (const std::exception&) { code = asio::error::no_memory; }  // otherwise it would end this process
    const std::lock_guard lock{made->mutex};
    made->code = code;
    made->found = std::move(found);
    made->is_over = true;
    made->changed.notify_all();
  }}.detach();
  return made;
}

/// One request on a thread of its caller.
class Request {
public:
  Request(const std::string& url, const HttpRules& rules) : url_{url}, rules_{rules} {
    parser_.header_limit(header_bytes_max);
    parser_.body_limit(std::numeric_limits<std::uint64_t>::max());
  }

  [[nodiscard]] Result<Done> run(const HttpUrl& url, const HttpSink& sink) {
    if (auto sent = send(url); !sent) return sent;
    if (auto got = wait([this](auto done) { http::async_read_header(stream_, buffer_, parser_, done); }); !got)
      return got;
    if (parser_.get().result() == http::status::ok) return read(sink);
    std::string text;
    const auto ended = read([&text](std::string_view bytes) {
      text += bytes.substr(0, error_bytes_max - std::min(text.size(), error_bytes_max));
      return Result<Done>{Done{}};
    });
    return ended ? refusal(text) : ended;
  }

private:
  [[nodiscard]] Result<Done> send(const HttpUrl& url) {
    const auto found = look_up(url);
    if (!found) return found.error();
    auto connected = wait([&](auto done) {
      stream_.async_connect(*found, [done](error_code code, const auto&) mutable { done(code, 0); });
    });
    if (!connected) return connected;
    http::request<http::empty_body> request{http::verb::get, url.target, 11};
    request.set(http::field::host, url.host + ":" + url.port);
    request.set(http::field::accept, rules_.accept);
    request.set(http::field::connection, "close");
    return wait([&](auto done) { http::async_write(stream_, request, done); });
  }

  [[nodiscard]] Result<asio::ip::tcp::resolver::results_type> look_up(const HttpUrl& url) {
    std::shared_ptr<LookUp> started;
    try {
      started = start_look_up(url);
    } catch (const std::system_error& fault) {
      return Error{Errc::failed, fmt::format("cannot look up the host of {}: {}", url_, fault.what())};
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds{rules_.silence_ms};
    std::unique_lock lock{started->mutex};
    while (!started->is_over && std::chrono::steady_clock::now() < deadline) {
      if (rules_.is_cancelled && rules_.is_cancelled()) return cancelled();
      started->changed.wait_until(lock, std::min(deadline, std::chrono::steady_clock::now() + look_interval));
    }
    code_ = started->is_over ? started->code : error_code{beast::error::timeout};
    if (code_) return fault();
    return std::move(started->found);
  }

  [[nodiscard]] Result<Done> read(const HttpSink& sink) {
    std::array<char, received_bytes> part{};
    while (!parser_.is_done()) {
      auto& body = parser_.get().body();
      body.data = part.data();
      body.size = part.size();
      auto got = wait([this](auto done) { http::async_read_some(stream_, buffer_, parser_, done); });
      if (!got && code_ != http::error::need_buffer) return got;
      const auto size = part.size() - parser_.get().body().size;
      if (size == 0) continue;
      if (auto taken = sink({part.data(), size}); !taken) return taken;
    }
    return Done{};
  }

  [[nodiscard]] Error refusal(const std::string& text) const {
    const auto status = parser_.get().result_int();
    auto kind = Errc::failed;
    if (status == 404) kind = Errc::not_found;
    if (status == 401 || status == 403) kind = Errc::refused;
    const auto line = text.substr(0, text.find('\n'));
    return {kind, fmt::format("{} answers with HTTP status {}{}{}", url_, status, line.empty() ? "" : ": ", line)};
  }

  /// Runs one operation to its end.
  template <class Start>
  [[nodiscard]] Result<Done> wait(Start start) {
    stream_.expires_after(std::chrono::milliseconds{rules_.silence_ms});
    bool is_over = false;
    start([this, &is_over](error_code code, std::size_t) {
      code_ = code;
      is_over = true;
    });
    context_.restart();
    bool is_cancelled = false;
    while (!is_over) {
      context_.run_one_for(look_interval);
      if (is_cancelled || !rules_.is_cancelled || !rules_.is_cancelled()) continue;
      is_cancelled = true;
      stream_.close();
    }
    if (is_cancelled) return cancelled();
    if (!code_) return Done{};
    return fault();
  }

  [[nodiscard]] static Error cancelled() { return {Errc::cancelled, "cancelled by the user"}; }

  /// The error of code_.
  [[nodiscard]] Error fault() const {
    if (code_ == beast::error::timeout)
      return {Errc::timed_out, fmt::format("{} did not answer within {} s", url_, rules_.silence_ms / 1000)};
    return {Errc::unreachable, fmt::format("cannot read {}: {}", url_, code_.message())};
  }

  const std::string& url_;
  const HttpRules& rules_;
  asio::io_context context_{1};
  beast::tcp_stream stream_{context_};
  beast::flat_buffer buffer_;
  http::response_parser<http::buffer_body> parser_;
  error_code code_;
};

}  // namespace

Result<HttpUrl> parse_url(std::string_view text) {
  constexpr std::string_view scheme = "http://";
  if (text.starts_with("https://"))
    return Error{Errc::refused, fmt::format("heddle does not speak HTTPS; open {} in a browser", text)};
  const auto wrong = [&] { return Error{Errc::usage, fmt::format("\"{}\" is no URL of a web service", text)}; };
  if (!text.starts_with(scheme)) return wrong();
  auto rest = text.substr(scheme.size());
  const auto slash = rest.find('/');
  HttpUrl made;
  made.target = slash == std::string_view::npos ? "/" : rest.substr(slash);
  rest = rest.substr(0, slash);
  const auto colon = rest.rfind(':');
  made.host = rest.substr(0, colon);
  made.port = colon == std::string_view::npos ? "80" : rest.substr(colon + 1);
  const bool has_port = !made.port.empty() && made.port.find_first_not_of("0123456789") == std::string::npos;
  const bool is_clean = text.find_first_of(" \t\r\n") == std::string_view::npos;
  if (made.host.empty() || !has_port || !is_clean) return wrong();
  return made;
}

Result<Done> http_get(const std::string& url, const HttpRules& rules, const HttpSink& sink) {
  const auto parsed = parse_url(url);
  if (!parsed) return parsed.error();
  try {
    return Request{url, rules}.run(*parsed, sink);
  } catch (const std::exception& fault) {  // no descriptor or memory is left
    return Error{Errc::io, fmt::format("cannot read {}: {}", url, fault.what())};
  }
}

}  // namespace heddle::interop

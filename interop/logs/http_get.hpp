// One HTTP request to a web service of Hadoop.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "model/result.hpp"

namespace heddle::interop {

struct HttpUrl {
  std::string host;
  std::string port;
  std::string target;  // path and query, from the first '/'
  bool operator==(const HttpUrl&) const = default;
};

/// Reads "http://host:8042/path". Errc::refused for https, Errc::usage for any other text.
[[nodiscard]] Result<HttpUrl> parse_url(std::string_view text);

struct HttpRules {
  std::int64_t silence_ms = 20'000;         // without progress: connecting, waiting or receiving
  std::string accept = "text/plain";        // wanted type of the content
  std::function<bool()> is_cancelled = {};  // called often while the request waits
};

/// Receives parts of the content of an answer with status 200. An error ends the request.
using HttpSink = std::function<Result<Done>(std::string_view bytes)>;

/// Gets the content of a URL. Errc::not_found and Errc::refused for the statuses 404, 401 and 403, Errc::failed for
/// other ones, with the first line of their content.
[[nodiscard]] Result<Done> http_get(const std::string& url, const HttpRules& rules, const HttpSink& sink);

}  // namespace heddle::interop

#include "interop/logs/node_logs.hpp"

#include <fmt/format.h>

#include "interop/logs/node_log_page.hpp"

namespace heddle::interop {
namespace {

constexpr std::size_t list_bytes_max = 16 << 20;

/// Other characters of a URL are written as %XX.
std::string encoded(std::string_view text) {
  std::string made;
  for (const auto c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                          c == '.' || c == '_' || c == '~';
    made += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return made;
}

Result<std::vector<LogFile>> list_files(const std::string& url, const HttpRules& rules) {
  auto own = rules;
  own.accept = "application/json";
  std::string text;
  const auto got = http_get(url, own, [&text](std::string_view bytes) -> Result<Done> {
    if (text.size() + bytes.size() > list_bytes_max) return Error{Errc::corrupt, "the list of log files is too long"};
    text += bytes;
    return Done{};
  });
  if (!got) return got.error();
  return parse_log_list(text);
}

/// Hadoop answers with status 500 or 503 for a container that it does not know.
Error unknown_or(const Error& error, const std::string& container, const std::string& page) {
  if (error.text.find("Unknown container") == std::string::npos) return error;
  return {Errc::not_found, fmt::format("the NodeManager at {} does not know {}", page, container)};
}

}  // namespace

Result<Done> visit_node_logs(const std::string& page, const std::string& container, const std::string& user,
                             const HttpRules& rules, LogVisitor& visitor) {
  const auto query = "?user.name=" + encoded(user);
  const auto url_of_page = parse_url(page);
  if (!url_of_page) return url_of_page.error();
  auto files = list_files(fmt::format("{}/ws/v1/node/containers/{}/logs{}", page, container, query), rules);
  if (!files) return unknown_or(files.error(), container, page);
  for (auto& file : *files) {
    file.host = url_of_page->host;
    file.place = fmt::format("{}/ws/v1/node/containerlogs/{}/{}", page, container, encoded(file.name));
    if (!visitor.begin(file)) continue;
    NodeLogPage content{[&visitor](std::string_view bytes) { return visitor.take(bytes); }};
    auto got = http_get(file.place + query, rules, [&content](std::string_view bytes) { return content.take(bytes); });
    if (got) got = content.finish();
    if (!got) return unknown_or(got.error(), container, page);
  }
  return Done{};
}

}  // namespace heddle::interop

#include "config/text/file_uri.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::config {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_in_scheme(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'; }

/// "hdfs" for hdfs://n/a and hdfs:/a; empty for a path, which may contain a colon.
std::string_view scheme_of(std::string_view path) {
  const auto colon = path.find(':');
  if (colon == std::string_view::npos || colon == 0 || !is_letter(path.front())) return {};
  const auto scheme = path.substr(0, colon);
  if (!std::all_of(scheme.begin(), scheme.end(), is_in_scheme)) return {};
  const bool has_root = path.substr(colon + 1).starts_with('/');
  return has_root || scheme == "file" ? scheme : std::string_view{};
}

}  // namespace

Result<std::string> local_path(std::string_view path) {
  const auto scheme = scheme_of(path);
  if (scheme.empty()) return std::string{path};
  if (scheme != "file")
    return Error{Errc::not_found, fmt::format("{}: no such file system: {}; known: file", path, scheme)};
  auto rest = path.substr(scheme.size() + 1);
  if (!rest.starts_with("//")) return std::string{rest};
  rest.remove_prefix(2);
  const auto host = rest.substr(0, rest.find('/'));
  if (!host.empty() && host != "localhost")
    return Error{Errc::not_found,
                 fmt::format("{}: a file URI must not have a host, but this one has {}; for a local path use three "
                             "slashes: file:///{}",
                             path, host, rest)};
  return std::string{rest.substr(host.size())};
}

}  // namespace heddle::config

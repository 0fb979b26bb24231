#include "ports/file_path.hpp"

#include <algorithm>
#include <vector>

namespace heddle::ports {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_in_scheme(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'; }

/// "//host/rest" or "/rest" behind the colon of a scheme.
struct AuthorityAndPath {
  std::string_view authority;
  std::string_view path;
};

AuthorityAndPath split_authority(std::string_view rest) {
  if (!rest.starts_with("//")) return {{}, rest};
  rest.remove_prefix(2);
  const auto end = std::min(rest.find('/'), rest.size());
  return {rest.substr(0, end), rest.substr(end)};
}

/// Removes `.`, `..` and empty components before the first component with a pattern. `path` is absolute.
std::string normal_path(std::string_view path, PathKind kind) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
    const auto part = path.substr(0, path.find('/'));
    if (kind == PathKind::pattern && part.find_first_of("*?[{\\") != part.npos) break;
    path.remove_prefix(part.size());
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
  }
  std::string text;
  for (const auto part : parts) text.append("/").append(part);
  if (!path.empty()) text.append("/").append(path);
  return text.empty() ? "/" : text;
}

std::string joined(std::string_view folder, std::string_view path) {
  if (path.starts_with('/')) return std::string{path};
  return std::string{folder}.append("/").append(path);
}

Result<FilePath> resolve_local(std::string_view path, const PathDefaults& defaults, PathKind kind) {
  if (path.starts_with('/')) return FilePath{{}, {}, normal_path(path, kind)};
  if (!defaults.working_directory.empty())
    return FilePath{{}, {}, normal_path(joined(defaults.working_directory, path), kind)};
  return Error{Errc::not_found, std::string{path} + ": the working directory, where this path starts, does not exist"};
}

Result<FilePath> resolve_file_uri(std::string_view written, std::string_view rest, const PathDefaults& defaults,
                                  PathKind kind) {
  const auto [host, path] = split_authority(rest);
  if (host.empty() || host == "localhost") return resolve_local(path, defaults, kind);
  return Error{Errc::not_found, std::string{written} + ": a file URI must not have a host, but this one has " +
                                    std::string{host} + "; for a local path use three slashes: file:///" +
                                    std::string{rest.substr(2)}};
}

}  // namespace

std::string_view scheme_of(std::string_view path) {
  const auto colon = path.find(':');
  if (colon == path.npos || colon == 0 || !is_letter(path.front())) return {};
  const auto scheme = path.substr(0, colon);
  if (!std::all_of(scheme.begin(), scheme.end(), is_in_scheme)) return {};
  const bool has_root = path.substr(colon + 1).starts_with('/');
  return has_root || scheme == "file" ? scheme : std::string_view{};
}

Result<FilePath> resolve_path(std::string_view written, const PathDefaults& defaults, PathKind kind) {
  if (written.empty()) return Error{Errc::usage, "path is empty"};
  const auto scheme = scheme_of(written);
  const auto standard = read_path(defaults.file_system);
  if (scheme == "file") return resolve_file_uri(written, written.substr(scheme.size() + 1), defaults, kind);
  if (scheme.empty()) {
    if (standard.scheme.empty()) return resolve_local(written, defaults, kind);
    return FilePath{standard.scheme, standard.authority, normal_path(joined(defaults.home_directory, written), kind)};
  }
  const auto [authority, path] = split_authority(written.substr(scheme.size() + 1));
  if (!authority.empty()) return FilePath{std::string{scheme}, std::string{authority}, normal_path(path, kind)};
  if (standard.scheme == scheme) return FilePath{standard.scheme, standard.authority, normal_path(path, kind)};
  return FilePath{std::string{scheme}, {}, normal_path(path, kind)};
}

FilePath read_path(std::string_view text) {
  const auto scheme = scheme_of(text);
  if (scheme.empty()) return {{}, {}, std::string{text}};
  const auto [authority, path] = split_authority(text.substr(scheme.size() + 1));
  return {std::string{scheme}, std::string{authority}, path.empty() ? "/" : std::string{path}};
}

std::string to_string(const FilePath& path) {
  if (path.scheme.empty()) return path.path;
  return path.scheme + "://" + path.authority + path.path;
}

std::string parent_of(const std::string& path) {
  auto parts = read_path(path);
  const auto at = parts.path.rfind('/');
  if (at == std::string::npos) return ".";
  parts.path.resize(at == 0 ? 1 : at);
  return to_string(parts);
}

}  // namespace heddle::ports

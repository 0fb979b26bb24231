// Path of a file on any file system, as a value. Its text is what messages, records and FileSystem methods carry:
//   /a/b                     local
//   hdfs://host:8020/a/b     scheme, authority, path
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/result.hpp"

namespace heddle::ports {

struct FilePath {
  std::string scheme;     // empty: local
  std::string authority;  // host:port or a name service; empty: local
  std::string path;       // absolute, without `.`, `..`, empty components, or `/` at the end
  bool operator==(const FilePath&) const = default;
};

/// What completes a path that its user wrote.
struct PathDefaults {
  std::string working_directory;    // local, absolute
  std::string file_system = {};     // `hdfs://host:8020` of paths without scheme; empty: local
  std::string home_directory = {};  // `/user/NAME`, where relative paths on `file_system` start
};

/// Scheme in front of a path: `hdfs` for hdfs://n/a and hdfs:/a, `file` for file:a. Empty for a path, which may contain
/// a colon.
[[nodiscard]] std::string_view scheme_of(std::string_view path);

/// In a pattern, nothing from the first component with a character of patterns on is changed.
enum class PathKind : std::uint8_t { plain, pattern };

/// Completes what a user wrote. file:/x, file:///x and file://localhost/x are the local /x. hdfs:///x gets the
/// authority of a default file system of that scheme, otherwise it keeps none. Errc::usage for an empty text;
/// Errc::not_found for a file: URI with another host, and for a relative path if there is no working directory.
[[nodiscard]] Result<FilePath> resolve_path(std::string_view written, const PathDefaults& defaults, PathKind kind);

/// Parses the text of a FilePath. A text without scheme is local, and kept as it is.
[[nodiscard]] FilePath read_path(std::string_view text);
[[nodiscard]] std::string to_string(const FilePath& path);

/// The text of the folder above; of the root: the root. A relative path without `/` is in `.`.
[[nodiscard]] std::string parent_of(const std::string& path);
/// Last component of the text of a path.
[[nodiscard]] inline std::string last_component(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace heddle::ports

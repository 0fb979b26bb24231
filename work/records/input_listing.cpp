#include "work/records/input_listing.hpp"

#include <algorithm>

#include "ports/file_path.hpp"
#include "work/files/byte_source.hpp"
#include "work/files/glob.hpp"
#include "work/records/record_reader.hpp"

namespace heddle::work {
namespace {

using ports::FileStatus;
using Files = std::vector<FileStatus>;

std::string name_of(const std::string& path) {
  const auto end = path.find_last_not_of('/');
  if (end == std::string::npos) return path;
  const auto at = path.rfind('/', end);
  return path.substr(at == std::string::npos ? 0 : at + 1, end - (at == std::string::npos ? 0 : at + 1) + 1);
}

std::string joined(const std::string& folder, const std::string& name) {
  if (folder.empty()) return name;
  return folder.ends_with('/') ? folder + name : folder + '/' + name;
}

std::vector<std::string> components_of(std::string_view path) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  while (at < path.size()) {
    const auto end = std::min(path.find('/', at), path.size());
    if (end > at) parts.emplace_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    plain.push_back(text[i]);
  }
  return plain;
}

// Matches a pattern component by component.
class Matcher {
public:
  Matcher(const ports::FileSystem& files, std::vector<std::string> parts, Files& found)
      : files_{files}, parts_{std::move(parts)}, found_{found} {}

  Result<Done> walk(const std::string& folder, std::size_t part) {
    if (parts_[part] == "**") return walk_any_depth(folder, part);
    const bool is_last = part + 1 == parts_.size();
    if (!is_glob(parts_[part])) {
      const auto path = joined(folder, parts_[part]);
      const auto status = files_.status(path);
      if (!status) return status.error().code == Errc::not_found ? Result<Done>{Done{}} : status.error();
      if (is_last) found_.push_back(*status);
      else if (status->is_directory) return walk(path, part + 1);
      return Done{};
    }
    auto children = is_last ? files_.list_with_blocks(folder) : files_.list(folder);
    if (!children) return children.error();
    for (auto& child : *children) {
      const auto name = name_of(child.path);
      if (is_hidden_name(name) || !matches_glob(parts_[part], name)) continue;
      child.path = joined(folder, name);
      if (is_last) found_.push_back(child);
      else if (child.is_directory)
        if (auto done = walk(child.path, part + 1); !done) return done;
    }
    return Done{};
  }

private:
  // `**` as last component: every file below. Otherwise: matches the rest of the pattern in this folder and in every
  // folder below.
  Result<Done> walk_any_depth(const std::string& folder, std::size_t part) {
    const bool is_last = part + 1 == parts_.size();
    if (!is_last)
      if (auto done = walk(folder, part + 1); !done) return done;
    auto children = is_last ? files_.list_with_blocks(folder) : files_.list(folder);
    if (!children) return children.error();
    for (auto& child : *children) {
      const auto name = name_of(child.path);
      if (is_hidden_name(name)) continue;
      child.path = joined(folder, name);
      if (!child.is_directory && is_last) found_.push_back(child);
      if (child.is_directory && !child.is_link)
        if (auto done = walk_any_depth(child.path, part); !done) return done;
    }
    return Done{};
  }

  const ports::FileSystem& files_;
  std::vector<std::string> parts_;
  Files& found_;
};

Result<Files> match_pattern(const ports::FileSystem& files, const std::string& pattern) {
  Files found;
  const auto path = ports::read_path(pattern);
  const auto parts = components_of(path.path);
  if (parts.empty()) return found;
  const auto wild = std::find_if(parts.begin(), parts.end(), [](const std::string& part) { return is_glob(part); });
  auto folder = ports::to_string({path.scheme, path.authority, "/"});
  for (auto part = parts.begin(); part != wild; ++part) folder = joined(folder, *part);
  const auto is_there = files.is_present(folder);
  if (!is_there) return is_there.error();
  if (!*is_there) return found;
  if (auto done = Matcher{files, {wild, parts.end()}, found}.walk(folder, 0); !done) return done.error();
  std::sort(found.begin(), found.end(), [](const FileStatus& a, const FileStatus& b) { return a.path < b.path; });
  found.erase(std::unique(found.begin(), found.end(),
                          [](const FileStatus& a, const FileStatus& b) { return a.path == b.path; }),
              found.end());
  return found;
}

Result<Files> match(const ports::FileSystem& files, const std::string& path) {
  Files found;
  if (!is_glob(path)) {
    auto status = files.status(path);
    if (status) return Files{*status};
    if (status.error().code != Errc::not_found) return status.error();
    return Error{Errc::not_found, "input '" + path + "' does not exist"};
  }
  const auto patterns = expand_braces(path);
  if (!patterns) return patterns.error();
  for (const auto& pattern : *patterns) {
    if (pattern.find_first_of("*?[") == pattern.npos) {
      if (const auto status = files.status(without_escapes(pattern)); status) found.push_back(*status);
      continue;
    }
    const auto some = match_pattern(files, pattern);
    if (!some) return some.error();
    found.insert(found.end(), some->begin(), some->end());
  }
  if (found.empty()) return Error{Errc::not_found, "input pattern '" + path + "' matches no file"};
  return found;
}

Result<Done> add_folder(const ports::FileSystem& files, const std::string& folder, bool recursive, Files& to) {
  auto children = files.list_with_blocks(folder);
  if (!children) return children.error();
  for (auto& child : *children) {
    if (is_hidden_name(name_of(child.path))) continue;
    if (!child.is_directory) {
      to.push_back(std::move(child));
      continue;
    }
    if (!recursive)
      return Error{Errc::refused, "input folder '" + folder + "' contains a folder, '" + name_of(child.path) +
                                      "'; to read it too, use '" + folder + "/**'"};
    if (child.is_link) continue;
    if (auto done = add_folder(files, child.path, recursive, to); !done) return done;
  }
  return Done{};
}

}  // namespace

Result<Files> list_input(const ports::FileSystem& files, const TextInput& input) {
  Files result;
  for (const auto& path : input.paths) {
    auto found = match(files, path);
    if (!found) return found.error();
    const auto before = result.size();
    for (auto& item : *found) {
      if (!item.is_directory) result.push_back(std::move(item));
      else if (auto done = add_folder(files, item.path, input.recursive, result); !done) return done.error();
    }
    // Tasks check every file; this check of the first file of each path fails before any task runs.
    if (result.size() > before)
      if (auto readable = check_unpacked(files, result[before].path); !readable) return readable.error();
  }
  for (const auto& file : result)
    if (packing_of(file.path) == Packing::unreadable) return unreadable_packing(file.path);
  return result;
}

std::vector<std::string> split_input_paths(std::string_view text) {
  std::vector<std::string> paths{""};
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',' && depth == 0) {
      paths.emplace_back();
      continue;
    }
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && depth > 0) --depth;
    paths.back().push_back(text[i]);
    if (text[i] == '\\' && i + 1 < text.size()) paths.back().push_back(text[++i]);
  }
  paths.erase(std::remove(paths.begin(), paths.end(), std::string{}), paths.end());
  return paths;
}

Result<std::vector<InputSplit>> compute_line_splits(const ports::FileSystem& files, const std::string& path,
                                                    std::int64_t lines_per_split) {
  if (is_packed_name(path))
    return Error{Errc::usage, "'" + path + "' is compressed and cannot be split by lines; decompress it first"};
  TextInput text;
  auto reader = open_records(files, text, {path, 0, INT64_MAX / 2, {}}, {});
  if (!reader) return reader.error();
  std::vector<InputSplit> splits;
  std::int64_t begin = 0;
  std::int64_t lines = 0;
  const auto add = [&](std::int64_t end) {
    splits.push_back(begin == 0 ? InputSplit{path, 0, end - 1, {}} : InputSplit{path, begin - 1, end - begin, {}});
    begin = end;
    lines = 0;
  };
  RecordBatch batch;
  for (;;) {
    auto more = (*reader)->next(batch);
    if (!more) return more.error();
    if (!*more) break;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (lines == std::max<std::int64_t>(1, lines_per_split)) add((*reader)->offset_of(i));
      ++lines;
    }
  }
  if (lines != 0) add((*reader)->bytes_read());
  return splits;
}

}  // namespace heddle::work

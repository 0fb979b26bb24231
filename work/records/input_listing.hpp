// Lists the files of an input: files, folders, globs (* ? [a-c] {x,y} **), by Hadoop's rules. Names that start with _
// or . are ignored. A path that matches no file is an error, and so is a folder in a folder that is not read
// recursively. Order: paths as given; the matches of a glob by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/input_split.hpp"
#include "model/job_graph.hpp"
#include "model/result.hpp"
#include "ports/file_system.hpp"

namespace heddle::work {

/// Returns the files of an input with their lengths, those of a folder with their blocks. The paths of the input are
/// complete (FileSystems::resolve). `**` matches any number of folders and does not follow links to folders.
[[nodiscard]] Result<std::vector<ports::FileStatus>> list_input(const ports::FileSystem& files, const TextInput& input);

/// Splits a path list at commas outside braces: "a,b,{c,d}" gives "a", "b", "{c,d}". One -input of Hadoop can name
/// several paths.
[[nodiscard]] std::vector<std::string> split_input_paths(std::string_view text);

/// Returns splits of `lines_per_split` lines, as Hadoop's NLineInputFormat.
[[nodiscard]] Result<std::vector<InputSplit>> compute_line_splits(const ports::FileSystem& files,
                                                                  const std::string& path,
                                                                  std::int64_t lines_per_split);

}  // namespace heddle::work

// Which files an input names: files, folders, globs (* ? [a-c] {x,y} **), with Hadoop's rules.
// Names that begin with _ or . are no input. A path that names nothing is an error, as is a folder inside a folder that
// is not read recursively. Order: paths as given, matches by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/input_split.hpp"
#include "model/job_graph.hpp"
#include "model/result.hpp"
#include "ports/file_store.hpp"

namespace heddle::work {

/// The files of an input, with their lengths. `**` matches any number of folders (links to folders are not followed).
[[nodiscard]] Result<std::vector<ports::FileStatus>> list_input(const ports::FileStore& files, const TextInput& input);

/// Cuts "a,b,{c,d}" at the commas outside braces: one -input of Hadoop may name several paths.
[[nodiscard]] std::vector<std::string> split_input_paths(std::string_view text);

/// Splits of n_line: so many lines each, as NLineInputFormat counts them.
[[nodiscard]] Result<std::vector<InputSplit>> compute_line_splits(const std::string& path,
                                                                  std::int64_t lines_per_split);

}  // namespace heddle::work

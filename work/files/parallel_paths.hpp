// The same work on many paths, several at a time: a disk serves several calls faster than one after the other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/result.hpp"

namespace heddle::work {

/// Calls `action` once for each path, on this thread and on up to 7 others. After an error no further path is begun.
/// Returns the error that came first in time; an exception of `action` is thrown here.
[[nodiscard]] Result<Done> for_paths_in_parallel(const std::vector<std::string>& paths,
                                                 const std::function<Result<Done>(const std::string&)>& action);

}  // namespace heddle::work

// Paths as Hadoop writes them: file:/x and file:///x are /x; other file systems there are none.
#pragma once

#include <string>
#include <string_view>

#include "model/result.hpp"

namespace heddle::config {

/// The path on this machine: `file:///tmp/a` is /tmp/a, and what has no scheme stays as it is. not_found for a scheme
/// that heddle does not know (`hdfs://n/a`), and for a file: URI that names another host.
[[nodiscard]] Result<std::string> local_path(std::string_view path);

}  // namespace heddle::config

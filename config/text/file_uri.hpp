// Paths in the notation of Hadoop: file:/x and file:///x are /x. No other file systems are supported.
#pragma once

#include <string>
#include <string_view>

#include "model/result.hpp"

namespace heddle::config {

/// The local path: /tmp/a for `file:///tmp/a`; a path without scheme is returned unchanged. Errc::not_found for another
/// scheme (`hdfs://n/a`) and for a file: URI with another host.
[[nodiscard]] Result<std::string> local_path(std::string_view path);

}  // namespace heddle::config

// Reads a whole configuration file.
#pragma once

#include <string>

#include "model/result.hpp"

namespace heddle::config {

/// Content of the file. Errc::not_found if it does not exist, Errc::usage for a folder or more than 16 MiB, Errc::io if
/// it cannot be read.
Result<std::string> read_text_file(const std::string& path);

}  // namespace heddle::config

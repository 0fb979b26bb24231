// Reads a whole file that a user wrote.
#pragma once

#include <string>

#include "model/result.hpp"

namespace heddle::config {

/// The content; not_found for a missing file, usage for a folder or a file above 16 MiB, io for what cannot be read.
Result<std::string> read_text_file(const std::string& path);

}  // namespace heddle::config

// Messages of a process to the user or its log, for threads where an exception would end the process.
#pragma once

#include <string_view>

namespace heddle::ports {

/// Writes "heddle: TEXT" as a line to standard error. Ignores failures, such as a closed descriptor or a full disk.
void write_error_line(std::string_view text) noexcept;

}  // namespace heddle::ports

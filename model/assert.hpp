// Assertions for internal errors. They are checked in every build, and a failed one aborts the process.
#pragma once

#include <string_view>

namespace heddle {

/// Writes file, line, condition and text to stderr and aborts.
[[noreturn]] void assertion_failed(const char* file, int line, const char* condition, std::string_view text);

}  // namespace heddle

/// HEDDLE_ASSERT(condition, text): `text` is evaluated only when the condition is false.
#define HEDDLE_ASSERT(condition, text)                 \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::heddle::assertion_failed(__FILE__, __LINE__, #condition, (text)))

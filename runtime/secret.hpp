// Comparison of secrets: the token of an application, and the secret of a task child.
#pragma once

#include <cstddef>
#include <string_view>

namespace heddle::runtime {

/// Constant time for equal lengths: the duration must not reveal how many characters match.
[[nodiscard]] inline bool is_same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  int difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= a[i] ^ b[i];
  return difference == 0;
}

}  // namespace heddle::runtime

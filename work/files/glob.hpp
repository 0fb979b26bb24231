// Glob patterns of file names: * ? [abc] [a-c] [^a] {x,y}, and \ to escape a character.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace heddle::work {

/// Returns true if `name` matches the pattern of one path component. Time: O(name x pattern).
[[nodiscard]] bool matches_glob(std::string_view pattern, std::string_view name);

/// Returns true if the text has a special character of patterns.
[[nodiscard]] bool is_glob(std::string_view text);

/// Expands {x,y}: "a{b,c{d,e}}" gives "ab", "acd", "ace". Braces can contain slashes and braces. Errc::usage for more
/// than 10,000 results or 100 braces.
[[nodiscard]] Result<std::vector<std::string>> expand_braces(std::string_view pattern);

}  // namespace heddle::work

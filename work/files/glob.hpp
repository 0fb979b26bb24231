// Patterns of file names: * ? [abc] [a-c] [^a] {x,y} and \ ahead of a character that means itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace heddle::work {

/// True if `name` matches the pattern of one path component. Cost: name x pattern.
[[nodiscard]] bool matches_glob(std::string_view pattern, std::string_view name);

/// True if the text has a character that is special in a pattern.
[[nodiscard]] bool is_glob(std::string_view text);

/// All texts without braces that a pattern with {x,y} stands for, in order; braces may hold slashes and braces.
/// Refused (usage) where that would be more than 10,000, or there are more than 100 braces.
[[nodiscard]] Result<std::vector<std::string>> expand_braces(std::string_view pattern);

}  // namespace heddle::work

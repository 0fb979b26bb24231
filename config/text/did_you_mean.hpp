// Suggestions for misspelt keys and values.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace heddle::config {

/// Number of insertions, deletions, replacements and swaps of neighbours between two texts; case is ignored.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known text with the smallest edit distance, if that is at most a third of its length (at least 1); otherwise
/// empty. Ties: the first one.
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

/// "; did you mean \"x\"?", or an empty text.
[[nodiscard]] std::string suggestion(std::string_view word, std::span<const std::string_view> known);

}  // namespace heddle::config

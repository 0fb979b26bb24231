// Which known word somebody meant who wrote an unknown one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace heddle::config {

/// Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other, letter case
/// ignored.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known word with the least distance, if a third of its letters or fewer differ; otherwise empty. Ties: the
/// earlier one.
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

/// "; did you mean \"x\"?" or nothing.
[[nodiscard]] std::string suggestion(std::string_view word, std::span<const std::string_view> known);

}  // namespace heddle::config

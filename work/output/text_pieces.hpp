// Passes a text in chunks to a library with 32-bit sizes.
#pragma once

#include <cstddef>
#include <string_view>

#include "model/result.hpp"

namespace heddle::work {

/// Calls `take` with each chunk of at most `piece_max` bytes in order, until one fails; never for an empty text.
template <class Take>
[[nodiscard]] Result<Done> in_pieces(std::string_view text, std::size_t piece_max, const Take& take) {
  for (; !text.empty(); text.remove_prefix(text.size() < piece_max ? text.size() : piece_max))
    if (auto taken = take(text.substr(0, piece_max)); !taken) return taken;
  return Done{};
}

}  // namespace heddle::work

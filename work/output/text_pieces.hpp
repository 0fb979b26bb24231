// Text in pieces for a library that counts its bytes in 32 bits.
#pragma once

#include <cstddef>
#include <string_view>

#include "model/result.hpp"

namespace heddle::work {

/// Calls `take` with each piece of at most `piece_max` bytes in order, until one fails; not at all for an empty text.
template <class Take>
[[nodiscard]] Result<Done> in_pieces(std::string_view text, std::size_t piece_max, const Take& take) {
  for (; !text.empty(); text.remove_prefix(text.size() < piece_max ? text.size() : piece_max))
    if (auto taken = take(text.substr(0, piece_max)); !taken) return taken;
  return Done{};
}

}  // namespace heddle::work

// Counts line feeds, 16 bytes at a time. Each lane counts for at most 255 rounds, so that it cannot overflow. GCC does
// not vectorise std::count at -O2, and every byte of text is counted up to three times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace heddle::work {

[[nodiscard]] inline std::int64_t count_lines(std::string_view text) {
  using Lanes = std::uint8_t __attribute__((vector_size(16)));
  constexpr std::size_t width = sizeof(Lanes);
  const Lanes feeds = Lanes{} + static_cast<std::uint8_t>('\n');
  std::int64_t total = 0;
  while (text.size() >= width) {
    const auto rounds = std::min<std::size_t>(text.size() / width, 255);
    Lanes sums{};
    for (std::size_t round = 0; round < rounds; ++round) {
      Lanes piece;
      std::memcpy(&piece, text.data() + round * width, width);
      sums -= reinterpret_cast<Lanes>(piece == feeds);  // equal lanes are -1
    }
    for (std::size_t lane = 0; lane < width; ++lane) total += sums[lane];
    text.remove_prefix(rounds * width);
  }
  return total + std::count(text.begin(), text.end(), '\n');
}

}  // namespace heddle::work

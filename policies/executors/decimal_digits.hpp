// Numbers by their decimal digits, to sort ids in the order of their texts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "model/assert.hpp"

namespace heddle::policies {

inline constexpr std::array<std::uint64_t, 19> powers_of_ten = [] {
  std::array<std::uint64_t, 19> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

inline std::uint8_t digits_of(std::int64_t number) {
  HEDDLE_ASSERT(number >= 0 && number < 100'000'000'000'000'000, std::to_string(number) + " has too many digits");
  std::uint8_t digits = 1;
  while (powers_of_ten[digits] <= static_cast<std::uint64_t>(number)) ++digits;
  return digits;
}

}  // namespace heddle::policies

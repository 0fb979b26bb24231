// A stream of random numbers. The same seed gives the same numbers on every machine.
#pragma once

#include <cstdint>
#include <utility>

#include "model/assert.hpp"

namespace heddle {

/// SplitMix64 (Steele, Lea, Flood 2014) with integer-only distributions.
class RandomStream {
public:
  explicit RandomStream(std::uint64_t seed) : state_{seed} {}

  [[nodiscard]] std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// A uniformly distributed number in [0, bound). `bound` must not be 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) {
    HEDDLE_ASSERT(bound > 0, "below(0)");
    const std::uint64_t unfair = (0 - bound) % bound;
    std::uint64_t draw = next();
    while (draw < unfair) draw = next();
    return draw % bound;
  }
  /// True with probability numerator / denominator.
  [[nodiscard]] bool chance(std::uint64_t numerator, std::uint64_t denominator) {
    return below(denominator) < numerator;
  }
  /// Shuffles the items (Fisher-Yates); each order is equally likely.
  template <class Items>
  void shuffle(Items& items) {
    for (auto left = items.size(); left > 1; --left) std::swap(items[left - 1], items[below(left)]);
  }
  /// Current state. A stream with this seed draws the same numbers as this one from here on.
  [[nodiscard]] std::uint64_t state() const { return state_; }
  /// A new stream, independent of this one; different values of `salt` give different streams.
  [[nodiscard]] RandomStream split(std::uint64_t salt) { return RandomStream{next() ^ (salt * 0xd6e8feb86659fd93ULL)}; }

private:
  std::uint64_t state_;
};

}  // namespace heddle

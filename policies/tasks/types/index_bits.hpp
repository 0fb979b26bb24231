// A set of small indices as a bitmap with its size. Membership and changes are constant, for sets of a million tasks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/preferred_location.hpp"

namespace heddle::policies {

class IndexBits {
public:
  /// Clears the set and reserves indices below `size`.
  void reset(std::int32_t size) {
    words_.assign((static_cast<std::size_t>(size) + bits_per_word - 1) / bits_per_word, 0);
    count_ = 0;
  }
  /// True if the index was not in the set. Grows as needed.
  bool insert(std::int32_t index) {
    const std::size_t word = word_of(index);
    if (word >= words_.size()) words_.resize(std::max(word + 1, words_.size() * 2), 0);
    const std::uint64_t bit = bit_of(index);
    const bool is_new = (words_[word] & bit) == 0;
    words_[word] |= bit;
    count_ += is_new ? 1 : 0;
    return is_new;
  }
  void insert(IndexRange range) {
    for (std::int32_t index = range.first; index < range.first + range.count; ++index) insert(index);
  }
  /// True if the index was in the set.
  bool erase(std::int32_t index) {
    if (!contains(index)) return false;
    words_[word_of(index)] &= ~bit_of(index);
    count_ -= 1;
    return true;
  }
  [[nodiscard]] bool contains(std::int32_t index) const {
    const std::size_t word = word_of(index);
    return word < words_.size() && (words_[word] & bit_of(index)) != 0;
  }
  [[nodiscard]] std::int32_t count() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Recounts the bits.
  [[nodiscard]] bool is_consistent() const {
    std::int32_t counted = 0;
    for (const std::uint64_t word : words_) counted += std::popcount(word);
    return counted == count_;
  }

private:
  static constexpr std::size_t bits_per_word = 64;
  static std::size_t word_of(std::int32_t index) { return static_cast<std::size_t>(index) / bits_per_word; }
  static std::uint64_t bit_of(std::int32_t index) {
    return std::uint64_t{1} << (static_cast<std::size_t>(index) % bits_per_word);
  }

  std::vector<std::uint64_t> words_;
  std::int32_t count_ = 0;
};

}  // namespace heddle::policies

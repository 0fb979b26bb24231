// Hash table of word counts: open addressing; words of up to 15 bytes are stored in the slot. Used by the task
// functions of heddle-bench and by its bare program, so that a comparison measures only the runtime around it.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heddle::apps {

class WordTable {
public:
  explicit WordTable(std::size_t slots = std::size_t{1} << 16) : slots_(slots) {}

  void add(std::string_view word, std::int64_t count) {
    if (word.size() > short_bytes || word.empty()) {
      others_[std::string{word}] += count;
      return;
    }
    std::array<std::uint64_t, 2> key{};
    std::memcpy(key.data(), word.data(), word.size());
    add_short(key, count);
  }
  /// Counts every word of a text, split at blanks and line ends.
  void add_words(std::string_view text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) {
      if (is_gap(*at)) {
        ++at;
        continue;
      }
      const char* const begin = at;
      std::array<std::uint64_t, 2> key{};
      for (; at < end && !is_gap(*at); ++at) {
        const auto place = static_cast<std::size_t>(at - begin);
        if (place < short_bytes + 1)
          key[place >> 3] |= std::uint64_t{static_cast<unsigned char>(*at)} << ((place & 7) * 8);
      }
      if (static_cast<std::size_t>(at - begin) > short_bytes) others_[{begin, at}] += 1;
      else add_short(key, 1);
    }
  }
  /// Calls `take(word, count)` for every word, unordered.
  template <class Take>
  void for_each(Take&& take) const {
    for (const auto& slot : slots_)
      if (slot.count != 0)
        take(std::string_view{reinterpret_cast<const char*>(slot.key.data()), size_of(slot.key)}, slot.count);
    for (const auto& [word, count] : others_) take(std::string_view{word}, count);
  }

private:
  static constexpr std::size_t short_bytes = 15;
  struct Slot {
    std::array<std::uint64_t, 2> key{};
    std::int64_t count = 0;
  };

  static bool is_gap(char c) { return c == ' ' || c == '\n'; }
  static std::size_t size_of(const std::array<std::uint64_t, 2>& key) {
    return ::strnlen(reinterpret_cast<const char*>(key.data()), 16);
  }
  static std::size_t hash(const std::array<std::uint64_t, 2>& key) {
    const auto mixed = (key[0] ^ (key[1] * 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;
    return mixed ^ (mixed >> 32);
  }
  void add_short(const std::array<std::uint64_t, 2>& key, std::int64_t count) {
    for (auto at = hash(key) & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      auto& slot = slots_[at];
      if (slot.count != 0 && slot.key == key) {
        slot.count += count;
        return;
      }
      if (slot.count != 0) continue;
      slot = {key, count};
      if (++used_ * 2 > slots_.size()) grow();
      return;
    }
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 4);
    old.swap(slots_);
    used_ = 0;
    for (const auto& slot : old)
      if (slot.count != 0) add_short(slot.key, slot.count);
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::unordered_map<std::string, std::int64_t> others_;
};

}  // namespace heddle::apps

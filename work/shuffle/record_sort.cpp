#include "work/shuffle/record_sort.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "work/shuffle/run_merge.hpp"

namespace heddle::work {
namespace {

using Entry = RecordEntry;
constexpr std::size_t small_group = 48;

class RadixSort {
public:
  RadixSort(const RecordArena& arena, std::vector<Entry>& room) : arena_{arena}, room_{room} {}

  // `depth`: number of leading bytes that all these keys share; prefixes start there.
  void sort(Entry* entries, std::size_t count, std::size_t depth, int shift = 56) {
    if (count <= small_group) return sort_small(entries, count, depth);
    if (shift < 0) return sort_equal_prefixes(entries, count, depth);
    std::array<std::size_t, 257> starts{};
    for (std::size_t i = 0; i < count; ++i) ++starts[digit(entries[i], shift) + 1];
    for (std::size_t i = 0; i < 256; ++i)
      if (starts[i + 1] == count) return sort(entries, count, depth, shift - 8);
    for (std::size_t i = 0; i < 256; ++i) starts[i + 1] += starts[i];
    auto at = starts;
    for (std::size_t i = 0; i < count; ++i) room_[at[digit(entries[i], shift)]++] = entries[i];
    std::copy_n(room_.data(), count, entries);
    for (std::size_t i = 0; i < 256; ++i)
      if (const auto size = starts[i + 1] - starts[i]; size > 1) sort(entries + starts[i], size, depth, shift - 8);
  }

private:
  static std::size_t digit(const Entry& entry, int shift) {
    return static_cast<std::size_t>(entry.prefix >> shift) & 255;
  }

  void sort_small(Entry* entries, std::size_t count, std::size_t depth) {
    std::sort(entries, entries + count, [&](const Entry& a, const Entry& b) {
      if (a.prefix != b.prefix) return a.prefix < b.prefix;
      const int order = arena_.record(a).key.substr(depth).compare(arena_.record(b).key.substr(depth));
      return order != 0 ? order < 0 : a.where < b.where;
    });
  }

  // Keys that end within the prefix come first, by length; those of equal length are equal. Longer keys are sorted by
  // their next bytes.
  void sort_equal_prefixes(Entry* entries, std::size_t count, std::size_t depth) {
    std::array<std::size_t, 11> starts{};
    std::vector<unsigned char> classes(count);
    for (std::size_t i = 0; i < count; ++i) {
      classes[i] = static_cast<unsigned char>(std::min<std::size_t>(9, arena_.record(entries[i]).key.size() - depth));
      ++starts[classes[i] + 1u];
    }
    for (std::size_t i = 0; i < 10; ++i) starts[i + 1] += starts[i];
    auto at = starts;
    for (std::size_t i = 0; i < count; ++i) room_[at[classes[i]]++] = entries[i];
    std::copy_n(room_.data(), count, entries);
    const auto longer = count - starts[9];
    if (longer < 2) return;
    for (auto* entry = entries + starts[9]; entry != entries + count; ++entry) {
      const auto key = arena_.record(*entry).key.substr(depth + 8);
      entry->prefix = key_prefix(key.data(), key.size());
    }
    sort(entries + starts[9], longer, depth + 8);
  }

  const RecordArena& arena_;
  std::vector<Entry>& room_;
};

// Bottom-up and stable. Compares only existing records, also if the order is not consistent.
void merge_sort(const RecordArena& arena, Entry* entries, std::size_t count, std::vector<Entry>& room,
                const KeyComparator& comparator) {
  auto* from = entries;
  auto* to = room.data();
  for (std::size_t width = 1; width < count; width *= 2) {
    for (std::size_t begin = 0; begin < count; begin += 2 * width) {
      auto left = begin;
      const auto middle = std::min(begin + width, count);
      auto right = middle;
      const auto end = std::min(begin + 2 * width, count);
      for (auto out = begin; out < end; ++out) {
        const bool take_right = left == middle || (right < end && comparator.compare(arena.record(from[right]).key,
                                                                                     arena.record(from[left]).key) < 0);
        to[out] = take_right ? from[right++] : from[left++];
      }
    }
    std::swap(from, to);
  }
  if (from != entries) std::copy_n(from, count, entries);
}

}  // namespace

std::vector<std::size_t> sort_records(RecordArena& arena, std::int32_t partitions, const KeyComparator& comparator,
                                      bool is_sorted) {
  auto& entries = arena.entries();
  std::vector<Entry> room(entries.size());
  std::vector<std::size_t> starts(static_cast<std::size_t>(partitions) + 1);
  for (const auto& entry : entries) ++starts[entry.partition() + 1];
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) starts[i + 1] += starts[i];
  if (partitions > 1) {
    auto at = starts;
    for (const auto& entry : entries) room[at[entry.partition()]++] = entry;
    entries.swap(room);
  }
  if (!is_sorted) return starts;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    const auto count = starts[i + 1] - starts[i];
    if (count < 2) continue;
    if (comparator.is_bytes()) RadixSort{arena, room}.sort(entries.data() + starts[i], count, 0);
    else merge_sort(arena, entries.data() + starts[i], count, room, comparator);
  }
  return starts;
}

}  // namespace heddle::work

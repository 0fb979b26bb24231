#include "work/shuffle/record_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "work/shuffle/run_merge.hpp"

namespace heddle::work {
namespace {

using Entry = RecordEntry;
constexpr std::size_t small_group = 48;

class RadixSort {
public:
  RadixSort(const RecordArena& arena, std::vector<Entry>& room) : arena_{arena}, room_{room} {}

  /// `depth`: number of leading bytes that all these keys share; prefixes start there.
  void sort(Entry* entries, std::size_t count, std::size_t depth) {
    while (count > small_group) {
      // Where they differ first: keys that repeat, and bytes that all keys share, are read once.
      std::uint64_t difference = 0;
      for (std::size_t i = 1; i < count; ++i) difference |= entries[i].prefix ^ entries[0].prefix;
      if (difference == 0) {
        if (is_whole_key(entries->prefix)) return;
        depth += 7;
        read_prefixes(entries, count, depth);
        continue;
      }
      const auto starts = split(entries, count, (63 - std::countl_zero(difference)) / 8 * 8);
      // The largest group last, in this loop: recursion is at most log2(count) deep, however long the keys are.
      const auto size_of = [&](std::size_t group) { return starts[group + 1] - starts[group]; };
      std::size_t largest = 0;
      for (std::size_t group = 1; group < 256; ++group)
        if (size_of(group) > size_of(largest)) largest = group;
      for (std::size_t group = 0; group < 256; ++group)
        if (group != largest && size_of(group) > 1) sort(entries + starts[group], size_of(group), depth);
      entries += starts[largest];
      count = size_of(largest);
    }
    sort_small(entries, count, depth);
  }

private:
  /// Moves the entries into groups of equal bytes at `shift` of their prefixes, and returns where each group starts.
  std::array<std::size_t, 257> split(Entry* entries, std::size_t count, int shift) {
    const auto byte = [shift](const Entry& entry) { return static_cast<std::size_t>(entry.prefix >> shift) & 255; };
    std::array<std::size_t, 257> starts{};
    for (std::size_t i = 0; i < count; ++i) ++starts[byte(entries[i]) + 1];
    for (std::size_t i = 0; i < 256; ++i) starts[i + 1] += starts[i];
    auto at = starts;
    for (std::size_t i = 0; i < count; ++i) room_[at[byte(entries[i])]++] = entries[i];
    std::copy_n(room_.data(), count, entries);
    return starts;
  }

  void sort_small(Entry* entries, std::size_t count, std::size_t depth) {
    std::sort(entries, entries + count, [&](const Entry& a, const Entry& b) {
      if (a.prefix != b.prefix) return a.prefix < b.prefix;
      if (is_whole_key(a.prefix)) return a.where < b.where;
      const int order = arena_.record(a).key.substr(depth).compare(arena_.record(b).key.substr(depth));
      return order != 0 ? order < 0 : a.where < b.where;
    });
  }

  void read_prefixes(Entry* entries, std::size_t count, std::size_t depth) {
    for (auto* entry = entries; entry != entries + count; ++entry) {
      const auto key = arena_.record(*entry).key.substr(depth);
      entry->prefix = key_prefix(key.data(), key.size());
    }
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

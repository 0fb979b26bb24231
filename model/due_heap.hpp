// Deadlines by key, ordered by deadline, then by key. Cost: O(log n) to add a deadline, to move it earlier and to take
// a due one; one map lookup to move it later, which each heartbeat does. No operation visits all keys, except an
// occasional rebuild of the heap (amortised).
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "model/time.hpp"

namespace heddle {

/// The earlier of two deadlines. None: no deadline.
[[nodiscard]] constexpr std::optional<Instant> earlier(std::optional<Instant> one, std::optional<Instant> other) {
  if (!one || !other) return one ? one : other;
  return std::min(*one, *other);
}

template <class Key>
class DueHeap {
public:
  /// Sets the deadline of `key`; replaces an earlier one.
  void set(const Key& key, Instant due) {
    const auto [row, is_new] = rows_.try_emplace(key, Row{due, due});
    if (!is_new) {
      row->second.due = due;
      if (due >= row->second.entry) return;  // settle() moves the entry to `due` when it reaches the top
      row->second.entry = due;
    }
    push({due, key});
    drop_stale_entries();
  }
  void remove(const Key& key) {
    rows_.erase(key);
    drop_stale_entries();
  }
  [[nodiscard]] bool contains(const Key& key) const { return rows_.contains(key); }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  /// None: the key has no deadline.
  [[nodiscard]] std::optional<Instant> due_of(const Key& key) const {
    const auto row = rows_.find(key);
    return row == rows_.end() ? std::nullopt : std::optional{row->second.due};
  }

  /// The earliest deadline; empty if there is no key.
  [[nodiscard]] std::optional<Instant> next_due() {
    settle();
    return entries_.empty() ? std::nullopt : std::optional{entries_.front().due};
  }
  /// Removes and returns the key with the earliest deadline if that is not after `now`.
  [[nodiscard]] std::optional<Key> take_due(Instant now) {
    settle();
    if (entries_.empty() || entries_.front().due > now) return std::nullopt;
    Key key = entries_.front().key;
    pop();
    rows_.erase(key);
    return key;
  }

private:
  struct Row {
    Instant due;
    Instant entry;  // deadline of the key's valid heap entry; never later than `due`
  };
  struct Entry {
    Instant due;
    Key key;
  };
  static constexpr std::size_t kept_entries = 16;

  static bool is_later(const Entry& a, const Entry& b) { return std::tie(b.due, b.key) < std::tie(a.due, a.key); }
  void push(const Entry& entry) {
    entries_.push_back(entry);
    std::push_heap(entries_.begin(), entries_.end(), is_later);
  }
  void pop() {
    std::pop_heap(entries_.begin(), entries_.end(), is_later);
    entries_.pop_back();
  }
  /// Pops stale entries, and moves entries whose deadline is later now, until the top entry is valid.
  void settle() {
    while (!entries_.empty()) {
      const Entry first = entries_.front();
      const auto row = rows_.find(first.key);
      const bool is_valid = row != rows_.end() && row->second.entry == first.due;
      if (is_valid && row->second.due == first.due) return;
      pop();
      if (!is_valid) continue;
      row->second.entry = row->second.due;
      push({row->second.due, first.key});
    }
  }
  /// Rebuilds the heap if more than half of its entries are stale, so that its size stays proportional to the keys.
  void drop_stale_entries() {
    if (entries_.size() <= 2 * rows_.size() + kept_entries) return;
    entries_.clear();
    for (auto& [key, row] : rows_) {
      row.entry = row.due;
      entries_.push_back({row.due, key});
    }
    std::make_heap(entries_.begin(), entries_.end(), is_later);
  }

  std::map<Key, Row> rows_;
  std::vector<Entry> entries_;  // a heap; at most one valid entry per key
};

}  // namespace heddle

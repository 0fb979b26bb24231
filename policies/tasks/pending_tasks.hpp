// Pending tasks of one task set: a stack per executor, host and rack, one of tasks without preference, and one of all
// tasks. Order: stacks, filled from the highest index down; index 0 is taken first, and a failed task before all
// others. Entries are removed lazily: a task launched through one list stays in the other lists until it reaches their
// top (TSM-1 to TSM-3). Cost: filling is linear in the preferred locations and stores one number for each; a set
// without preferences stores two ranges.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "policies/tasks/task_partitions.hpp"
#include "policies/tasks/types/executor_directory.hpp"
#include "policies/tasks/types/name_hash_table.hpp"

namespace heddle::policies {

/// Which pending list a task was taken from.
enum class PendingSource : std::uint8_t { executor, host, without_preference, rack, all };

/// Reported level of a launch from this list. Tasks without preference count as process local.
[[nodiscard]] constexpr LocalityLevel level_of(PendingSource source) {
  constexpr std::array levels{LocalityLevel::process, LocalityLevel::node, LocalityLevel::process, LocalityLevel::rack,
                              LocalityLevel::any};
  return levels[static_cast<std::size_t>(source)];
}

/// The location of an offer.
struct OfferPlace {
  std::int32_t executor = 0;
  HostId host;
  std::int32_t rack = -1;
};

/// A stack of task indices: entries that were filled at submission, below entries that were pushed later.
class PendingList {
public:
  struct Slice {
    std::int32_t next = 0;
    std::int32_t end = 0;
  };
  PendingList() = default;
  /// All indices below `tasks`, 0 on top.
  static PendingList all_below(std::int32_t tasks) {
    PendingList list;
    list.is_range_ = true;
    list.top_ = {0, tasks};
    return list;
  }
  /// Adds a slice of the store on top of the filled entries. Precondition: nothing was pushed yet.
  void put(Slice slice) {
    if (top_.next < top_.end) below_.push_back(top_);
    top_ = slice;
  }
  /// The top slice of the filled entries; all filled entries if the list was filled with one slice.
  [[nodiscard]] Slice filled() const { return top_; }
  [[nodiscard]] bool empty() const { return pushed_.empty() && top_.next >= top_.end && below_.empty(); }
  void push(std::int32_t index) { pushed_.push_back(index); }
  /// The entry on top. Precondition: not empty.
  [[nodiscard]] std::int32_t top(const std::vector<std::int32_t>& store) {
    if (!pushed_.empty()) return pushed_.back();
    settle();
    return is_range_ ? top_.next : store[static_cast<std::size_t>(top_.next)];
  }
  /// Address of the probable top entry in the store, for prefetching; null if it is not in the store.
  [[nodiscard]] const std::int32_t* next_in(const std::vector<std::int32_t>& store) const {
    return is_range_ || top_.next >= top_.end ? nullptr : &store[static_cast<std::size_t>(top_.next)];
  }
  /// Removes the entry on top. Precondition: not empty.
  void pop() {
    if (!pushed_.empty()) {
      pushed_.pop_back();
      return;
    }
    settle();
    ++top_.next;
  }
  /// Calls `visit(index)` from the top down until it returns true. Returns true if a call did.
  template <class Visit>
  bool any(const std::vector<std::int32_t>& store, Visit visit) const {
    for (auto i = pushed_.size(); i-- > 0;)
      if (visit(pushed_[i])) return true;
    if (any_in(top_, store, visit)) return true;
    for (auto i = below_.size(); i-- > 0;)
      if (any_in(below_[i], store, visit)) return true;
    return false;
  }

private:
  void settle() {
    while (top_.next >= top_.end) {
      top_ = below_.back();
      below_.pop_back();
    }
  }
  template <class Visit>
  bool any_in(Slice slice, const std::vector<std::int32_t>& store, Visit& visit) const {
    for (auto at = slice.next; at < slice.end; ++at)
      if (visit(is_range_ ? at : store[static_cast<std::size_t>(at)])) return true;
    return false;
  }

  std::vector<std::int32_t> pushed_;
  std::vector<Slice> below_;
  Slice top_;
  bool is_range_ = false;
};

/// Pending lists by the number of an executor, host or rack.
class PendingLists {
public:
  /// The list of a key; adds an empty one if none exists.
  PendingList& of(std::int32_t key, std::uint32_t name_hash);
  /// The list of a key, or null. It may be empty.
  [[nodiscard]] PendingList* find(std::int32_t key) {
    if (static_cast<std::size_t>(key) >= position_of_.size()) return nullptr;
    const std::int32_t position = position_of_[static_cast<std::size_t>(key)];
    return position < 0 ? nullptr : &lists_[static_cast<std::size_t>(position)];
  }
  [[nodiscard]] bool empty() const { return table_.empty(); }
  /// True if `is_met(key)` holds for a key with a list.
  template <class Predicate>
  bool any_key(Predicate is_met) const {
    return table_.any([&](std::int32_t position) { return is_met(keys_[static_cast<std::size_t>(position)]); });
  }
  /// Calls `visit(key, list)` in the order of the name hash table until it returns true. Returns true if a call did.
  template <class Visit>
  bool any_list(Visit visit) const {
    return table_.any([&](std::int32_t position) {
      return visit(keys_[static_cast<std::size_t>(position)], lists_[static_cast<std::size_t>(position)]);
    });
  }
  /// True if a list has a task with `is_waiting(index)`.
  template <class Predicate>
  [[nodiscard]] bool has_any_task(const std::vector<std::int32_t>& store, Predicate is_waiting) const {
    return any_list([&](std::int32_t, const PendingList& list) { return list.any(store, is_waiting); });
  }
  /// As above. Also removes stale entries on the way, and lists that become empty.
  template <class Predicate>
  bool has_task(const std::vector<std::int32_t>& store, Predicate is_waiting) {
    while (!table_.empty()) {
      PendingList& list = lists_[static_cast<std::size_t>(table_.first())];
      while (!list.empty()) {
        if (is_waiting(list.top(store))) return true;
        list.pop();
      }
      table_.remove_first();
    }
    return false;
  }

private:
  std::vector<std::int32_t> position_of_;  // index by key; -1: none
  std::vector<std::int32_t> keys_;
  std::vector<PendingList> lists_;
  NameHashTable table_;
};

/// All stacks of one set. A second instance holds the speculative copies.
struct PendingTasks {
  PendingList all;
  PendingList without_preference;
  PendingLists by_executor;
  PendingLists by_host;
  PendingLists by_rack;
  std::vector<std::int32_t> store;  // entries of the host and rack lists, which are slices of it

  /// Adds all tasks of the set. Precondition: nothing was pushed yet.
  void fill(const TaskPartitions& partitions, const TaskSetLocations& places, const ExecutorDirectory& directory);
  /// Adds a task that is pending (again).
  void push(std::int32_t index, std::span<const PreferredLocation> places, const ExecutorDirectory& directory);
  /// The list for an offer; null if none exists.
  [[nodiscard]] PendingList* find(PendingSource source, const OfferPlace& place);

private:
  void fill_executors_and_none(const TaskPartitions& partitions, const TaskSetLocations& places,
                               const ExecutorDirectory& directory);
  void fill_hosts(const TaskPartitions& partitions, const TaskSetLocations& places, const ExecutorDirectory& directory);
  void fill_racks(const ExecutorDirectory& directory);
  void push_cached(std::int32_t index, HostId host, const ExecutorDirectory& directory);
};

}  // namespace heddle::policies

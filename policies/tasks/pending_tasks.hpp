// The tasks of one set that wait for a slot: stacks per executor, host and rack, of tasks without preference, and of
// all. Order: stacks; filled from the highest index down, so that index 0 is taken first, and a failed task before the
// rest. Entries are removed lazily: a task that was launched through one list stays in the others until it is met there
// (TSM-1 to TSM-3). Cost: filling is linear in the places and stores one number per place; a set without preferences
// stores two ranges.
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

/// Level under which a launch from a list is reported: tasks without preference count as process local.
[[nodiscard]] constexpr LocalityLevel level_of(PendingSource source) {
  constexpr std::array levels{LocalityLevel::process, LocalityLevel::node, LocalityLevel::process, LocalityLevel::rack,
                              LocalityLevel::any};
  return levels[static_cast<std::size_t>(source)];
}

/// The place where an offer comes from.
struct OfferPlace {
  std::int32_t executor = 0;
  HostId host;
  std::int32_t rack = -1;
};

/// A stack of task indices: a part that was filled at submission and is only taken from, below a part that was pushed
/// later.
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
  /// Puts a slice of the store, its first entry on top, over what is there. Only while nothing was pushed.
  void put(Slice slice) {
    if (top_.next < top_.end) below_.push_back(top_);
    top_ = slice;
  }
  /// The slice on top of what was filled; all of it for a list that was filled with one slice.
  [[nodiscard]] Slice filled() const { return top_; }
  [[nodiscard]] bool empty() const { return pushed_.empty() && top_.next >= top_.end && below_.empty(); }
  void push(std::int32_t index) { pushed_.push_back(index); }
  /// The entry on top. Precondition: not empty.
  [[nodiscard]] std::int32_t top(const std::vector<std::int32_t>& store) {
    if (!pushed_.empty()) return pushed_.back();
    settle();
    return is_range_ ? top_.next : store[static_cast<std::size_t>(top_.next)];
  }
  /// Where the entry on top probably stands, to be fetched ahead; null: nowhere in the store.
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
  /// Calls `visit(index)` from the top down until it returns true; true if it did.
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

/// Pending lists by a small number: an executor, a host or a rack.
class PendingLists {
public:
  /// The list of a key, made if there is none.
  PendingList& of(std::int32_t key, std::uint32_t name_hash);
  /// The list of a key, or null. It may be empty.
  [[nodiscard]] PendingList* find(std::int32_t key) {
    if (static_cast<std::size_t>(key) >= position_of_.size()) return nullptr;
    const std::int32_t position = position_of_[static_cast<std::size_t>(key)];
    return position < 0 ? nullptr : &lists_[static_cast<std::size_t>(position)];
  }
  [[nodiscard]] bool empty() const { return table_.empty(); }
  /// True if `is_met(key)` holds for some key that has a list.
  template <class Predicate>
  bool any_key(Predicate is_met) const {
    return table_.any([&](std::int32_t position) { return is_met(keys_[static_cast<std::size_t>(position)]); });
  }
  /// Calls `visit(key, list)` in the order of the names' walk until it returns true; true if it did.
  template <class Visit>
  bool any_list(Visit visit) const {
    return table_.any([&](std::int32_t position) {
      return visit(keys_[static_cast<std::size_t>(position)], lists_[static_cast<std::size_t>(position)]);
    });
  }
  /// True if some list holds a task for which `is_waiting(index)`.
  template <class Predicate>
  [[nodiscard]] bool has_any_task(const std::vector<std::int32_t>& store, Predicate is_waiting) const {
    return any_list([&](std::int32_t, const PendingList& list) { return list.any(store, is_waiting); });
  }
  /// The same. Cleans what it passes, and forgets lists that get empty.
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
  std::vector<std::int32_t> position_of_;  // by key, -1: none
  std::vector<std::int32_t> keys_;
  std::vector<PendingList> lists_;
  NameHashTable table_;
};

/// All stacks of one set (one more such for its speculative copies).
struct PendingTasks {
  PendingList all;
  PendingList without_preference;
  PendingLists by_executor;
  PendingLists by_host;
  PendingLists by_rack;
  std::vector<std::int32_t> store;  // what the slices of host and rack lists point into

  /// All tasks of a set are pending. Precondition: nothing was pushed yet.
  void fill(const TaskPartitions& partitions, const TaskSetLocations& places, const ExecutorDirectory& directory);
  /// A task is pending (again).
  void push(std::int32_t index, std::span<const PreferredLocation> places, const ExecutorDirectory& directory);
  /// The list of a place; null: there is none.
  [[nodiscard]] PendingList* find(PendingSource source, const OfferPlace& place);

private:
  void fill_executors_and_none(const TaskPartitions& partitions, const TaskSetLocations& places,
                               const ExecutorDirectory& directory);
  void fill_hosts(const TaskPartitions& partitions, const TaskSetLocations& places, const ExecutorDirectory& directory);
  void fill_racks(const ExecutorDirectory& directory);
  void push_cached(std::int32_t index, HostId host, const ExecutorDirectory& directory);
};

}  // namespace heddle::policies

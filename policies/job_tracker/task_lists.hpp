// Lists of a classic job's tasks, and the search for a task that a tracker may run. Cost: a search costs the entries it
// purges. After Hadoop 1.2's JobInProgress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "policies/job_tracker/classic_cluster.hpp"
#include "policies/job_tracker/classic_task.hpp"

namespace heddle::policies {

/// Most failures first, then by number. The failures are those at the time of insertion.
using FailedFirst = std::set<std::pair<std::int32_t, std::int32_t>>;

/// Arguments of a search besides the lists.
struct TaskSearch {
  const std::vector<ClassicTask>& tasks;
  const ClassicTracker& tracker;
  ClassicCluster& cluster;
  const JobRules& rules;

  [[nodiscard]] const ClassicTask& task(std::int32_t number) const { return tasks[static_cast<std::size_t>(number)]; }
};

/// What a search does with an entry.
enum class EntryUse : std::uint8_t { take, keep, drop };

/// Takes a task that waits and may run on the tracker, drops one that no longer waits. `drop_failed_here`: also one
/// that waits but has failed on the tracker's host.
[[nodiscard]] EntryUse use_of(const ClassicTask& task, const TaskSearch& search, bool drop_failed_here);

/// Tasks that wait, in the order of their addition. Searches begin at the front, and drop most of what they pass.
class WaitingTasks {
public:
  void add(std::int32_t task) { tasks_.push_back(task); }
  /// With those that no longer wait and that no search has passed.
  [[nodiscard]] std::size_t size() const { return tasks_.size() - begin_; }
  [[nodiscard]] bool ends_with(std::int32_t task) const { return !tasks_.empty() && tasks_.back() == task; }
  /// Removes and returns the first task that the tracker may run.
  [[nodiscard]] std::optional<std::int32_t> pop(const TaskSearch& search, bool drop_failed_here);

private:
  std::vector<std::int32_t> tasks_;
  std::size_t begin_ = 0;  // of those that still wait
};

/// Removes and returns the first task that the tracker may run. Also removes tasks before it that no longer wait.
[[nodiscard]] std::optional<std::int32_t> pop_waiting(FailedFirst& list, const TaskSearch& search);

/// Lists of running tasks, each in the order of addition. A task has a place for each list that it can be in. All
/// functions cost constant time.
class RunningTasks {
public:
  using Place = std::int32_t;
  static constexpr Place none = -1;

  /// Lists and places are numbered from 0 in the order of their addition.
  void add_list() { lists_.emplace_back(); }
  void add_place(std::int32_t list, std::int32_t task) { nodes_.push_back({list, task}); }
  [[nodiscard]] Place places() const { return static_cast<Place>(nodes_.size()); }

  /// Appends the task to its list, unless it is in it.
  void add(Place place);
  /// Does nothing if the task is not in the list.
  void remove(Place place);
  [[nodiscard]] Place first(std::int32_t list) const { return lists_[static_cast<std::size_t>(list)].first; }
  [[nodiscard]] Place after(Place place) const { return node(place).next; }
  [[nodiscard]] std::int32_t task_at(Place place) const { return node(place).task; }

private:
  struct Node {
    std::int32_t list = 0;
    std::int32_t task = 0;
    Place previous = none;
    Place next = none;
    bool is_listed = false;
  };
  struct List {
    Place first = none;
    Place last = none;
  };
  [[nodiscard]] Node& node(Place place) { return nodes_[static_cast<std::size_t>(place)]; }
  [[nodiscard]] const Node& node(Place place) const { return nodes_[static_cast<std::size_t>(place)]; }

  std::vector<Node> nodes_;
  std::vector<List> lists_;
};

/// False: no task is slow, whatever its progress.
[[nodiscard]] bool may_one_be_slow(const TaskSearch& search, double average);

/// The first task that is slow compared with the average progress, and may have a copy on the tracker.
[[nodiscard]] std::optional<std::int32_t> find_slow(RunningTasks& running, std::int32_t list, const TaskSearch& search,
                                                    double average, bool drop);

}  // namespace heddle::policies

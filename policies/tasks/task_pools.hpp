// Pools of the application, and the order in which their task sets are offered slots. Order: FIFO by priority, then
// stage; FAIR by fair_standing.hpp, ties by name as a string, then by submission. The order is that at the start of a
// round. Cost with FAIR: linear in the pools per round, and in the sets of each pool that is reached; logarithmic for
// each further pool or set. Source: Spark 3.5.3 Pool, FairSchedulableBuilder, SchedulingAlgorithm
// (spec POOL-1 to POOL-6).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "policies/tasks/fair_standing.hpp"
#include "policies/tasks/task_set.hpp"
#include "policies/tasks/types/task_scheduler_settings.hpp"

namespace heddle::policies {

using TaskSetSlot = std::uint32_t;
inline constexpr TaskSetSlot no_set = UINT32_MAX;
using TaskSets = std::deque<TaskSet>;

struct Pool {
  PoolSettings settings;
  std::vector<TaskSetSlot> members;     // by submission
  std::vector<TaskSetSlot> fifo_order;  // by priority, stage, submission
};

class TaskPools {
public:
  explicit TaskPools(const TaskSchedulerSettings& settings);

  /// The pool with this name; adds it if none exists.
  [[nodiscard]] std::uint32_t pool_for(const std::string& name);
  void add(TaskSetSlot slot, TaskSets& sets);
  void remove(TaskSetSlot slot, TaskSets& sets);
  /// A task of the set may wait again. Every schedulable set must be counted; other sets may be.
  void mark_waiting(TaskSet& set);
  /// The set was offered all free slots. Rounds skip pools that have nothing left to launch.
  void mark_offered(TaskSet& set);
  void change_running(std::uint32_t pool, std::int32_t by) { shares_[pool].running += by; }
  [[nodiscard]] std::int32_t running(std::uint32_t pool) const { return shares_[pool].running; }
  [[nodiscard]] std::int32_t waiting(std::uint32_t pool) const { return shares_[pool].waiting; }
  /// True if a set may be schedulable.
  [[nodiscard]] bool has_waiting() const;
  [[nodiscard]] const std::vector<Pool>& pools() const { return pools_; }
  /// All sets, pool by pool, each pool by submission.
  [[nodiscard]] std::vector<TaskSetSlot> members() const;

private:
  /// The fields of a pool that every round reads. Stored apart from Pool, to keep the scan of many pools in the cache.
  struct Share {
    std::uint64_t name_key = 0;
    std::int32_t running = 0;
    std::int32_t min_share = 0;
    std::int32_t weight = 1;
    std::int32_t waiting = 0;  // members that may be schedulable
  };
  static constexpr std::uint32_t no_pool = UINT32_MAX;

public:
  /// Iterates over the sets of a round. Compares pools and sets by their values at the first look. During the round
  /// only launches may change these values, and sets that finish must be removed through the same TaskPools.
  class Round {
  public:
    Round(const TaskPools& pools, const TaskSets& sets);
    /// Returns the next schedulable set in `slot`; false at the end.
    bool next(TaskSetSlot& slot);

  private:
    /// The remaining entries of one look; a heap as soon as a second entry is taken.
    struct Order {
      std::vector<FairStanding> entries;
      std::size_t taken = 0;
    };
    static FairStanding standing_of(const Share& share, std::uint32_t number);
    template <class IsLaterOfEqual>
    static std::uint32_t pop_first(Order& order, IsLaterOfEqual is_later_of_equal);
    [[nodiscard]] bool is_later_pool(std::uint32_t a, std::uint32_t b) const;
    [[nodiscard]] std::uint32_t find_first_pool() const;
    void open(std::uint32_t pool);
    /// Opens the next pool. False if there is none.
    bool open_next();

    const TaskPools& pools_;
    const TaskSets& sets_;
    std::uint32_t first_pool_ = no_pool;
    bool has_rest_ = false;  // the order of the pools after the first is computed
    Order of_pools_;
    Order of_sets_;
    const Pool* open_ = nullptr;  // current FIFO pool
    std::size_t at_ = 0;
    TaskSetSlot last_ = no_set;
  };

private:
  std::uint32_t make(PoolSettings settings);

  SchedulingMode mode_;
  std::vector<Pool> pools_;
  std::vector<Share> shares_;  // indexed like pools
  std::map<std::string, std::uint32_t> numbers_;
};

}  // namespace heddle::policies

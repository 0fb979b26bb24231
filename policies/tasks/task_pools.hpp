// The pools of the application and the order in which their task sets are offered slots.
// Order: FIFO by priority, then stage; FAIR: below the minimum share first, by share used; ties by name as a string;
// equal: by submission. The order is that of the start of a round. Cost: FAIR: one look over the pools per round, and
// over the sets of each pool that gets a turn; from the second pool or set of a round on logarithmic, too. Source:
// Spark 3.5.3 Pool, FairSchedulableBuilder, SchedulingAlgorithm (spec POOL-1 to POOL-6).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "policies/tasks/fair_standing.hpp"
#include "policies/tasks/task_set.hpp"

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

  /// The pool of a set, made when there is none of that name.
  [[nodiscard]] std::uint32_t pool_for(const std::string& name);
  void add(TaskSetSlot slot, TaskSets& sets);
  void remove(TaskSetSlot slot, TaskSets& sets);
  /// A task of a member may wait again. Every set that is schedulable has to be counted; one that is not may be.
  void note_waiting(TaskSet& set);
  /// A member was offered all that there is: rounds pass over pools of which nothing is left to launch.
  void note_offered(TaskSet& set);
  void change_running(std::uint32_t pool, std::int32_t by) { shares_[pool].running += by; }
  [[nodiscard]] std::int32_t running(std::uint32_t pool) const { return shares_[pool].running; }
  [[nodiscard]] std::int32_t waiting(std::uint32_t pool) const { return shares_[pool].waiting; }
  /// Some set may be schedulable.
  [[nodiscard]] bool has_waiting() const;
  [[nodiscard]] const std::vector<Pool>& pools() const { return pools_; }
  /// All sets as walks over the pools meet them: pool by pool, by submission.
  [[nodiscard]] std::vector<TaskSetSlot> members() const;

private:
  /// What every round looks at of every pool; beside the pools, so that a look over many stays in the cache.
  struct Share {
    std::uint64_t name_key = 0;
    std::int32_t running = 0;
    std::int32_t min_share = 0;
    std::int32_t weight = 1;
    std::int32_t waiting = 0;  // members that may be schedulable
  };
  static constexpr std::uint32_t no_pool = UINT32_MAX;

public:
  /// Takes the sets of a round one by one. Pools and sets are compared as they were when they were first looked at;
  /// meanwhile only what was taken may change, and sets that finish must be removed through the same pools.
  class Round {
  public:
    Round(const TaskPools& pools, const TaskSets& sets);
    /// The next schedulable set; false at the end.
    bool next(TaskSetSlot& slot);

  private:
    /// What is left of one look; a heap once a second is taken.
    struct Order {
      std::vector<FairStanding> entries;
      std::size_t taken = 0;
    };
    static FairStanding standing_of(const Share& share, std::uint32_t number);
    template <class IsLaterOfEqual>
    static std::uint32_t take_first(Order& order, IsLaterOfEqual is_later_of_equal);
    [[nodiscard]] bool is_later_pool(std::uint32_t a, std::uint32_t b) const;
    [[nodiscard]] std::uint32_t find_first_pool() const;
    void open(std::uint32_t pool);
    /// Opens the next pool; false: there is none.
    bool open_next();

    const TaskPools& pools_;
    const TaskSets& sets_;
    std::uint32_t first_pool_ = no_pool;
    bool has_rest_ = false;  // the pools behind the first are in order below
    Order of_pools_;
    Order of_sets_;
    const Pool* open_ = nullptr;  // FIFO pool being walked
    std::size_t at_ = 0;
    TaskSetSlot last_ = no_set;
  };

private:
  std::uint32_t make(PoolSettings settings);

  SchedulingMode mode_;
  std::vector<Pool> pools_;
  std::vector<Share> shares_;  // of the same pools
  std::map<std::string, std::uint32_t> numbers_;
};

}  // namespace heddle::policies

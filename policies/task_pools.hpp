// The pools of the application and the order in which their task sets are offered slots.
// Order: FIFO by priority, then stage; FAIR: below the minimum share first, by share used; ties by name as a string; equal: by
// submission. The order is that of the start of a round. Cost: FAIR: linear in the pools per round, logarithmic per pool or set taken.
// Source: Spark 3.5.3 Pool, FairSchedulableBuilder, SchedulingAlgorithm (spec POOL-1 to POOL-6).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "policies/task_set.hpp"

namespace heddle::policies {

using TaskSetSlot = std::uint32_t;
inline constexpr TaskSetSlot no_set = UINT32_MAX;
using TaskSets = std::deque<TaskSet>;

struct Pool {
  PoolSettings settings;
  std::int32_t running = 0;
  std::vector<TaskSetSlot> members;     // by submission
  std::vector<TaskSetSlot> fifo_order;  // by priority, stage, submission
};

class TaskPools {
public:
  explicit TaskPools(const TaskSchedulerSettings& settings);

  /// The pool of a set, made when there is none of that name.
  [[nodiscard]] std::uint32_t pool_for(const std::string& name);
  void add(TaskSetSlot slot, const TaskSets& sets);
  void remove(TaskSetSlot slot, const TaskSets& sets);
  void change_running(std::uint32_t pool, std::int32_t by) { pools_[pool].running += by; }
  [[nodiscard]] const std::vector<Pool>& pools() const { return pools_; }
  /// All sets as walks over the pools meet them: pool by pool, by submission.
  [[nodiscard]] std::vector<TaskSetSlot> members() const;

  /// Takes the sets of a round one by one. Pools and sets are compared as they were when they were first looked at; sets that finish
  /// meanwhile must be removed through the same pools.
  class Round {
  public:
    Round(const TaskPools& pools, const TaskSets& sets);
    /// The next schedulable set; false at the end.
    bool next(TaskSetSlot& slot);

  private:
    struct Entry {
      bool is_needy = false;
      double ratio = 0;
      const std::string* name = nullptr;
      std::uint64_t order = 0;
      std::uint32_t number = 0;  // of a pool or set
    };
    static bool is_later(const Entry& a, const Entry& b);
    static Entry entry(std::int32_t running, std::int32_t min_share, std::int32_t weight);
    void open(std::uint32_t pool);

    const TaskPools& pools_;
    const TaskSets& sets_;
    std::vector<Entry> pool_heap_;
    std::vector<Entry> set_heap_;
    const Pool* open_ = nullptr;  // FIFO pool being walked
    std::size_t at_ = 0;
    TaskSetSlot last_ = no_set;
  };

private:
  std::uint32_t make(PoolSettings settings);

  SchedulingMode mode_;
  std::vector<Pool> pools_;
  std::map<std::string, std::uint32_t> numbers_;
};

}  // namespace heddle::policies

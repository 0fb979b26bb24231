#include "policies/tasks/task_pools.hpp"

#include <algorithm>

namespace heddle::policies {
namespace {

const std::string default_name = "default";

bool is_before_in_fifo(const TaskSet& a, const TaskSet& b) {
  if (a.origin.job != b.origin.job) return a.origin.job < b.origin.job;
  if (a.key.stage != b.key.stage) return a.key.stage < b.key.stage;
  return a.origin.order < b.origin.order;
}

}  // namespace

TaskPools::TaskPools(const TaskSchedulerSettings& settings) : mode_{settings.mode} {
  if (mode_ == SchedulingMode::fifo) {
    make({"root", SchedulingMode::fifo, 1, 0});
    return;
  }
  if (settings.pools)
    for (const PoolSettings& pool : *settings.pools) make(pool);
  // Without a pool file the default pool has the mode of the root.
  if (!numbers_.contains(default_name))
    make({default_name, settings.pools ? SchedulingMode::fifo : SchedulingMode::fair, 1, 0});
}

std::uint32_t TaskPools::make(PoolSettings settings) {
  const auto number = static_cast<std::uint32_t>(pools_.size());
  numbers_.insert_or_assign(settings.name, number);
  Pool pool;
  shares_.push_back({name_key_of(settings.name), 0, settings.min_share, settings.weight, 0});
  pool.settings = std::move(settings);
  pools_.push_back(std::move(pool));
  return number;
}

std::uint32_t TaskPools::pool_for(const std::string& name) {
  if (mode_ == SchedulingMode::fifo) return 0;
  const std::string& wanted = name.empty() ? default_name : name;
  const auto row = numbers_.find(wanted);
  return row != numbers_.end() ? row->second : make({wanted, SchedulingMode::fifo, 1, 0});
}

void TaskPools::add(TaskSetSlot slot, TaskSets& sets) {
  Pool& pool = pools_[sets[slot].standing.pool];
  pool.members.push_back(slot);
  sets[slot].standing.may_wait = true;
  ++shares_[sets[slot].standing.pool].waiting;
  const auto place =
      std::upper_bound(pool.fifo_order.begin(), pool.fifo_order.end(), slot,
                       [&](TaskSetSlot a, TaskSetSlot b) { return is_before_in_fifo(sets[a], sets[b]); });
  pool.fifo_order.insert(place, slot);
}

void TaskPools::remove(TaskSetSlot slot, TaskSets& sets) {
  Pool& pool = pools_[sets[slot].standing.pool];
  std::erase(pool.members, slot);
  std::erase(pool.fifo_order, slot);
  mark_offered(sets[slot]);
}

void TaskPools::mark_waiting(TaskSet& set) {
  if (set.standing.may_wait || !set.is_schedulable()) return;
  set.standing.may_wait = true;
  ++shares_[set.standing.pool].waiting;
}

void TaskPools::mark_offered(TaskSet& set) {
  if (!set.standing.may_wait || set.is_schedulable()) return;
  set.standing.may_wait = false;
  --shares_[set.standing.pool].waiting;
}

bool TaskPools::has_waiting() const {
  return std::any_of(shares_.begin(), shares_.end(), [](const Share& share) { return share.waiting > 0; });
}

std::vector<TaskSetSlot> TaskPools::members() const {
  std::vector<TaskSetSlot> all;
  for (const Pool& pool : pools_) all.insert(all.end(), pool.members.begin(), pool.members.end());
  return all;
}

// -- a round -------------------------------------------------------------------

/// Removes and returns the first entry in order.
template <class IsLaterOfEqual>
std::uint32_t TaskPools::Round::pop_first(Order& order, IsLaterOfEqual is_later_of_equal) {
  // std heaps have the largest entry on top, so the comparison makes the first entry the largest.
  const auto compare = [&](const FairStanding& a, const FairStanding& b) {
    return comes_after(a, b, is_later_of_equal);
  };
  std::vector<FairStanding>& entries = order.entries;
  if (order.taken++ == 0) {
    // Most rounds take only one entry, so the heap is built for the second.
    std::swap(*std::max_element(entries.begin(), entries.end(), compare), entries.back());
  } else {
    if (order.taken == 2) std::make_heap(entries.begin(), entries.end(), compare);
    std::pop_heap(entries.begin(), entries.end(), compare);
  }
  const std::uint32_t number = entries.back().number;
  entries.pop_back();
  return number;
}

bool TaskPools::Round::is_later_pool(std::uint32_t a, std::uint32_t b) const {
  if (const int by_name = pools_.pools_[a].settings.name.compare(pools_.pools_[b].settings.name); by_name != 0)
    return by_name > 0;
  return a > b;
}

/// Finds the minimum without building an order, since most rounds take only one pool.
std::uint32_t TaskPools::Round::find_first_pool() const {
  const auto later_of_equal = [this](std::uint32_t a, std::uint32_t b) { return is_later_pool(a, b); };
  FairStanding first;
  first.number = no_pool;
  for (std::uint32_t number = 0; number < pools_.shares_.size(); ++number) {
    const Share& share = pools_.shares_[number];
    if (share.waiting == 0) continue;
    const FairStanding made = standing_of(share, number);
    if (first.number == no_pool || comes_after(first, made, later_of_equal)) first = made;
  }
  return first.number;
}

bool TaskPools::Round::open_next() {
  std::uint32_t number = no_pool;
  if (first_pool_ == no_pool) {
    number = first_pool_ = find_first_pool();
    if (number == no_pool) return false;
  } else {
    if (!has_rest_) {
      has_rest_ = true;
      for (std::uint32_t other = 0; other < pools_.shares_.size(); ++other)
        if (other != first_pool_ && pools_.shares_[other].waiting > 0)
          of_pools_.entries.push_back(standing_of(pools_.shares_[other], other));
    }
    if (of_pools_.entries.empty()) return false;
    number = pop_first(of_pools_, [this](std::uint32_t a, std::uint32_t b) { return is_later_pool(a, b); });
  }
  open(number);
  return true;
}

FairStanding TaskPools::Round::standing_of(const Share& share, std::uint32_t number) {
  FairStanding made = fair_standing(share.running, share.min_share, share.weight);
  made.name_key = share.name_key;
  made.number = number;
  return made;
}

TaskPools::Round::Round(const TaskPools& pools, const TaskSets& sets) : pools_{pools}, sets_{sets} {
  if (pools.mode_ != SchedulingMode::fifo) return;
  open_ = &pools.pools_.front();
  first_pool_ = 0;  // the only pool was taken
  has_rest_ = true;
}

void TaskPools::Round::open(std::uint32_t number) {
  const Pool& pool = pools_.pools_[number];
  if (pool.settings.mode == SchedulingMode::fifo) {
    open_ = &pool;
    at_ = 0;
    last_ = no_set;
    return;
  }
  for (const TaskSetSlot slot : pool.members) {
    const TaskSet& set = sets_[slot];
    if (!set.standing.may_wait || !set.is_schedulable()) continue;
    FairStanding made = fair_standing(set.counts.running, 0, 1);
    made.name_key = set.standing.name_key;
    made.number = slot;
    of_sets_.entries.push_back(made);
  }
  of_sets_.taken = 0;
}

bool TaskPools::Round::next(TaskSetSlot& slot) {
  const auto is_later_set = [this](std::uint32_t a, std::uint32_t b) {
    const TaskSet& left = sets_[a];
    const TaskSet& right = sets_[b];
    if (const int by_name = left.origin.name.compare(right.origin.name); by_name != 0) return by_name > 0;
    return left.origin.order > right.origin.order;
  };
  while (true) {
    if (!of_sets_.entries.empty()) {
      slot = pop_first(of_sets_, is_later_set);
      return true;
    }
    if (open_ != nullptr) {
      const std::vector<TaskSetSlot>& order = open_->fifo_order;
      // The set that was returned last may have left the pool.
      if (last_ != no_set && at_ < order.size() && order[at_] == last_) ++at_;
      while (at_ < order.size() && !sets_[order[at_]].is_schedulable()) ++at_;
      if (at_ < order.size()) {
        slot = last_ = order[at_];
        return true;
      }
      open_ = nullptr;
    }
    if (!open_next()) return false;
  }
}

}  // namespace heddle::policies

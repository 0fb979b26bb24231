// Demands from the leaves up, shares from the root down, and who may run.
#include <algorithm>
#include <cmath>
#include <utility>

#include "model/assert.hpp"
#include "policies/cluster/fair/fair_queues.hpp"
#include "policies/cluster/resource_calculator.hpp"

namespace heddle::policies {
namespace {

constexpr std::int64_t end_of_list = std::numeric_limits<std::int64_t>::max();

/// Merges lists by start time. Equal times come out in the order of a plain binary heap, as in the original.
class StartTimeMerge {
public:
  struct Head {
    std::size_t list;
    std::int64_t time;
  };
  void add(Head head) {
    heap_.push_back(head);
    std::size_t at = heap_.size() - 1;
    while (at > 0 && head.time < heap_[(at - 1) / 2].time) {
      heap_[at] = heap_[(at - 1) / 2];
      at = (at - 1) / 2;
    }
    heap_[at] = head;
  }
  Head take() {
    const Head first = heap_.front();
    const Head last = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return first;
    std::size_t at = 0;
    while (2 * at + 1 < heap_.size()) {
      std::size_t child = 2 * at + 1;
      if (child + 1 < heap_.size() && heap_[child].time > heap_[child + 1].time) ++child;
      if (last.time <= heap_[child].time) break;
      heap_[at] = heap_[child];
      at = child;
    }
    heap_[at] = last;
    return first;
  }
  [[nodiscard]] bool has_next() const { return !heap_.empty() && heap_.front().time != end_of_list; }

private:
  std::vector<Head> heap_;
};

void erase_value(std::vector<Slot>& list, Slot value) {
  const auto at = std::find(list.begin(), list.end(), value);
  if (at != list.end()) list.erase(at);
}

}  // namespace

// -- what changed since the last update --------------------------------------------

void FairQueues::mark_all_changed() { is_all_demand_new_ = are_all_shares_new_ = true; }

void FairQueues::mark_demand(Slot slot) {
  for (; slot != no_slot && !at(slot).has_new_demand; slot = at(slot).parent) {
    at(slot).has_new_demand = true;
    new_demands_.push_back(slot);
  }
}

void FairQueues::mark_shares(Slot slot) {
  if (std::exchange(at(slot).has_new_shares, true)) return;
  new_shares_.push(slot);
}

void FairQueues::count_running(Slot leaf, std::int32_t by) {
  mark_demand(leaf);
  mark_shares(leaf);
  for (Slot each = leaf; each != no_slot; each = at(each).parent) {
    const bool was_active = at(each).running > 0;
    at(each).running += by;
    // Queues without a running application get no share.
    if (was_active != (at(each).running > 0) && at(each).parent != no_slot) mark_shares(at(each).parent);
  }
}

// -- demands and shares --------------------------------------------------------------

void FairQueues::update_demands(const ResourceLedger& ledger, bool is_size_based) {
  ++demand_round_;
  // A child has a higher slot than its parent.
  if (std::exchange(is_all_demand_new_, false)) {
    for (std::size_t i = queues_.size(); i-- > 0;) update_demand(static_cast<Slot>(i), ledger, is_size_based);
  } else {
    std::sort(new_demands_.begin(), new_demands_.end(), std::greater<>{});
    for (const Slot each : new_demands_) update_demand(each, ledger, is_size_based);
  }
  new_demands_.clear();
}

void FairQueues::update_demand(Slot slot, const ResourceLedger& ledger, bool is_size_based) {
  FairQueue& queue = at(slot);
  queue.has_new_demand = false;
  queue.demand = Resource{};
  queue.sizes = AskSizes{};
  const auto add = [&](Slot child) {
    FairApplication& each = application(child);
    each.demand = ledger.application(child).usage + ledger.application(child).asks.pending();
    if (is_size_based) {
      const auto weight = static_cast<float>(std::log1p(static_cast<double>(each.demand.memory_mib)) / std::log(2.0));
      if (std::exchange(each.weight, weight) != weight) mark_shares(slot);
    }
    queue.demand += each.demand;
    if (each.is_asking) queue.sizes.widen(each.sizes);
  };
  if (queue.is_leaf) {
    for (const Slot each : queue.children) add(each);
    for (const Slot each : queue.waiting) add(each);
  } else {
    for (const Slot child : queue.children) {
      queue.demand += at(child).demand;
      queue.sizes.widen(at(child).sizes);
    }
  }
  queue.demand = smaller_of_each(queue.demand, maximum_of(queue));
}

void FairQueues::share_between_queues(Slot slot, ShareKind kind) {
  FairQueue& queue = at(slot);
  const bool is_steady = kind == ShareKind::steady;
  Resource FairQueue::*const wanted = is_steady ? &FairQueue::steady_share : &FairQueue::fair_share;
  const auto share = [&](std::int64_t Resource::*type, FairShareGroup& group) {
    group.resize(queue.children.size());
    for (std::size_t i = 0; i < queue.children.size(); ++i) {
      const FairQueue& child = at(queue.children[i]);
      group.set(i, {child.weight, child.minimum.*type, maximum_of(child).*type, true, child.running > 0});
    }
    const std::vector<std::int64_t>& shares = group.shares((queue.*wanted).*type);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const bool is_new = std::exchange((at(queue.children[i]).*wanted).*type, shares[i]) != shares[i];
      if (is_new && !is_steady) mark_shares(queue.children[i]);
    }
  };
  share(&Resource::memory_mib, is_steady ? queue.steady_memory : queue.memory);
  if (queue.policy == FairPolicy::dominant_resource)
    share(&Resource::cores, is_steady ? queue.steady_cores : queue.cores);
}

void FairQueues::share_between_applications(Slot leaf) {
  const FairQueue& queue = at(leaf);
  if (queue.policy == FairPolicy::fifo) {
    Slot earliest = no_slot;
    for (const Slot each : queue.children)
      if (earliest == no_slot || application(each).start_ms < application(earliest).start_ms) earliest = each;
    if (earliest != no_slot) application(earliest).fair_share = queue.fair_share;
    return;
  }
  std::vector<ShareInput> inputs;
  std::vector<std::int64_t> shares;
  const auto share = [&](std::int64_t Resource::*type, std::int64_t unbounded) {
    inputs.clear();
    for (const Slot each : queue.children) inputs.push_back({application(each).weight, 0, unbounded, false, true});
    compute_fair_shares(inputs, queue.fair_share.*type, ShareKind::instantaneous, shares);
    for (std::size_t i = 0; i < shares.size(); ++i) application(queue.children[i]).fair_share.*type = shares[i];
  };
  share(&Resource::memory_mib, unbounded_memory);
  if (queue.policy == FairPolicy::dominant_resource) share(&Resource::cores, unbounded_cores);
}

void FairQueues::update_shares() {
  at(root).fair_share = cluster_;
  if (std::exchange(are_all_shares_new_, false)) {
    for (std::size_t i = 0; i < queues_.size(); ++i) share_below(static_cast<Slot>(i));
    new_shares_ = {};
    return;
  }
  while (!new_shares_.empty()) {
    const Slot next = new_shares_.top();
    new_shares_.pop();
    share_below(next);
  }
}

void FairQueues::share_below(Slot slot) {
  at(slot).has_new_shares = false;
  if (at(slot).is_leaf) share_between_applications(slot);
  else share_between_queues(slot, ShareKind::instantaneous);
}

void FairQueues::update_steady_shares() {
  at(root).steady_share = cluster_;
  for (std::size_t i = 0; i < queues_.size(); ++i)
    if (!queues_[i].is_leaf) share_between_queues(static_cast<Slot>(i), ShareKind::steady);
}

// -- running applications --------------------------------------------------------

FairQueues::UserApplications& FairQueues::user(std::int32_t id) {
  if (users_.size() <= static_cast<std::size_t>(id)) users_.resize(static_cast<std::size_t>(id) + 1);
  return users_[static_cast<std::size_t>(id)];
}

std::int32_t FairQueues::running_max_of(std::int32_t id, const ResourceLedger& ledger) const {
  const auto found = file_.running_applications_max_of_user.find(ledger.users().name(id));
  return found == file_.running_applications_max_of_user.end() ? file_.running_applications_max_of_users
                                                               : found->second;
}

bool FairQueues::may_run(Slot leaf, std::int32_t id, const ResourceLedger& ledger) const {
  return running_limit_of(leaf, id, ledger).empty();
}

std::string FairQueues::running_limit_of(Slot leaf, std::int32_t id, const ResourceLedger& ledger) const {
  const std::int32_t running =
      static_cast<std::size_t>(id) < users_.size() ? users_[static_cast<std::size_t>(id)].running : 0;
  if (running >= running_max_of(id, ledger)) return ledger.users().name(id);
  for (Slot each = leaf; each != no_slot; each = at(each).parent)
    if (at(each).running >= at(each).running_max) return at(each).name;
  return {};
}

void FairQueues::start_running(Slot leaf, Slot slot, std::int32_t id) {
  application(slot).is_runnable = true;
  application(slot).has_queue = true;
  at(leaf).children.push_back(slot);
  at(leaf).is_order_stale = true;
  count_running(leaf, 1);
  ++user(id).running;
}

void FairQueues::wait(Slot leaf, Slot slot, std::int32_t id) {
  application(slot).has_queue = true;
  mark_demand(leaf);
  at(leaf).waiting.push_back(slot);
  user(id).waiting.push_back(slot);
}

void FairQueues::gather_waiting(Slot slot, std::vector<std::vector<Slot>>& lists) const {
  const FairQueue& queue = at(slot);
  if (queue.running >= queue.running_max) return;
  if (queue.is_leaf) lists.push_back(queue.waiting);
  else
    for (const Slot child : queue.children) gather_waiting(child, lists);
}

std::vector<Slot> FairQueues::retry_waiting(const ResourceLedger& ledger) {
  std::vector<std::vector<Slot>> lists;
  std::size_t waiting = 0;
  for (const FairQueue& queue : queues_) {
    if (queue.waiting.empty()) continue;
    lists.push_back(queue.waiting);
    waiting += queue.waiting.size();
  }
  return promote(lists, waiting, ledger);
}

std::vector<Slot> FairQueues::promote(const std::vector<std::vector<Slot>>& lists, std::size_t count_max,
                                      const ResourceLedger& ledger) {
  std::vector<std::size_t> next(lists.size(), 0);
  StartTimeMerge merge;
  const auto head = [&](std::size_t list) {
    return StartTimeMerge::Head{
        list, next[list] < lists[list].size() ? application(lists[list][next[list]]).start_ms : end_of_list};
  };
  for (std::size_t i = 0; i < lists.size(); ++i) merge.add(head(i));
  std::vector<Slot> promoted;
  while (merge.has_next() && promoted.size() < count_max) {
    const std::size_t list = merge.take().list;
    const Slot slot = lists[list][next[list]++];
    merge.add(head(list));
    const std::int32_t owner = ledger.application(slot).user;
    if (application(slot).is_runnable || !may_run(application(slot).queue, owner, ledger)) continue;
    start_running(application(slot).queue, slot, owner);
    promoted.push_back(slot);
  }
  for (const Slot slot : promoted) {
    erase_value(at(application(slot).queue).waiting, slot);
    erase_value(user(ledger.application(slot).user).waiting, slot);
  }
  return promoted;
}

std::vector<Slot> FairQueues::remove_application(Slot slot, std::int32_t id, const ResourceLedger& ledger) {
  if (!application(slot).has_queue) return {};
  const bool was_running = application(slot).is_runnable;
  take_out(slot, id);
  return was_running ? promote_after_removal(application(slot).queue, id, ledger) : std::vector<Slot>{};
}

void FairQueues::take_out(Slot slot, std::int32_t id) {
  FairApplication& gone = application(slot);
  const Slot leaf = gone.queue;
  gone.has_queue = false;
  mark_demand(leaf);
  if (!gone.is_runnable) {
    erase_value(at(leaf).waiting, slot);
    erase_value(user(id).waiting, slot);
    return;
  }
  gone.is_runnable = false;
  erase_value(at(leaf).children, slot);
  at(leaf).is_order_stale = true;
  at(leaf).master_usage -= gone.master_size;
  for (const auto& [kind, amount] : gone.master_extras) at(leaf).master_extras.change(kind, -amount);
  --user(id).running;
  count_running(leaf, -1);
}

std::vector<Slot> FairQueues::promote_after_removal(Slot leaf, std::int32_t id, const ResourceLedger& ledger) {
  Slot highest = no_slot;
  for (Slot each = leaf; each != no_slot; each = at(each).parent)
    if (at(each).running == at(each).running_max - 1) highest = each;
  std::vector<std::vector<Slot>> lists;
  if (highest != no_slot) gather_waiting(highest, lists);
  if (user(id).running == running_max_of(id, ledger) - 1) lists.push_back(user(id).waiting);
  return promote(lists, lists.size(), ledger);
}

std::vector<Slot> FairQueues::move_application(Slot slot, Slot leaf, std::int32_t id, const ResourceLedger& ledger) {
  FairApplication& moving = application(slot);
  const bool was_running = moving.is_runnable;
  const Slot former = moving.queue;
  take_out(slot, id);
  moving.queue = leaf;
  const bool runs = may_run(leaf, id, ledger);
  if (runs) start_running(leaf, slot, id);
  else wait(leaf, slot, id);
  if (runs) at(leaf).master_usage += moving.master_size;
  if (runs)
    for (const auto& [kind, amount] : moving.master_extras) at(leaf).master_extras.change(kind, amount);
  if (was_running) return promote_after_removal(former, id, ledger);
  return runs ? std::vector<Slot>{slot} : std::vector<Slot>{};
}

FairQueues::MoveObstacle FairQueues::move_obstacle(Slot from, Slot to, const Resource& usage) const {
  const auto is_above_former = [&](Slot queue) {
    for (Slot each = from; each != no_slot; each = at(each).parent)
      if (each == queue) return true;
    return false;
  };
  for (Slot each = to; !is_above_former(each); each = at(each).parent) {
    if (at(each).running >= at(each).running_max) return {each, true};
    if (!fits_in(at(each).usage + usage, maximum_of(at(each)))) return {each, false};
  }
  return {};
}

}  // namespace heddle::policies

// When an application may run, what masters and users may hold, and in which order a leaf serves its applications.
#include <algorithm>
#include <cmath>

#include "policies/cluster/capacity/capacity_scheduler.hpp"

namespace heddle::policies {

// -- masters ---------------------------------------------------------------------

Resource CapacityScheduler::masters_max(const CapacityQueue& leaf) const {
  const ResourceCalculator& calculator = queues_.calculator();
  const Resource& usable =
      calculator.fits(leaf.guaranteed, leaf.limit_of_applications) ? leaf.limit_of_applications : leaf.guaranteed;
  return calculator.multiplied_up(usable, static_cast<double>(leaf.settings.master_share_max),
                                  settings_.minimum_allocation);
}

Resource CapacityScheduler::masters_max_of_user(const CapacityQueue& leaf, float weight) const {
  const ResourceCalculator& calculator = queues_.calculator();
  float part = std::max(leaf.settings.user_limit_percent / 100.0F,
                        1.0F / static_cast<float>(std::max(leaf.users.active_count(), 1)));
  part = std::min(part * weight, 1.0F);
  const bool is_unlimited = leaf.settings.user_limit_factor == -1.0F;
  const float share = is_unlimited ? leaf.settings.master_share_max
                                   : leaf.settings.master_share_max * part * leaf.settings.user_limit_factor;
  const Resource most =
      calculator.multiplied_up(leaf.guaranteed, static_cast<double>(share), settings_.minimum_allocation);
  return calculator.smaller(queues_.cluster(), most, leaf.masters_max);
}

std::int32_t& CapacityScheduler::parallel_of_user(Slot slot) {
  const auto user = static_cast<std::size_t>(ledger_.application(slot).user);
  if (parallel_of_users_.size() <= user) parallel_of_users_.resize(user + 1);
  return parallel_of_users_[user];
}

std::string CapacityScheduler::parallel_limit_of(Slot slot) const {
  const auto user = static_cast<std::size_t>(ledger_.application(slot).user);
  const std::string& name = ledger_.users().name(ledger_.application(slot).user);
  const std::int32_t of_user = user < parallel_of_users_.size() ? parallel_of_users_[user] : 0;
  if (of_user >= config::parallel_applications_max_of(file_, name)) return name;
  for (Slot each = application(slot).queue; each != no_slot; each = queues_.at(each).parent)
    if (queues_.at(each).parallel >= queues_.at(each).settings.parallel_applications_max) return queues_.at(each).name;
  return {};
}

void CapacityScheduler::admit(Slot slot) {
  CapacityApplication& next = application(slot);
  CapacityQueue& leaf = queues_.at(next.queue);
  const bool was_held = next.is_held;
  next.is_held = !parallel_limit_of(slot).empty();
  held_ += (next.is_held ? 1 : 0) - (was_held ? 1 : 0);
  if (next.is_held) {
    if (!was_held) leaf.held.push_back(slot);
    return;
  }
  if (was_held) std::erase(leaf.held, slot);
  for (Slot each = next.queue; each != no_slot; each = queues_.at(each).parent) ++queues_.at(each).parallel;
  ++parallel_of_user(slot);
  leaf.waiting.insert(std::lower_bound(leaf.waiting.begin(), leaf.waiting.end(), slot,
                                       [&](Slot a, Slot b) { return is_started_before(a, b); }),
                      slot);
}

void CapacityScheduler::dismiss(Slot slot) {
  CapacityApplication& gone = application(slot);
  if (gone.is_held) {
    gone.is_held = false;
    --held_;
    std::erase(queues_.at(gone.queue).held, slot);
    return;
  }
  for (Slot each = gone.queue; each != no_slot; each = queues_.at(each).parent) --queues_.at(each).parallel;
  --parallel_of_user(slot);
}

/// Those that came first are tried first, over all leaves.
void CapacityScheduler::admit_held(ResourceEffects& effects) {
  if (held_ == 0) return;
  std::vector<Slot> held;
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    const CapacityQueue& leaf = queues_.at(static_cast<Slot>(i));
    held.insert(held.end(), leaf.held.begin(), leaf.held.end());
  }
  std::sort(held.begin(), held.end(),
            [&](Slot a, Slot b) { return ledger_.application(a).arrival < ledger_.application(b).arrival; });
  for (const Slot each : held) {
    admit(each);
    if (!application(each).is_held) start_applications(application(each).queue, effects);
  }
}

void CapacityScheduler::start_applications(Slot slot, ResourceEffects& effects) {
  CapacityQueue& leaf = queues_.at(slot);
  const ResourceCalculator& calculator = queues_.calculator();
  leaf.masters_max = masters_max(leaf);
  std::optional<Resource> of_user;  // of the first that comes so far, and used for all
  for (std::size_t i = 0; i < leaf.waiting.size();) {
    const Slot each = leaf.waiting[i];
    const CapacityApplication& next = application(each);
    const auto is_first = [&] {
      return leaf.running.empty() || calculator.compare(queues_.cluster(), leaf.masters_used, Resource{}) <= 0;
    };
    const bool fits_queue = calculator.fits(next.master_size + leaf.masters_used, leaf.masters_max) || is_first();
    if (fits_queue && !of_user) of_user = masters_max_of_user(leaf, leaf.users.at(next.user).weight);
    const bool fits_user =
        fits_queue &&
        (calculator.fits(next.master_size + leaf.users.at(next.user).masters_used, *of_user) || is_first());
    if (!fits_user) {
      ++i;
      continue;
    }
    leaf.waiting.erase(leaf.waiting.begin() + static_cast<std::ptrdiff_t>(i));
    start(leaf, each);
    effects.emplace_back(ApplicationMayRun{ledger_.application(each).id});
  }
}

void CapacityScheduler::start(CapacityQueue& leaf, Slot slot) {
  CapacityApplication& started = application(slot);
  leaf.users.change_applications(started.user, -1, 1);
  started.is_waiting = false;
  started.is_running = true;
  leaf.masters_used += started.master_size;
  leaf.users.at(started.user).masters_used += started.master_size;
  insert_served(leaf, leaf.running, slot);
  if (!started.was_visited) leaf.unvisited.push_back(slot);
  count_pending(slot);
}

// -- users -------------------------------------------------------------------------

UserLimitInput CapacityScheduler::limit_input(const CapacityQueue& leaf) const {
  return {queues_.cluster(),
          leaf.guaranteed,
          leaf.maximum,
          settings_.minimum_allocation,
          leaf.settings.user_limit_percent,
          leaf.settings.user_limit_factor};
}

Resource CapacityScheduler::user_limit(Slot slot) {
  CapacityQueue& leaf = queues_.at(application(slot).queue);
  return leaf.users.limit_of(application(slot).user, queues_.calculator(), limit_input(leaf));
}

Resource CapacityScheduler::headroom_of(Slot slot) {
  const CapacityApplication& asking = application(slot);
  if (!asking.was_visited) return Resource{};
  const CapacityQueue& leaf = queues_.at(asking.queue);
  const ResourceCalculator& calculator = queues_.calculator();
  const Resource of_user = larger_of_each(user_limit(slot) - leaf.users.at(asking.user).used, Resource{});
  const Resource of_queue = larger_of_each(leaf.limit_of_applications - leaf.used, Resource{});
  const Resource room = calculator.rounded_down(smaller_of_each(of_user, of_queue), settings_.minimum_allocation);
  const Resource unused = leaf.cluster_of_applications - queues_.at(CapacityQueues::root).used;
  Resource headroom = calculator.smaller(queues_.cluster(), unused, room);
  headroom.memory_mib = std::max<std::int64_t>(headroom.memory_mib, 0);
  return headroom;
}

// -- order -------------------------------------------------------------------------

bool CapacityScheduler::is_started_before(Slot a, Slot b) const {
  const LedgerApplication& first = ledger_.application(a);
  const LedgerApplication& second = ledger_.application(b);
  if (first.priority != second.priority) return first.priority > second.priority;
  return first.id < second.id;
}

/// Memory held; with size-based weight divided by the binary logarithm of the demand.
double CapacityScheduler::magnitude(const CapacityQueue& leaf, const CapacityApplication& application) const {
  const auto usage = static_cast<double>(application.order_usage.memory_mib);
  if (!leaf.settings.has_size_based_weight) return usage;
  const auto demand = static_cast<double>((application.order_usage + application.order_pending).memory_mib);
  return usage / (std::log1p(demand) / std::log(2.0));
}

bool CapacityScheduler::is_served_before(const CapacityQueue& leaf, Slot a, Slot b) const {
  if (leaf.settings.order == config::ApplicationOrder::fifo) return is_started_before(a, b);
  const double first = magnitude(leaf, application(a));
  const double second = magnitude(leaf, application(b));
  if (first < second || first > second) return first < second;
  return application(a).start < application(b).start;
}

void CapacityScheduler::insert_served(CapacityQueue& leaf, std::vector<Slot>& list, Slot slot) const {
  list.insert(
      std::lower_bound(list.begin(), list.end(), slot, [&](Slot a, Slot b) { return is_served_before(leaf, a, b); }),
      slot);
}

void CapacityScheduler::erase_served(CapacityQueue& leaf, std::vector<Slot>& list, Slot slot) const {
  const auto at =
      std::lower_bound(list.begin(), list.end(), slot, [&](Slot a, Slot b) { return is_served_before(leaf, a, b); });
  if (at != list.end() && *at == slot) list.erase(at);
}

void CapacityScheduler::note_moved(Slot slot) {
  CapacityApplication& moved = application(slot);
  CapacityQueue& leaf = queues_.at(moved.queue);
  if (leaf.settings.order == config::ApplicationOrder::fifo || moved.has_moved || !moved.is_running) return;
  moved.has_moved = true;
  leaf.moved.push_back(slot);
}

void CapacityScheduler::move_in_order(CapacityQueue& leaf) {
  for (const Slot slot : leaf.moved) {
    CapacityApplication& moved = application(slot);
    erase_served(leaf, leaf.running, slot);
    if (moved.is_listed) erase_served(leaf, leaf.asking, slot);
    moved.has_moved = false;
    moved.order_usage = ledger_.application(slot).usage;
    moved.order_pending = ledger_.application(slot).asks.pending();
    insert_served(leaf, leaf.running, slot);
    if (moved.is_listed) insert_served(leaf, leaf.asking, slot);
  }
  leaf.moved.clear();
}

}  // namespace heddle::policies

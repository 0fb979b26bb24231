// States of an application: held, waiting for its master's resources, running.
#include "policies/cluster/capacity/capacity_admission.hpp"

#include <algorithm>
#include <optional>

#include "policies/cluster/capacity/capacity_order.hpp"

namespace heddle::policies {
namespace {

MemoryAndCores masters_max(const CapacityBooks& books, const CapacityQueue& leaf) {
  const ResourceCalculator& calculator = books.queues.calculator();
  const MemoryAndCores& usable = calculator.fits(leaf.guaranteed, leaf.visit.limit_of_applications)
                                     ? leaf.visit.limit_of_applications
                                     : leaf.guaranteed;
  return calculator.multiplied_up(usable, static_cast<double>(leaf.settings.master_share_max),
                                  books.settings.minimum_allocation);
}

MemoryAndCores masters_max_of_user(const CapacityBooks& books, const CapacityQueue& leaf, float weight) {
  const ResourceCalculator& calculator = books.queues.calculator();
  float part = std::max(leaf.settings.user_limit_percent / 100.0F,
                        1.0F / static_cast<float>(std::max(leaf.users.active_count(), 1)));
  part = std::min(part * weight, 1.0F);
  const bool is_unlimited = leaf.settings.user_limit_factor == -1.0F;
  const float share = is_unlimited ? leaf.settings.master_share_max
                                   : leaf.settings.master_share_max * part * leaf.settings.user_limit_factor;
  const MemoryAndCores most =
      calculator.multiplied_up(leaf.guaranteed, static_cast<double>(share), books.settings.minimum_allocation);
  return calculator.smaller(books.queues.cluster(), most, leaf.masters.max);
}

void start(CapacityBooks& books, CapacityQueue& leaf, RowIndex row) {
  CapacityApplication& started = books.application(row);
  leaf.users.change_applications(started.user, -1, 1);
  started.is_waiting = false;
  started.is_running = true;
  leaf.masters.used += started.master_size;
  leaf.users.at(started.user).masters_used += started.master_size;
  insert_served(books, leaf, leaf.lists.running, row);
  if (!started.was_visited) leaf.lists.unvisited.push_back(row);
  books.count_pending(row);
}

}  // namespace

void start_applications(CapacityBooks& books, RowIndex row, ResourceEffects& effects) {
  CapacityQueue& leaf = books.queues.at(row);
  const ResourceCalculator& calculator = books.queues.calculator();
  leaf.masters.max = masters_max(books, leaf);
  std::optional<MemoryAndCores> of_user;  // of the first that comes so far, and used for all
  for (std::size_t i = 0; i < leaf.lists.waiting.size();) {
    const RowIndex each = leaf.lists.waiting[i];
    const CapacityApplication& next = books.application(each);
    const auto is_first = [&] {
      return leaf.lists.running.empty() ||
             calculator.compare(books.queues.cluster(), leaf.masters.used, MemoryAndCores{}) <= 0;
    };
    const bool fits_queue = calculator.fits(next.master_size + leaf.masters.used, leaf.masters.max) || is_first();
    if (fits_queue && !of_user) of_user = masters_max_of_user(books, leaf, leaf.users.at(next.user).weight);
    const bool fits_user =
        fits_queue &&
        (calculator.fits(next.master_size + leaf.users.at(next.user).masters_used, *of_user) || is_first());
    if (!fits_user) {
      ++i;
      continue;
    }
    leaf.lists.waiting.erase(leaf.lists.waiting.begin() + static_cast<std::ptrdiff_t>(i));
    start(books, leaf, each);
    effects.emplace_back(ApplicationMayRun{books.ledger.application(each).id});
  }
}

std::int32_t& CapacityAdmission::parallel_of_user(std::int32_t id) {
  const auto user = static_cast<std::size_t>(id);
  if (parallel_of_users_.size() <= user) parallel_of_users_.resize(user + 1);
  return parallel_of_users_[user];
}

std::string CapacityAdmission::parallel_limit_of(const CapacityBooks& books, RowIndex row) const {
  const auto user = static_cast<std::size_t>(books.ledger.application(row).user);
  const std::string& name = books.ledger.users().name(books.ledger.application(row).user);
  const std::int32_t of_user = user < parallel_of_users_.size() ? parallel_of_users_[user] : 0;
  if (of_user >= config::parallel_applications_max_of(books.file, name)) return name;
  for (RowIndex each = books.application(row).queue; each != no_row; each = books.queues.at(each).parent)
    if (books.queues.at(each).counts.parallel >= books.queues.at(each).settings.parallel_applications_max)
      return books.queues.at(each).name;
  return {};
}

void CapacityAdmission::admit(CapacityBooks& books, RowIndex row) {
  CapacityApplication& next = books.application(row);
  CapacityQueue& leaf = books.queues.at(next.queue);
  const bool was_held = next.is_held;
  next.is_held = !parallel_limit_of(books, row).empty();
  held_ += (next.is_held ? 1 : 0) - (was_held ? 1 : 0);
  if (next.is_held) {
    if (!was_held) leaf.lists.held.push_back(row);
    return;
  }
  if (was_held) std::erase(leaf.lists.held, row);
  for (RowIndex each = next.queue; each != no_row; each = books.queues.at(each).parent)
    ++books.queues.at(each).counts.parallel;
  ++parallel_of_user(books.ledger.application(row).user);
  leaf.lists.waiting.insert(std::lower_bound(leaf.lists.waiting.begin(), leaf.lists.waiting.end(), row,
                                             [&](RowIndex a, RowIndex b) { return is_started_before(books, a, b); }),
                            row);
}

void CapacityAdmission::dismiss(CapacityBooks& books, RowIndex row) {
  CapacityApplication& gone = books.application(row);
  if (gone.is_held) {
    gone.is_held = false;
    --held_;
    std::erase(books.queues.at(gone.queue).lists.held, row);
    return;
  }
  for (RowIndex each = gone.queue; each != no_row; each = books.queues.at(each).parent)
    --books.queues.at(each).counts.parallel;
  --parallel_of_user(books.ledger.application(row).user);
}

/// Retried by arrival over all leaves.
void CapacityAdmission::admit_held(CapacityBooks& books, ResourceEffects& effects) {
  if (held_ == 0) return;
  std::vector<RowIndex> held;
  for (std::size_t i = 0; i < books.queues.size(); ++i) {
    const CapacityQueue& leaf = books.queues.at(static_cast<RowIndex>(i));
    held.insert(held.end(), leaf.lists.held.begin(), leaf.lists.held.end());
  }
  std::sort(held.begin(), held.end(), [&](RowIndex a, RowIndex b) {
    return books.ledger.application(a).arrival < books.ledger.application(b).arrival;
  });
  for (const RowIndex each : held) {
    admit(books, each);
    if (!books.application(each).is_held) start_applications(books, books.application(each).queue, effects);
  }
}

}  // namespace heddle::policies

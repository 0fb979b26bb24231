// Preemption between queues, carried out: every interval containers are chosen anew, unless nothing changed and none is
// chosen; one that is chosen all through the wait is ended. Order: leaves as in the file; in a leaf the applications
// that are served last, their newest containers first, masters after all others.
#include <algorithm>

#include "policies/cluster/capacity/capacity_scheduler.hpp"

namespace heddle::policies {

void CapacityScheduler::on_time(Instant now, ResourceEffects& effects) {
  if (!preemption_grid_.is_due(now)) return;
  preempt(now, effects);
  // Chosen containers end by time alone; an end changes what the next check sees.
  preemption_grid_.on_computed(now, !chosen_.empty() || !effects.empty());
}

std::vector<PreemptionQueue> CapacityScheduler::preemption_queues() const {
  std::vector<PreemptionQueue> result;
  result.reserve(queues_.size());
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    const CapacityQueue& queue = queues_.at(static_cast<Slot>(i));
    result.push_back({queue.parent, queue.is_leaf, queue.settings.is_preemptable, queue.guaranteed, queue.maximum,
                      queue.used, queue.pending});
  }
  return result;
}

void CapacityScheduler::choose_in(const CapacityQueue& leaf, Resource to_preempt, std::vector<Slot>& victims) const {
  const auto is_enough = [&] {
    return to_preempt.memory_mib <= 0 &&
           (queues_.calculator().kind() == CalculatorKind::memory_only || to_preempt.cores <= 0);
  };
  for (const bool takes_masters : {false, true})
    for (auto each = leaf.running.rbegin(); each != leaf.running.rend(); ++each) {
      std::vector<Slot> containers = ledger_.application(*each).live;
      std::sort(containers.begin(), containers.end(),
                [&](Slot a, Slot b) { return ledger_.container(a).number > ledger_.container(b).number; });
      for (const Slot container : containers) {
        if (is_enough()) return;
        if (ledger_.container(container).is_master != takes_masters) continue;
        victims.push_back(container);
        to_preempt -= ledger_.container(container).resource;
      }
    }
}

void CapacityScheduler::preempt(Instant now, ResourceEffects& effects) {
  const std::vector<PreemptionShare> shares =
      compute_preemption(preemption_queues(), queues_.cluster(), settings_.preemption);
  std::vector<Slot> victims;
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (shares[i].to_preempt != Resource{}) choose_in(queues_.at(static_cast<Slot>(i)), shares[i].to_preempt, victims);
  std::vector<Chosen> kept;
  for (const Slot victim : victims) {
    const LedgerContainer& container = ledger_.container(victim);
    const auto known = std::find_if(chosen_.begin(), chosen_.end(),
                                    [&](const Chosen& chosen) { return chosen.container == container.id; });
    if (known != chosen_.end()) {
      kept.push_back(*known);
      continue;
    }
    kept.push_back({container.id, now + settings_.preemption.wait_before_kill});
    effects.emplace_back(ContainerChosen{container.id,
                                         ledger_.application(container.application).attempt.value_or(AttemptId{}),
                                         ledger_.node(container.node).id, kept.back().kill_at});
  }
  chosen_ = std::move(kept);
  for (const Chosen& chosen : chosen_) {
    const Slot slot = ledger_.find_container(chosen.container);
    if (chosen.kill_at <= now && slot != no_slot && ledger_.container(slot).is_live)
      end(slot, exit_status::preempted, false, effects);
  }
  std::erase_if(chosen_, [&](const Chosen& chosen) { return chosen.kill_at <= now; });
}

}  // namespace heddle::policies

// A container that is chosen again keeps the time of its first choice.
#include "policies/cluster/capacity/capacity_reclaim.hpp"

#include <algorithm>

namespace heddle::policies {
namespace {

std::vector<PreemptionQueue> preemption_queues(const CapacityBooks& books) {
  std::vector<PreemptionQueue> result;
  result.reserve(books.queues.size());
  for (std::size_t i = 0; i < books.queues.size(); ++i) {
    const CapacityQueue& queue = books.queues.at(static_cast<RowIndex>(i));
    result.push_back({queue.parent, queue.is_leaf, queue.settings.is_preemptable, queue.guaranteed, queue.maximum,
                      queue.used, queue.pending});
  }
  return result;
}

void choose_in(const CapacityBooks& books, const CapacityQueue& leaf, MemoryAndCores to_preempt,
               std::vector<RowIndex>& victims) {
  const auto is_enough = [&] {
    return to_preempt.memory_mib <= 0 &&
           (books.queues.calculator().kind() == CalculatorKind::memory_only || to_preempt.cores <= 0);
  };
  for (const bool takes_masters : {false, true})
    for (auto each = leaf.lists.running.rbegin(); each != leaf.lists.running.rend(); ++each) {
      std::vector<RowIndex> containers = books.ledger.application(*each).live.slots();
      std::sort(containers.begin(), containers.end(), [&](RowIndex a, RowIndex b) {
        return books.ledger.container(a).number > books.ledger.container(b).number;
      });
      for (const RowIndex container : containers) {
        if (is_enough()) return;
        if (books.ledger.container(container).is_master != takes_masters) continue;
        victims.push_back(container);
        to_preempt -= books.ledger.container(container).resource;
      }
    }
}

}  // namespace

void CapacityReclaim::preempt(CapacityBooks& books, Instant now, ResourceEffects& effects) {
  const std::vector<PreemptionShare> shares =
      compute_preemption(preemption_queues(books), books.queues.cluster(), books.settings.preemption);
  std::vector<RowIndex> victims;
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (shares[i].to_preempt != MemoryAndCores{})
      choose_in(books, books.queues.at(static_cast<RowIndex>(i)), shares[i].to_preempt, victims);
  std::vector<Chosen> kept;
  for (const RowIndex victim : victims) {
    const LedgerContainer& container = books.ledger.container(victim);
    const auto known = std::find_if(chosen_.begin(), chosen_.end(),
                                    [&](const Chosen& chosen) { return chosen.container == container.id; });
    if (known != chosen_.end()) {
      kept.push_back(*known);
      continue;
    }
    kept.push_back({container.id, now + books.settings.preemption.wait_before_kill});
    effects.emplace_back(ContainerChosen{container.id,
                                         books.ledger.application(container.application).attempt.value_or(AttemptId{}),
                                         books.ledger.node(container.node).id, kept.back().kill_at});
  }
  chosen_ = std::move(kept);
  for (const Chosen& chosen : chosen_) {
    const RowIndex row = books.ledger.find_container(chosen.container);
    if (chosen.kill_at <= now && row != no_row && books.ledger.container(row).is_live)
      books.end(row, container_exit_status::preempted, false, effects);
  }
  std::erase_if(chosen_, [&](const Chosen& chosen) { return chosen.kill_at <= now; });
}

}  // namespace heddle::policies

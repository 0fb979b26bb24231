#include "actors/map_reduce_master/master_state.hpp"

#include "model/assert.hpp"

namespace heddle::actors {

std::optional<Instant> MasterState::next_due() {
  if (loop.is_over()) return std::nullopt;
  std::optional<Instant> due = ask_due;
  const auto add = [&due](const std::optional<Instant>& other) {
    if (other && (!due || *other < *due)) due = other;
  };
  add(progress_due);
  add(watches.life.next_due());
  add(watches.unreported.next_due());
  add(watches.exit.next_due());
  if (has_machines()) add(job->machines->job().next_due());
  if (has_machines() && speculation.speculator) add(speculation.speculator->next_due());
  return due;
}

void MasterState::check_invariants() const {
  grants.check_invariants();
  if (allocator) allocator->check_invariants();
  if (speculation.speculator) speculation.speculator->check_invariants();
  if (job && job->machines) job->machines->check_invariants();
  for (const auto& [attempt, counters] : history.reported) {
    const auto* machine = job->machines->find(attempt);
    HEDDLE_ASSERT(machine != nullptr && machine->state() < policies::MapReduceAttemptState::succeeded,
                  "counters are kept of an attempt that has ended");
  }
}

}  // namespace heddle::actors

// Instants at which a round over all executors can launch tasks that earlier rounds refused: a locality level of a set
// opens, or a round over some executors changed what other executors may take. Order: by instant. Cost: logarithmic in
// the sets that wait for a level; next_due is constant. Each deadline is returned once, so a set that no round reaches
// does not cause endless rounds.
#pragma once

#include <cstdint>
#include <optional>

#include "model/due_heap.hpp"
#include "model/time.hpp"

namespace heddle::policies {

class OfferDeadlines {
public:
  using Slot = std::uint32_t;  // slot of a task set in the scheduler's table

  /// A round over all executors is due now.
  void set_now(Slot slot, Instant now) { dues_.set(slot, now); }
  /// After a round over some executors: sets the deadline unless the current one has passed.
  void postpone(Slot slot, Instant opens, Instant now) {
    const auto row = dues_.due_of(slot);
    if (!row || *row > now) dues_.set(slot, opens);
  }
  /// After a round over all executors: sets the instant at which the next level opens, or removes the deadline.
  void replace(Slot slot, std::optional<Instant> opens) {
    if (opens) dues_.set(slot, *opens);
    else if (dues_.size() > 0) dues_.remove(slot);
  }
  void remove(Slot slot) {
    if (dues_.size() > 0) dues_.remove(slot);
  }
  [[nodiscard]] std::optional<Instant> next_due() { return dues_.next_due(); }
  /// Removes all deadlines that have passed. True if there was one.
  [[nodiscard]] bool take_due(Instant now) {
    bool is_due = false;
    while (dues_.take_due(now)) is_due = true;
    return is_due;
  }

private:
  DueHeap<Slot> dues_;
};

}  // namespace heddle::policies

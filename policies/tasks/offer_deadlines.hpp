// When a round over all executors can launch what earlier rounds refused: a locality level of a set opens, or a round
// over some executors has changed what the others may take. Order: by instant. Cost: logarithmic in the sets that wait
// for a level; next_due is constant. A deadline that has come is handed out once, so that a set that such a round does
// not reach is not asked for again and again.
#pragma once

#include <cstdint>
#include <optional>

#include "model/due_heap.hpp"
#include "model/time.hpp"

namespace heddle::policies {

class OfferDeadlines {
public:
  using Slot = std::uint32_t;  // of a task set

  /// Offer all executors now.
  void set_now(Slot slot, Instant now) { dues_.set(slot, now); }
  /// After a round over some executors: a deadline that has come stays.
  void put_off(Slot slot, Instant opens, Instant now) {
    const auto row = dues_.due_of(slot);
    if (!row || *row > now) dues_.set(slot, opens);
  }
  /// After a round over all executors: when the next level of the set opens, if one does.
  void replace(Slot slot, std::optional<Instant> opens) {
    if (opens) dues_.set(slot, *opens);
    else if (dues_.size() > 0) dues_.remove(slot);
  }
  void remove(Slot slot) {
    if (dues_.size() > 0) dues_.remove(slot);
  }
  [[nodiscard]] std::optional<Instant> next_due() { return dues_.next_due(); }
  /// True if some deadline has come; it is forgotten.
  [[nodiscard]] bool take_due(Instant now) {
    bool is_due = false;
    while (dues_.take_due(now)) is_due = true;
    return is_due;
  }

private:
  DueHeap<Slot> dues_;
};

}  // namespace heddle::policies

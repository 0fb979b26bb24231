// Slots are used again last in, first out, so that their records are still in the cache.
#include "policies/cluster/container_table.hpp"

namespace heddle::policies {

/// As take_slot; the slot that the next container will have is fetched meanwhile.
Slot ContainerTable::take() {
  static constexpr LedgerContainer blank;
  if (free_.empty()) {
    containers_.push_back(blank);
    return static_cast<Slot>(containers_.size() - 1);
  }
  const Slot slot = free_.back();
  free_.pop_back();
  fetch_ahead_next();
  at(slot) = blank;
  return slot;
}

Slot ContainerTable::create() {
  const Slot slot = take();
  slots_.insert(next_, slot);
  at(slot).id = ContainerId{(epoch_ << 40) | next_++};
  return slot;
}

void ContainerTable::erase(Slot slot) {
  slots_.erase(number_of(at(slot).id));
  free_.push_back(slot);
}

}  // namespace heddle::policies

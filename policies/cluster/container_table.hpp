// The containers of a cluster: their records, their ids and which slots are free. It knows no node and no application.
// Cost: constant per container.
#pragma once

#include <cstdint>
#include <vector>

#include "model/ids.hpp"
#include "model/resources.hpp"
#include "policies/cluster/extra_books.hpp"
#include "policies/cluster/resource_events.hpp"
#include "policies/cluster/slot.hpp"
#include "policies/tables/sequence_table.hpp"

namespace heddle::policies {

/// One line of the processor's cache, as containers end in random order.
struct alignas(64) LedgerContainer {
  ContainerId id;
  std::int64_t number = 0;
  Slot application = no_slot;
  Slot node = no_slot;
  std::int32_t priority = 0;
  ExtrasId extras = no_extras;
  Resource resource;
  AskLocality locality = AskLocality::off_switch;
  bool is_master = false;
  bool is_fetched = false;      // handed to its application
  bool is_launched = false;     // the node reported it as running
  bool is_live = false;         // its application still owns it
  bool is_reservation = false;  // holds a node, not resources
  bool is_chosen = false;       // for preemption
  std::int32_t live_at = -1;    // position in the application's list
};
static_assert(sizeof(LedgerContainer) == 64);

class ContainerTable {
public:
  explicit ContainerTable(std::int64_t epoch) : epoch_{epoch} {}

  [[nodiscard]] Slot find(ContainerId id) const { return slots_.find(number_of(id)); }
  [[nodiscard]] LedgerContainer& at(Slot slot) { return containers_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] const LedgerContainer& at(Slot slot) const { return containers_[static_cast<std::size_t>(slot)]; }
  /// A container with the next id and nothing else.
  Slot create();
  void erase(Slot slot);
  /// A hint that a container will be made.
  void fetch_ahead_next() const {
    if (!free_.empty()) fetch_ahead(&at(free_.back()));
  }
  /// A hint that a container will be found by its id.
  void fetch_ahead_id(ContainerId id) const { slots_.fetch_ahead_number(number_of(id)); }

private:
  [[nodiscard]] std::int64_t number_of(ContainerId id) const { return id.value - (epoch_ << 40); }
  Slot take();

  std::int64_t epoch_ = 0;
  std::int64_t next_ = 1;
  LargeTable<LedgerContainer> containers_;
  std::vector<Slot> free_;
  SequenceTable slots_;  // by the number within the epoch
};

}  // namespace heddle::policies

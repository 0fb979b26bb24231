// The containers of a cluster: their records, their ids and which slots are free. It knows no node and no application.
// Cost: constant per container.
#pragma once

#include <cstdint>
#include <vector>

#include "model/ids.hpp"
#include "model/resources.hpp"
#include "policies/cluster/extra_books.hpp"
#include "policies/cluster/resource_events.hpp"
#include "policies/cluster/row_index.hpp"
#include "policies/tables/sequence_table.hpp"

namespace heddle::policies {

/// One line of the processor's cache, as containers end in random order.
struct alignas(64) LedgerContainer {
  ContainerId id;
  std::int64_t number = 0;
  RowIndex application = no_row;
  RowIndex node = no_row;
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

  [[nodiscard]] RowIndex find(ContainerId id) const { return slots_.find(number_of(id)); }
  [[nodiscard]] LedgerContainer& at(RowIndex row) { return containers_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] const LedgerContainer& at(RowIndex row) const { return containers_[static_cast<std::size_t>(row)]; }
  /// A container with the next id and nothing else.
  RowIndex create();
  void erase(RowIndex row);
  /// A hint that a container will be made.
  void fetch_ahead_next() const {
    if (!free_.empty()) fetch_ahead(&at(free_.back()));
  }
  /// A hint that a container will be found by its id.
  void fetch_ahead_id(ContainerId id) const { slots_.fetch_ahead_number(number_of(id)); }

private:
  [[nodiscard]] std::int64_t number_of(ContainerId id) const { return id.value - (epoch_ << 40); }
  RowIndex take();

  std::int64_t epoch_ = 0;
  std::int64_t next_ = 1;
  LargeTable<LedgerContainer> containers_;
  std::vector<RowIndex> free_;
  SequenceTable slots_;  // by the number within the epoch
};

}  // namespace heddle::policies

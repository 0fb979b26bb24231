// Records of a cluster's containers, their ids, and the free rows. Independent of nodes and applications. Cost:
// constant per container.
#pragma once

#include <cstdint>
#include <vector>

#include "model/ids.hpp"
#include "policies/cluster/memory_and_cores.hpp"
#include "policies/cluster/other_resources.hpp"
#include "policies/cluster/resource_events.hpp"
#include "policies/cluster/row_index.hpp"
#include "policies/tables/sequence_table.hpp"

namespace heddle::policies {

/// One cache line, since containers end in random order.
struct alignas(64) LedgerContainer {
  ContainerId id;
  std::int64_t number = 0;
  RowIndex application = no_row;
  RowIndex node = no_row;
  std::int32_t priority = 0;
  OthersId others = no_others;
  MemoryAndCores resource;
  AskLocality locality = AskLocality::off_switch;
  bool is_master = false;
  bool is_fetched = false;      // fetched by its application
  bool is_launched = false;     // its node reported it as running
  bool is_live = false;         // held by its application
  bool is_reservation = false;  // reserves a node and uses no resources
  bool is_chosen = false;       // chosen for preemption
  std::int32_t live_at = -1;    // position in the application's list
};
static_assert(sizeof(LedgerContainer) == 64);

class ContainerTable {
public:
  explicit ContainerTable(std::int64_t epoch) : epoch_{epoch} {}

  [[nodiscard]] RowIndex find(ContainerId id) const { return slots_.find(number_of(id)); }
  [[nodiscard]] LedgerContainer& at(RowIndex row) { return containers_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] const LedgerContainer& at(RowIndex row) const { return containers_[static_cast<std::size_t>(row)]; }
  /// Adds a container with the next id.
  RowIndex create();
  void erase(RowIndex row);
  /// Prefetch: a container will be created.
  void fetch_ahead_next() const {
    if (!free_.empty()) fetch_ahead(&at(free_.back()));
  }

private:
  /// -1 for a container of another epoch.
  [[nodiscard]] std::int64_t number_of(ContainerId id) const {
    return id.value >> 40 == epoch_ ? id.value & ((std::int64_t{1} << 40) - 1) : -1;
  }
  RowIndex take();

  std::int64_t epoch_ = 0;
  std::int64_t next_ = 1;
  LargeTable<LedgerContainer> containers_;
  std::vector<RowIndex> free_;
  SequenceTable slots_;  // by number within the epoch
};

}  // namespace heddle::policies

// Records of a cluster's nodes, their resource names, total and largest capacity. Cost: constant per look-up; adding or
// removing a node is logarithmic in their number.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "model/ids.hpp"
#include "policies/cluster/memory_and_cores.hpp"
#include "policies/cluster/pending_requests.hpp"
#include "policies/cluster/resource_events.hpp"
#include "policies/cluster/row_index.hpp"
#include "policies/tables/name_table.hpp"
#include "policies/tables/slot_list.hpp"

namespace heddle::policies {

/// Two adjacent cache lines.
struct alignas(128) LedgerNode {
  NodeId id;
  ResourceNameId host = 0;
  ResourceNameId rack = 0;
  MemoryAndCores unallocated;
  MemoryAndCores capacity;
  std::uint32_t tie_break = 0;
  RowIndex reservation = no_row;  // row of a container
  bool is_present = false;
  SlotList containers;  // containers that use resources here, including launched ones that ended
};
static_assert(sizeof(LedgerNode) == 128);

class NodeTable {
public:
  RowIndex add(const NodeDescription& description, ResourceNameId host, ResourceNameId rack);
  void update(RowIndex row, MemoryAndCores capacity);
  void remove(RowIndex row);
  [[nodiscard]] RowIndex find(NodeId id) const {
    return id.value >= 0 && id.value < static_cast<std::int64_t>(near_.size())
               ? near_[static_cast<std::size_t>(id.value)]
               : far_.find(id.value);
  }
  [[nodiscard]] LedgerNode& at(RowIndex row) { return nodes_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] const LedgerNode& at(RowIndex row) const { return nodes_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] std::int32_t count() const { return count_; }
  [[nodiscard]] std::int32_t count_of_rack(ResourceNameId rack) const {
    return static_cast<std::int32_t>(of_place(rack).size());
  }
  /// The sum of all capacities.
  [[nodiscard]] const MemoryAndCores& cluster() const { return cluster_; }
  /// The largest memory and the largest core count of any node, each on its own; nothing with no node.
  [[nodiscard]] std::optional<MemoryAndCores> largest() const;
  /// `configured`, cut to the largest node.
  [[nodiscard]] MemoryAndCores maximum_allocation(const MemoryAndCores& configured) const;
  /// Slots of nodes that have this host or rack; used for preemption and headroom only.
  [[nodiscard]] const std::vector<RowIndex>& of_place(ResourceNameId place) const;
  [[nodiscard]] const std::map<NodeId, RowIndex>& in_order() const { return in_order_; }

private:
  std::vector<RowIndex>& place(ResourceNameId place);
  void put(NodeId id, RowIndex row);
  void count_size(const MemoryAndCores& capacity, std::int32_t by);

  LargeTable<LedgerNode> nodes_;
  std::vector<RowIndex> free_;
  std::vector<RowIndex> near_;  // by id, if small
  SlotTable far_;               // by id, otherwise
  std::map<NodeId, RowIndex> in_order_;
  std::vector<std::vector<RowIndex>> of_place_;
  std::int32_t count_ = 0;
  MemoryAndCores cluster_;
  std::map<std::int64_t, std::int32_t> memory_sizes_;
  std::map<std::int64_t, std::int32_t> core_sizes_;
};

}  // namespace heddle::policies

// Counts nodes by size, to find the largest one when a node is removed.
#include "policies/cluster/node_table.hpp"

#include "model/assert.hpp"
#include "policies/cluster/resource_calculator.hpp"

namespace heddle::policies {
namespace {

const std::vector<RowIndex> no_nodes;

}  // namespace

RowIndex NodeTable::add(const NodeDescription& description, ResourceNameId host, ResourceNameId rack) {
  HEDDLE_ASSERT(find(description.id) == no_row, "node " + to_string(description.id) + " already exists");
  const RowIndex row = allocate_row(nodes_, free_);
  LedgerNode& added = at(row);
  added.id = description.id;
  added.host = host;
  added.rack = rack;
  added.capacity = description.capacity;
  added.unallocated = description.capacity;
  added.tie_break = description.tie_break;
  added.is_present = true;
  place(host).push_back(row);
  if (rack != host) place(rack).push_back(row);
  put(description.id, row);
  in_order_.emplace(description.id, row);
  ++count_;
  cluster_ += description.capacity;
  count_size(description.capacity, 1);
  return row;
}

std::vector<RowIndex>& NodeTable::place(ResourceNameId place) {
  const auto at = static_cast<std::size_t>(place);
  if (of_place_.size() <= at) of_place_.resize(at + 1);
  return of_place_[at];
}

void NodeTable::update(RowIndex row, MemoryAndCores capacity) {
  LedgerNode& changed = at(row);
  count_size(changed.capacity, -1);
  count_size(capacity, 1);
  cluster_ += capacity - changed.capacity;
  changed.unallocated += capacity - changed.capacity;
  changed.capacity = capacity;
}

void NodeTable::remove(RowIndex row) {
  LedgerNode& gone = at(row);
  HEDDLE_ASSERT(gone.containers.empty() && gone.reservation == no_row, "node removed before its containers");
  erase_value(place(gone.host), row);
  erase_value(place(gone.rack), row);
  put(gone.id, no_row);
  in_order_.erase(gone.id);
  --count_;
  cluster_ -= gone.capacity;
  count_size(gone.capacity, -1);
  gone.is_present = false;
  free_.push_back(row);
}

void NodeTable::count_size(const MemoryAndCores& capacity, std::int32_t by) {
  if ((memory_sizes_[capacity.memory_mib] += by) == 0) memory_sizes_.erase(capacity.memory_mib);
  if ((core_sizes_[capacity.cores] += by) == 0) core_sizes_.erase(capacity.cores);
}

void NodeTable::put(NodeId id, RowIndex row) {
  constexpr std::int64_t near = 1 << 16;
  if (id.value < 0 || id.value >= near) {
    if (row == no_row) far_.erase(id.value);
    else far_.insert(id.value, row);
    return;
  }
  const auto near_at = static_cast<std::size_t>(id.value);
  if (near_at >= near_.size()) near_.resize(near_at + 1, no_row);
  near_[near_at] = row;
}

const std::vector<RowIndex>& NodeTable::of_place(ResourceNameId place) const {
  const auto at = static_cast<std::size_t>(place);
  return at < of_place_.size() ? of_place_[at] : no_nodes;
}

std::optional<MemoryAndCores> NodeTable::largest() const {
  if (memory_sizes_.empty()) return std::nullopt;
  return MemoryAndCores{memory_sizes_.rbegin()->first, core_sizes_.rbegin()->first};
}

MemoryAndCores NodeTable::maximum_allocation(const MemoryAndCores& configured) const {
  const std::optional<MemoryAndCores> most = largest();
  if (!most) return configured;
  return smaller_of_each(configured, *most);
}

}  // namespace heddle::policies

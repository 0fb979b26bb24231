#include "actors/resource_manager/node_table.hpp"

#include <algorithm>
#include <utility>

#include "model/assert.hpp"

namespace heddle::actors {
namespace {

auto position_of(ContainerId container, std::vector<ContainerId>& ascending) {
  return std::lower_bound(ascending.begin(), ascending.end(), container);
}

}  // namespace

Node& NodeTable::add(const RegisterNode& message, Instant now) {
  const NodeId id{++last_node_};
  Node node;
  node.id = id;
  node.epoch = Epoch{cluster_start_ + id.value};
  node.host = message.host;
  node.rack = message.rack;
  node.address = message.address;
  node.capacity = message.capacity;
  node.last_seen = now;
  silence_.set(id, now + timeouts_.silence);
  return nodes_.insert_or_assign(id, std::move(node)).first->second;
}

void NodeTable::remove(NodeId id) {
  Node* node = find(id);
  if (node == nullptr) return;
  for (const ContainerId container : node->containers) {
    containers_.erase(container);
    unused_.remove(container);
  }
  silence_.remove(id);
  nodes_.erase(id);
  decommissioning_.erase(id);
}

bool NodeTable::decommission(NodeId id) {
  Node* node = find(id);
  if (node == nullptr || std::exchange(node->is_decommissioning, true)) return false;
  decommissioning_.insert(id);
  return true;
}

Node* NodeTable::find(NodeId id) {
  const auto row = nodes_.find(id);
  return row == nodes_.end() ? nullptr : &row->second;
}

Node* NodeTable::find(NodeId id, Epoch epoch) {
  Node* node = find(id);
  return node != nullptr && node->epoch == epoch ? node : nullptr;
}

Node* NodeTable::find_address(const std::string& address) {
  const auto row =
      std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& each) { return each.second.address == address; });
  return row == nodes_.end() ? nullptr : &row->second;
}

Resource NodeTable::largest() const {
  Resource largest;
  for (const auto& [id, node] : nodes_) largest = larger_of_each_type(largest, node.capacity);
  return largest;
}

std::int64_t NodeTable::free_memory_mib(const Node& node) const {
  std::int64_t left = node.capacity.memory_mib;
  for (const ContainerId container : node.containers) left -= containers_.at(container).resource.memory_mib;
  return left;
}

void NodeTable::place(ContainerId container, const PlacedContainer& where) {
  Node* node = find(where.node);
  HEDDLE_ASSERT(node != nullptr, "container " + to_string(container) + " was granted on a registered node");
  node->containers.insert(container);
  if (!where.is_master) unused_.set(container, where.granted_at + timeouts_.allocation);
  containers_.insert_or_assign(container, where);
}

void NodeTable::forget(ContainerId container) {
  const auto row = containers_.find(container);
  if (row == containers_.end()) return;
  if (Node* node = find(row->second.node)) {
    node->containers.erase(container);
    if (row->second.is_running) node->running.erase(position_of(container, node->running));
  }
  containers_.erase(row);
  unused_.remove(container);
}

void NodeTable::mark_running(ContainerId container) {
  PlacedContainer& placed = containers_.at(container);
  HEDDLE_ASSERT(!placed.is_running, "container " + to_string(container) + " is running already");
  placed.is_running = true;
  auto& running = nodes_.at(placed.node).running;
  running.insert(position_of(container, running), container);
}

PlacedContainer* NodeTable::find_container(ContainerId container) {
  const auto row = containers_.find(container);
  return row == containers_.end() ? nullptr : &row->second;
}

std::optional<Instant> NodeTable::next_due() {
  const auto silence = silence_.next_due();
  const auto unused = unused_.next_due();
  return silence && unused ? std::min(silence, unused) : silence ? silence : unused;
}

std::vector<NodeId> NodeTable::take_silent(Instant now) {
  std::vector<NodeId> silent;
  while (const auto id = silence_.take_due(now)) {
    const Instant due = nodes_.at(*id).last_seen + timeouts_.silence;
    if (due <= now) silent.push_back(*id);
    else silence_.set(*id, due);
  }
  return silent;
}

std::vector<ContainerId> NodeTable::take_unused(Instant now) {
  std::vector<ContainerId> unused;
  while (const auto container = unused_.take_due(now))
    if (!containers_.at(*container).is_running) unused.push_back(*container);
  return unused;
}

void NodeTable::check_invariants() const {
  std::size_t placed = 0;
  for (const auto& [id, node] : nodes_) {
    placed += node.containers.size();
    HEDDLE_ASSERT(node.is_decommissioning == decommissioning_.contains(id),
                  "node " + to_string(id) + " is listed if it is being decommissioned");
    std::vector<ContainerId> running;
    for (const ContainerId container : node.containers) {
      const auto row = containers_.find(container);
      HEDDLE_ASSERT(row != containers_.end() && row->second.node == id,
                    "container " + to_string(container) + " is on its node");
      if (row->second.is_running) running.push_back(container);
    }
    HEDDLE_ASSERT(node.running == running, "node " + to_string(id) + " has a list of its running containers");
  }
  HEDDLE_ASSERT(placed == containers_.size(), "every container is on a registered node");
}

}  // namespace heddle::actors

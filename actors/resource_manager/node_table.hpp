// Registered nodes, their addresses and their containers. Invariant: each container is on exactly one node, and that
// node is in the table.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "messages/resource_manager.hpp"
#include "model/due_heap.hpp"
#include "model/time.hpp"

namespace heddle::actors {

struct Node {
  NodeId id;
  Epoch epoch;
  std::string host;
  std::string rack;
  std::string address;
  Resource capacity;
  Instant last_seen;
  std::set<ContainerId> containers;  // granted on this node and not reported as ended
  std::vector<ContainerId> running;  // those that are running, ascending: what its next heartbeat lists if none changes
  bool is_decommissioning = false;   // the node gets no more containers
};

/// A granted container, from its grant until its node reports its end.
struct PlacedContainer {
  NodeId node;
  AttemptId attempt;
  Resource resource;
  Instant granted_at;
  bool is_running = false;      // a heartbeat of its node has listed it, or it is a master that has registered
  bool is_handed_over = false;  // an answer to its application has contained it
  bool is_master = false;
};

struct NodeTimeouts {
  Duration silence = std::chrono::hours{24};  // a node without heartbeats for this long is lost
  Duration allocation =
      std::chrono::hours{24};  // a container that its node has not listed this long after the grant ends
};

class NodeTable {
public:
  /// `cluster_start` makes epochs differ from those of an earlier ResourceManager, whose node ids were the same.
  explicit NodeTable(std::int64_t cluster_start = 0, NodeTimeouts timeouts = {})
      : cluster_start_{cluster_start}, timeouts_{timeouts} {}
  /// Ids ascend and are never reused. The epoch of a node is its number plus `cluster_start`.
  Node& add(const RegisterNode& message, Instant now);
  void remove(NodeId id);
  /// The node gets no more containers. False if that was set before.
  bool decommission(NodeId id);
  [[nodiscard]] Node* find(NodeId id);
  [[nodiscard]] Node* find(NodeId id, Epoch epoch);
  [[nodiscard]] Node* find_address(const std::string& address);
  [[nodiscard]] const std::map<NodeId, Node>& rows() const { return nodes_; }
  [[nodiscard]] Resource largest() const;
  /// Memory of the node in MiB minus that of its containers.
  [[nodiscard]] std::int64_t free_memory_mib(const Node& node) const;
  /// The decommissioning nodes.
  [[nodiscard]] const std::set<NodeId>& decommissioning() const { return decommissioning_; }

  void place(ContainerId container, const PlacedContainer& where);
  void forget(ContainerId container);
  /// Precondition: the container is placed and not running.
  void mark_running(ContainerId container);
  [[nodiscard]] PlacedContainer* find_container(ContainerId container);
  [[nodiscard]] const std::map<ContainerId, PlacedContainer>& containers() const { return containers_; }

  // -- deadlines -----------------------------------------------------------------
  /// A lower bound of the next deadline of a silent node or an unused container: it may be early, never late.
  [[nodiscard]] std::optional<Instant> next_due();
  [[nodiscard]] std::vector<NodeId> take_silent(Instant now);
  /// Granted containers, except masters, that no heartbeat has listed in time.
  [[nodiscard]] std::vector<ContainerId> take_unused(Instant now);

  void check_invariants() const;

private:
  std::map<NodeId, Node> nodes_;
  std::map<ContainerId, PlacedContainer> containers_;
  std::set<NodeId> decommissioning_;
  std::int64_t cluster_start_;
  std::int64_t last_node_ = 0;
  NodeTimeouts timeouts_;
  DueHeap<NodeId>
      silence_;  // a heartbeat updates `last_seen` only; take_silent re-schedules a deadline that came early
  DueHeap<ContainerId> unused_;  // without master containers
};

}  // namespace heddle::actors

// Which nodes are up, at which addresses, and what runs on them.
// Invariant: a container stands in one node's row at most, and every row of a container names a node that is up.
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
  ExtraResources extras;  // beside it
  Instant last_seen;
  std::set<ContainerId> containers;  // granted here and not known to have ended
  bool is_decommissioning = false;   // it is offered nothing any more
};

/// A container that was granted, until its node says that it has ended.
struct PlacedContainer {
  NodeId node;
  AttemptId attempt;
  Resource resource;
  Instant granted_at;
  bool is_running = false;      // its node has named it
  bool is_handed_over = false;  // its application knows it
  bool is_master = false;
};

struct NodeTimeouts {
  Duration silence = std::chrono::hours{24};     // of a node, until it counts as lost
  Duration allocation = std::chrono::hours{24};  // from a grant until its node names the container
};

class NodeTable {
public:
  /// `cluster_start` makes epochs differ from those of an earlier ResourceManager, which gave the same ids.
  explicit NodeTable(std::int64_t cluster_start = 0, NodeTimeouts timeouts = {})
      : cluster_start_{cluster_start}, timeouts_{timeouts} {}
  /// Ids are given in order and never again; the epoch of a node's life is its number after the start of the cluster.
  Node& add(const RegisterNode& message, Instant now);
  void remove(NodeId id);
  /// It is offered nothing any more. False if that was known.
  bool decommission(NodeId id);
  [[nodiscard]] Node* find(NodeId id);
  [[nodiscard]] Node* find(NodeId id, Epoch epoch);
  [[nodiscard]] Node* find_address(const std::string& address);
  [[nodiscard]] const std::map<NodeId, Node>& rows() const { return nodes_; }
  [[nodiscard]] Resource largest() const;
  /// What its containers leave of the node's memory.
  [[nodiscard]] std::int64_t free_memory_mib(const Node& node) const;
  /// Of each kind the most that one node has.
  [[nodiscard]] ExtraResources largest_extras() const;
  /// Hosts of the nodes that are being decommissioned, in order of the nodes.
  [[nodiscard]] std::vector<std::string> decommissioning_hosts() const;

  void place(ContainerId container, const PlacedContainer& where);
  void forget(ContainerId container);
  [[nodiscard]] PlacedContainer* find_container(ContainerId container);
  [[nodiscard]] const std::map<ContainerId, PlacedContainer>& containers() const { return containers_; }

  // -- deadlines -----------------------------------------------------------------
  /// When a node may have been silent for too long, or a container unused; not later.
  [[nodiscard]] std::optional<Instant> next_due();
  [[nodiscard]] std::vector<NodeId> take_silent(Instant now);
  /// Granted containers, no masters, that no node has named in time.
  [[nodiscard]] std::vector<ContainerId> take_unused(Instant now);

  void check_invariants() const;

private:
  std::map<NodeId, Node> nodes_;
  std::map<ContainerId, PlacedContainer> containers_;
  std::set<NodeId> leaving_;  // being decommissioned
  std::int64_t cluster_start_;
  std::int64_t last_node_ = 0;
  NodeTimeouts timeouts_;
  DueHeap<NodeId> silence_;      // a heartbeat moves `last_seen` alone; the deadline is put off when it comes up
  DueHeap<ContainerId> unused_;  // containers that are no masters
};

}  // namespace heddle::actors

// Granted containers, the executors in them, and connections to NodeManagers. Invariant: an executor has one container;
// a container is in the table from its grant until its end has been handled.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/yarn_allocator.hpp"
#include "model/due_heap.hpp"
#include "model/time.hpp"
#include "policies/containers/container_allocator.hpp"

namespace heddle::actors {

struct Grant {
  GrantedContainer container;
  ExecutorId executor;                       // empty: no executor was started in the container
  std::optional<std::string> killed;         // reason, if the Driver killed the executor
  std::optional<std::string> start_failure;  // reason why the executor did not start
  bool is_start_answered = true;             // false while StartContainer is unanswered
  /// Set if the YarnAllocator stopped the container; replaces the status from the node.
  std::optional<std::int32_t> exit_status;
};

/// A connection to a NodeManager, or the launches that wait for it.
struct NodeConnection {
  bool is_connected = false;
  std::vector<policies::LaunchExecutor> waiting;
};

class GrantTable {
public:
  void add(const GrantedContainer& container);
  void set_executor(ContainerId container, ExecutorId executor);
  void remove(ContainerId container);
  /// The executor of this container must register before `due`.
  void await_start(ContainerId container, Instant due) { starts_.set(container, due); }
  /// The executor has registered, or its start has failed.
  void stop_awaiting(ContainerId container) { starts_.remove(container); }
  /// Removes and returns one container whose executor has not registered in time.
  [[nodiscard]] std::optional<ContainerId> take_slow_start(Instant now) { return starts_.take_due(now); }
  [[nodiscard]] Grant* find(ContainerId container);
  [[nodiscard]] Grant* find_executor(ExecutorId executor);
  [[nodiscard]] const std::map<ContainerId, Grant>& rows() const { return grants_; }

  [[nodiscard]] NodeConnection& connection(const std::string& address) { return connections_[address]; }
  /// The NodeManager at this address is connected.
  [[nodiscard]] bool is_connected(const std::string& address) const;
  [[nodiscard]] bool has_connection(const std::string& address) const { return connections_.contains(address); }
  /// Drops the connection and returns the launches that waited for it.
  std::vector<policies::LaunchExecutor> drop_connection(const std::string& address);

  void check_invariants() const;

private:
  std::map<ContainerId, Grant> grants_;
  std::map<ExecutorId, ContainerId> by_executor_;
  std::map<std::string, NodeConnection> connections_;
  DueHeap<ContainerId> starts_;
};

}  // namespace heddle::actors

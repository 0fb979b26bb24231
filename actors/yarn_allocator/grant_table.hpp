// Where granted containers are, which executors run in them, and which NodeManagers are connected.
// Invariant: an executor has one container; a container stands here from its grant until its end was handled.
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
  ExecutorId executor;                       // none: no executor was started in it
  std::optional<std::string> killed;         // the Driver asked for its end, and why
  std::optional<std::string> start_failure;  // why its executor did not start
  bool is_start_answered = true;  // false while its NodeManager has not said whether the executor's process runs
  std::optional<std::int32_t> exit_status;  // of a stop that was asked for here, whatever its node or YARN calls it
};

/// Launches that wait for a connection to their NodeManager.
struct NodeConnection {
  bool is_connected = false;
  std::vector<policies::LaunchExecutor> waiting;
};

class GrantTable {
public:
  void add(const GrantedContainer& container);
  void set_executor(ContainerId container, ExecutorId executor);
  void remove(ContainerId container);
  /// The executor of this container has to register until then.
  void await_start(ContainerId container, Instant due) { starts_.set(container, due); }
  /// It has registered, or was given up.
  void stop_awaiting(ContainerId container) { starts_.remove(container); }
  /// A container whose executor has not registered in time; it is not awaited any more.
  [[nodiscard]] std::optional<ContainerId> take_slow_start(Instant now) { return starts_.take_due(now); }
  [[nodiscard]] Grant* find(ContainerId container);
  [[nodiscard]] Grant* find_executor(ExecutorId executor);
  [[nodiscard]] const std::map<ContainerId, Grant>& rows() const { return grants_; }

  [[nodiscard]] NodeConnection& connection(const std::string& address) { return connections_[address]; }
  /// The NodeManager there is connected.
  [[nodiscard]] bool is_connected(const std::string& address) const;
  [[nodiscard]] bool has_connection(const std::string& address) const { return connections_.contains(address); }
  /// The launches that waited for it; the connection is no longer known.
  std::vector<policies::LaunchExecutor> drop_connection(const std::string& address);

  void check_invariants() const;

private:
  std::map<ContainerId, Grant> grants_;
  std::map<ExecutorId, ContainerId> by_executor_;
  std::map<std::string, NodeConnection> connections_;
  DueHeap<ContainerId> starts_;
};

}  // namespace heddle::actors

// State of the YarnAllocator without its actor: the container allocator and parts. Flows (request_flow.hpp,
// container_flow.hpp) change it. They have no actor and no clock, and send through effects only.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "actors/yarn_allocator/allocator_effects.hpp"
#include "actors/yarn_allocator/allocator_start.hpp"
#include "config/table/sections.hpp"
#include "policies/containers/allocate_loop.hpp"
#include "policies/containers/container_allocator.hpp"
#include "policies/containers/container_limit.hpp"
#include "policies/containers/grant_table.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/event_log/recorded.hpp"
#include "runtime/net/node_connections.hpp"

namespace heddle::actors {

/// A granted container, and the executor in it.
using Grant = policies::Grant<ExecutorId>;

/// Which peers are connected.
struct AllocatorPeers {
  bool has_driver = false;
  bool has_resource_manager = false;
  bool has_master = false;
};

struct AllocatorState {
  AllocatorState(config::YarnAllocatorSettings all_settings, const runtime::ActorTools& tools,
                 YarnAllocatorStart all_start, Instant now);
  AllocatorState(const AllocatorState&) = delete;
  AllocatorState& operator=(const AllocatorState&) = delete;

  config::YarnAllocatorSettings settings;
  YarnAllocatorStart start;
  ports::EventSink* events;
  runtime::Recorded<policies::ContainerAllocator> allocator;
  std::map<ProfileId, std::int32_t> cores_of_profile;  // cores per executor of each profile
  policies::GrantTable<ExecutorId> grants;
  runtime::NodeConnections<policies::LaunchExecutor> nodes;  // launches wait for a connection
  AllocatorPeers peers;
  std::optional<EndApplication> end;          // set if the application ended before StartAllocating arrived
  std::optional<StartAllocating> registered;  // empty: the application is not registered yet
  bool registers_again = false;               // the ApplicationMaster registers a second time
  std::string last_failure;                   // end of the last executor that counted as failed
  policies::AllocateLoop loop;                // begins when the Driver has RegisterYarnAllocator
  std::set<NodeId> lost_nodes;
  std::vector<ContainerId>
      stops;  // containers to stop whose NodeManager is not connected: the next AllocateRequest releases them
  std::optional<std::int32_t> cluster_nodes;  // of the last answer

  /// Largest container that the application may request.
  [[nodiscard]] policies::ContainerLimit limit() const;
  /// Number of failed executors that ends the application.
  [[nodiscard]] std::int64_t failures_max() const;
  void check_invariants() const;
};

/// Context of one message: state, effects to push, time.
struct AllocatorTurn {
  AllocatorState& state;
  AllocatorEffects& effects;
  Instant now;  // the only reading of the clock for this message

  void write_event(std::string_view name, const ports::EventFields& fields = {}) const;
};

}  // namespace heddle::actors

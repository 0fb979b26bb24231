// The YarnAllocator without its actor: the container allocator and parts. Flows (request_flow.hpp, container_flow.hpp)
// change it; they see no actor and no clock, and send by effects only.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "actors/yarn_allocator/allocate_loop.hpp"
#include "actors/yarn_allocator/allocator_effects.hpp"
#include "actors/yarn_allocator/allocator_start.hpp"
#include "actors/yarn_allocator/grant_table.hpp"
#include "config/table/sections.hpp"
#include "policies/containers/container_allocator.hpp"
#include "policies/containers/container_limit.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/event_log/recorded.hpp"

namespace heddle::actors {

/// Which peers are connected.
struct AllocatorPeers {
  bool has_driver = false;
  bool has_resource_manager = false;
  bool has_master = false;
};

/// What an AllocateResponse says beside containers.
struct ClusterNews {
  std::int32_t nodes = 0;
  std::vector<std::string> decommissioning_hosts;
  friend bool operator==(const ClusterNews&, const ClusterNews&) = default;
};

struct AllocatorState {
  AllocatorState(config::YarnAllocatorSettings all_settings, const runtime::ActorTools& tools,
                 YarnAllocatorStart all_start);
  AllocatorState(const AllocatorState&) = delete;
  AllocatorState& operator=(const AllocatorState&) = delete;

  config::YarnAllocatorSettings settings;
  YarnAllocatorStart start;
  ports::EventSink* events;
  bool checks_invariants;
  runtime::Recorded<policies::ContainerAllocator> allocator;
  std::map<ProfileId, std::int32_t> cores_of_profile;  // of one executor
  GrantTable grants;
  AllocatorPeers peers;
  std::optional<EndApplication> end;          // said before the master was known
  std::optional<StartAllocating> registered;  // none: the application is not registered yet
  std::string last_failure;                   // of the last executor that failed by its own fault
  AllocateLoop loop;                          // begins when the Driver knows the allocator
  std::set<NodeId> lost_nodes;
  std::vector<ContainerId> stops;  // of containers whose NodeManager cannot be told: the ResourceManager is, next time
  std::optional<ClusterNews> cluster;  // as of the last answer

  /// Of what may be asked for in one container.
  [[nodiscard]] policies::ContainerLimit limit() const;
  /// Failed executors that end the application.
  [[nodiscard]] std::int64_t failures_max() const;
};

/// One message that is being handled.
struct AllocatorTurn {
  AllocatorState& state;
  AllocatorEffects& effects;
  Instant now;  // the only reading of the clock

  void write_event(std::string_view name, const ports::EventFields& fields = {}) const;
};

}  // namespace heddle::actors

// State of the ResourceManager without its actor: the resource scheduler and parts. Flows (node_flow.hpp,
// application_flow.hpp, allocate_flow.hpp, end_flow.hpp, wait_flow.hpp) change it. They have no actor and no clock, and
// send through effects only.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "actors/resource_manager/application_table.hpp"
#include "actors/resource_manager/cluster_effects.hpp"
#include "actors/resource_manager/cluster_start.hpp"
#include "actors/resource_manager/node_table.hpp"
#include "actors/resource_manager/offer_candidates.hpp"
#include "actors/resource_manager/waiting_submissions.hpp"
#include "config/table/sections.hpp"
#include "policies/cluster/scheduler/resource_scheduler.hpp"
#include "policies/containers/container_limit.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/event_log/recorded.hpp"

namespace heddle::actors {

struct ClusterState {
  ClusterState(config::ResourceManagerSettings all_settings, const runtime::ActorTools& tools,
               ResourceManagerStart all_start);
  ClusterState(const ClusterState&) = delete;
  ClusterState& operator=(const ClusterState&) = delete;

  config::ResourceManagerSettings settings;
  ResourceManagerStart start;
  ports::EventSink* events;
  RandomStream random;
  runtime::Recorded<policies::ResourceScheduler> scheduler;
  NodeTable nodes;
  OfferCandidates offer_candidates;
  ApplicationTable applications;
  WaitingSubmissions submissions;
  std::set<std::string> named_keys;                   // unknown keys of queue files that clients were notified of
  std::optional<ApplicationId> allocate_in_progress;  // its grants go into the answer that is being built
  bool has_ended_applications = false;                // an application has ended during the current message

  /// Largest container that an application may request.
  [[nodiscard]] policies::ContainerLimit limit() const;
  /// The earliest deadline of nodes, applications and the scheduler.
  [[nodiscard]] std::optional<Instant> next_due();
  void check_invariants() const;
};

/// Context of one message: state, effects to push, time.
struct ClusterTurn {
  ClusterState& state;
  ClusterEffects& effects;
  Instant now;  // the only reading of the clock for this message

  void write_event(std::string_view name, const ports::EventFields& fields = {}) const;
};

}  // namespace heddle::actors

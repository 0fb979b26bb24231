#include "actors/resource_manager/cluster_state.hpp"

#include <utility>

#include "model/due_heap.hpp"
#include "policies/cluster/resource_calculator.hpp"

namespace heddle::actors {

ClusterState::ClusterState(config::ResourceManagerSettings all_settings, const runtime::ActorTools& tools,
                           ResourceManagerStart all_start)
    : settings{std::move(all_settings)},
      start{std::move(all_start)},
      events{tools.events},
      random{tools.random},
      scheduler{*start.scheduler, tools.events},
      nodes{start.cluster_start, {settings.node_timeout, settings.allocation_timeout}},
      applications{start.cluster_start, settings.master_timeout} {}

policies::ContainerLimit ClusterState::limit() const {
  const Resource maximum{settings.allocation_max_mib, settings.allocation_max_cores};
  const bool are_all_nodes_here =
      start.nodes_expected > 0 && static_cast<std::int32_t>(nodes.rows().size()) >= start.nodes_expected;
  if (!are_all_nodes_here) return {maximum, false};
  Resource largest = nodes.largest();
  largest.memory_mib = std::min(largest.memory_mib, maximum.memory_mib);
  largest.cores = std::min(largest.cores, maximum.cores);
  return {std::move(largest), true};
}

std::optional<Instant> ClusterState::next_due() {
  return earlier(earlier(nodes.next_due(), applications.next_due()), scheduler->next_due());
}

void ClusterState::check_invariants() const {
  nodes.check_invariants();
  applications.check_invariants();
  scheduler->check_invariants();
}

/// Writes the recorded inputs of the scheduler first, so that the event log keeps the order of events.
void ClusterTurn::write_event(std::string_view name, const ports::EventFields& fields) const {
  if (state.events == nullptr) return;
  state.scheduler.flush_records();
  state.events->write(now, name, fields);
}

}  // namespace heddle::actors

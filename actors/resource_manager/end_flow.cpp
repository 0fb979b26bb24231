// Ended containers. The reports of nodes are collected and applied in one call of the scheduler, at the latest when
// FlushCompletedContainers arrives behind the messages that were already in the mailbox. Every handler that could meet
// a container whose end is not applied yet calls apply_ends first: the next heartbeat of its node, the next request of
// its application, and every message that is neither.
//
//   first ContainerExited -> FlushCompletedContainers to self -> more ContainerExited -> apply_ends
#include "actors/resource_manager/end_flow.hpp"

#include <algorithm>
#include <span>

#include "actors/resource_manager/allocate_flow.hpp"
#include "actors/resource_manager/application_flow.hpp"

namespace heddle::actors {
namespace {

/// A larger batch is not faster, and delays the answers that wait for it.
constexpr std::size_t ends_at_once_max = 32;

/// Applies ends of which the last one may be that of a master container.
void end_up_to_master(ClusterTurn& turn, std::span<CompletedContainer> batch) {
  auto& state = turn.state;
  const auto is_unknown = [&](const auto& each) { return state.nodes.find_container(each.container) == nullptr; };
  const auto ends =
      batch.first(static_cast<std::size_t>(std::remove_if(batch.begin(), batch.end(), is_unknown) - batch.begin()));
  std::vector<ApplicationId> owners;
  for (const auto& [container, end] : ends) {
    const PlacedContainer& placed = *state.nodes.find_container(container);
    turn.write_event("container_ended",
                     ports::EventFields{}.add("container", container).add("exit_status", end.exit_status));
    owners.push_back(placed.attempt.application);
    mark_candidate(turn, placed.node);  // also if the application released it before: then no effect names the node
  }
  policies::ResourceEffects effects;
  state.scheduler.apply(turn.now, policies::resource_input::ContainersEnded{ends}, effects);
  const ContainerEnd no_end;
  for (const policies::ResourceEffect& effect : effects) {
    const auto* ended = std::get_if<policies::ContainerEnded>(&effect);
    const auto row = std::find_if(ends.begin(), ends.end(), [&](const auto& each) {
      return ended != nullptr && each.container == ended->container;
    });
    apply_decisions(turn, effect, EndCause::reported, row == ends.end() ? no_end : row->end);
  }
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto& [container, end] = ends[i];
    state.nodes.forget(container);
    Application* application = state.applications.find(owners[i]);
    if (application == nullptr) continue;
    application->containers.erase(container);
    if (container == application->master_container && application->is_live())
      end_attempt(turn, *application, end.exit_status, "the master container ended: " + describe(end));
    forget_when_empty(turn, *application);
  }
}

}  // namespace

// -- from NodeManagers -----------------------------------------------------------

void handle_container_exited(ClusterTurn& turn, const ContainerExited& message) {
  auto& state = turn.state;
  const ContainerId container = message.completed.container;
  const PlacedContainer* placed = state.nodes.find_container(container);
  if (state.nodes.find(message.node, message.epoch) == nullptr || placed == nullptr || state.ends.has(container))
    return turn.write_event("stale_container_exited", ports::EventFields{}.add("container", container));
  if (state.ends.size() == 0) turn.effects.push_back(ApplyEndsLater{});
  state.ends.add(message.completed, placed->node, placed->attempt.application);
  if (state.ends.size() == ends_at_once_max) apply_ends(turn);
}

// -- changes of state ------------------------------------------------------------

void apply_ends(ClusterTurn& turn) {
  auto& state = turn.state;
  if (state.ends.size() == 0) return;
  end_containers(turn, state.ends.take());
  offer_after_change(turn);
}

void end_containers(ClusterTurn& turn, std::vector<CompletedContainer> ends) {
  auto& state = turn.state;
  // The end of a master ends its attempt and all other containers of the attempt. So apply the ends up to a master
  // before the ends after it.
  const auto is_master = [&](const CompletedContainer& end) {
    const PlacedContainer* placed = state.nodes.find_container(end.container);
    return placed != nullptr && placed->is_master;
  };
  std::span<CompletedContainer> rest{ends};
  while (!rest.empty()) {
    const auto master = std::find_if(rest.begin(), rest.end(), is_master);
    const auto count = static_cast<std::size_t>(master - rest.begin()) + (master == rest.end() ? 0 : 1);
    end_up_to_master(turn, rest.first(count));
    rest = rest.subspan(count);
  }
}

}  // namespace heddle::actors

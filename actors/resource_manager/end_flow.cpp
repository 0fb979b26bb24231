// Ended containers. The reports of nodes are collected and applied in one call of the scheduler, at the latest when
// FlushCompletedContainers arrives behind the messages that were already in the mailbox. Every handler that could meet
// a container whose end is not applied yet calls apply_ends first: the next heartbeat of its node, the next request of
// its application, and every message that is neither.
//
//   first ContainerExited -> FlushCompletedContainers to self -> more ContainerExited -> apply_ends
#include "actors/resource_manager/end_flow.hpp"

#include <algorithm>

#include "actors/resource_manager/allocate_flow.hpp"
#include "actors/resource_manager/application_flow.hpp"

namespace heddle::actors {
namespace {

/// A larger batch is not faster, and delays the answers that wait for it.
constexpr std::size_t ends_at_once_max = 32;

void end_up_to_master(ClusterTurn& turn, std::span<const ContainerEnd> ends) {
  auto& state = turn.state;
  std::vector<policies::ContainerCompleted> told;
  std::vector<ApplicationId> owners;
  std::vector<const std::string*> texts;
  for (const ContainerEnd& end : ends) {
    const PlacedContainer* placed = state.nodes.find_container(end.container);
    if (placed == nullptr) continue;
    turn.write_event("container_ended",
                     ports::EventFields{}.add("container", end.container).add("exit_status", end.exit_status));
    told.push_back({end.container, end.exit_status});
    owners.push_back(placed->attempt.application);
    mark_candidate(turn, placed->node);  // also if the application released it before: then no effect names the node
    texts.push_back(&end.text);
  }
  policies::ResourceEffects effects;
  state.scheduler.apply(turn.now, policies::resource_input::ContainersEnded{told}, effects);
  const std::string no_text;
  for (const policies::ResourceEffect& effect : effects) {
    const auto* ended = std::get_if<policies::ContainerEnded>(&effect);
    const auto row = std::find_if(told.begin(), told.end(), [&](const auto& each) {
      return ended != nullptr && each.container == ended->container;
    });
    apply_decisions(turn, effect, EndCause::reported,
                    row == told.end() ? no_text : *texts[static_cast<std::size_t>(row - told.begin())]);
  }
  for (std::size_t i = 0; i < told.size(); ++i) {
    state.nodes.forget(told[i].container);
    Application* application = state.applications.find(owners[i]);
    if (application == nullptr) continue;
    application->containers.erase(told[i].container);
    if (told[i].container == application->master_container && application->is_live())
      end_attempt(turn, *application, told[i].exit_status, "the master container ended: " + *texts[i]);
    forget_when_empty(turn, *application);
  }
}

}  // namespace

// -- from NodeManagers -----------------------------------------------------------

void take_container_end(ClusterTurn& turn, const ContainerExited& message) {
  auto& state = turn.state;
  const PlacedContainer* placed = state.nodes.find_container(message.end.container);
  if (state.nodes.find(message.node, message.epoch) == nullptr || placed == nullptr ||
      state.ends.has(message.end.container))
    return turn.write_event("stale_container_exited", ports::EventFields{}.add("container", message.end.container));
  if (state.ends.size() == 0) turn.effects.push_back(ApplyEndsLater{});
  state.ends.add(message.end, placed->node, placed->attempt.application);
  if (state.ends.size() == ends_at_once_max) apply_ends(turn);
}

// -- changes of state ------------------------------------------------------------

void apply_ends(ClusterTurn& turn) {
  auto& state = turn.state;
  if (state.ends.size() == 0) return;
  const auto ends = state.ends.take();
  end_containers(turn, ends);
  offer_after_change(turn);
}

void end_containers(ClusterTurn& turn, std::span<const ContainerEnd> ends) {
  auto& state = turn.state;
  // The end of a master ends its attempt and all other containers of the attempt. So apply the ends up to a master
  // before the ends after it.
  const auto is_master = [&](const ContainerEnd& end) {
    const PlacedContainer* placed = state.nodes.find_container(end.container);
    return placed != nullptr && placed->is_master;
  };
  while (!ends.empty()) {
    const auto master = std::find_if(ends.begin(), ends.end(), is_master);
    const auto count = static_cast<std::size_t>(master - ends.begin()) + (master == ends.end() ? 0 : 1);
    end_up_to_master(turn, ends.first(count));
    ends = ends.subspan(count);
  }
}

}  // namespace heddle::actors

// Ended containers: each end is passed to the scheduler in the handler of the message that reports it.
#include "actors/resource_manager/end_flow.hpp"

#include "actors/resource_manager/allocate_flow.hpp"
#include "actors/resource_manager/application_flow.hpp"

namespace heddle::actors {

// -- from NodeManagers -----------------------------------------------------------

void handle_container_exited(ClusterTurn& turn, const ContainerExited& message) {
  auto& state = turn.state;
  const ContainerId container = message.completed.container;
  if (state.nodes.find(message.node, message.epoch) == nullptr || state.nodes.find_container(container) == nullptr)
    return turn.write_event("stale_container_exited", ports::EventFields{}.add("container", container));
  end_container(turn, message.completed);
  offer_after_change(turn);
}

// -- changes of state ------------------------------------------------------------

void end_container(ClusterTurn& turn, const CompletedContainer& completed) {
  auto& state = turn.state;
  const auto& [container, end] = completed;
  const PlacedContainer* placed = state.nodes.find_container(container);
  if (placed == nullptr) return;
  const ApplicationId owner = placed->attempt.application;
  turn.write_event("container_ended",
                   ports::EventFields{}.add("container", container).add("exit_status", end.exit_status));
  mark_candidate(turn, placed->node);  // also if the application released it before: then no effect names the node
  policies::ResourceEffects effects;
  state.scheduler.apply(turn.now, policies::resource_input::ContainerCompleted{container, end.exit_status}, effects);
  for (const policies::ResourceEffect& effect : effects) {
    const auto* ended = std::get_if<policies::ContainerEnded>(&effect);
    const bool is_it = ended != nullptr && ended->container == container;
    apply_decisions(turn, effect, EndCause::reported, is_it ? end : ContainerEnd{});
  }
  state.nodes.forget(container);
  Application* application = state.applications.find(owner);
  if (application == nullptr) return;
  application->containers.erase(container);
  if (container == application->master_container && application->is_live())
    end_attempt(turn, *application, end.exit_status, "the master container ended: " + describe(end));
  forget_when_empty(turn, *application);
}

}  // namespace heddle::actors

// AllocateRequest and its answer, offers of nodes, and the effects of the scheduler.
#include "actors/resource_manager/allocate_flow.hpp"

#include <algorithm>
#include <utility>

#include "actors/resource_manager/application_flow.hpp"
#include "actors/resource_manager/end_flow.hpp"
#include "model/assert.hpp"
#include "model/container_end.hpp"
#include "policies/containers/response_id.hpp"

namespace heddle::actors {
namespace {

constexpr const char* preempted_text = "preempted: another queue or application is below its share";

policies::AllocateRequest batch_of(const AllocateRequest& request) {
  policies::AllocateRequest batch;
  batch.asks.reserve(request.asks.size());
  for (const ResourceRequest& ask : request.asks)
    batch.asks.push_back(
        {ask.priority, ask.place, static_cast<std::int32_t>(ask.count), ask.resource, ask.relax_locality});
  batch.release = request.release;
  batch.exclude = request.exclusion_add;
  batch.include = request.exclusion_remove;
  return batch;
}

bool asks_others(const AllocateRequest& request) {
  return std::any_of(request.asks.begin(), request.asks.end(),
                     [](const ResourceRequest& ask) { return ask.count > 0 && !ask.resource.others.empty(); });
}

/// A request with one container above the maximum allocation is refused as a whole. The maximum comes from the
/// settings, not from the registered nodes, so that a valid request stays valid when nodes leave.
bool is_excessive(const AllocateRequest& request, const Resource& most) {
  return std::any_of(request.asks.begin(), request.asks.end(), [&](const ResourceRequest& ask) {
    return ask.count > 0 && (ask.resource.memory_mib > most.memory_mib || ask.resource.cores > most.cores);
  });
}

/// The wait starts at the first request for containers; repeated requests do not restart it.
void mark_waiting(Instant now, Application& application, const AllocateRequest& request) {
  for (const ResourceRequest& ask : request.asks) {
    if (ask.count <= 0) continue;
    application.waits.asked = ask.resource;
    if (!application.waits.containers_since) application.waits.containers_since = now;
  }
}

/// A container end, a dropped reservation and a reservation that becomes a container free resources on a node. The
/// effects are the only sign of that.
void mark_candidate(ClusterTurn& turn, const policies::ResourceEffect& effect) {
  if (const auto* assigned = std::get_if<policies::ContainerAssigned>(&effect)) mark_candidate(turn, assigned->node);
  else if (const auto* ended = std::get_if<policies::ContainerEnded>(&effect)) mark_candidate(turn, ended->node);
  else if (const auto* dropped = std::get_if<policies::ReservationDropped>(&effect))
    mark_candidate(turn, dropped->node);
}

std::vector<GrantedContainer> described(ClusterTurn& turn, const policies::Allocation& allocation) {
  auto& state = turn.state;
  std::vector<GrantedContainer> granted;
  for (const policies::ContainerAssigned& each : allocation.granted) {
    const Node* node = state.nodes.find(each.node);
    PlacedContainer* placed = state.nodes.find_container(each.container);
    HEDDLE_ASSERT(node != nullptr && placed != nullptr,
                  "container " + to_string(each.container) + " is granted on a registered node");
    placed->is_handed_over = true;
    granted.push_back({each.container, each.node, node->host, node->address, each.priority, each.resource});
  }
  return granted;
}

std::vector<NodeUpdate> take_updated_nodes(const NodeTable& nodes, Application& application) {
  std::map<NodeId, NodeUpdate> updated = std::exchange(application.updated_nodes, {});
  const bool is_first_answer = !application.answers.last;
  if (is_first_answer)
    for (const NodeId id : nodes.decommissioning())
      updated.insert_or_assign(id, NodeUpdate{id, nodes.rows().at(id).host, NodeCondition::decommissioning});
  std::vector<NodeUpdate> taken;
  for (auto& [id, update] : updated) taken.push_back(std::move(update));
  return taken;
}

void refuse_request(ClusterTurn& turn, const AllocateRequest& request, AttemptRegistration registration) {
  if (registration == AttemptRegistration::not_registered)
    turn.write_event("allocate_before_registration", ports::EventFields{}.add("attempt", request.attempt));
  else turn.write_event("unknown_attempt", ports::EventFields{}.add("attempt", request.attempt));
  AllocateResponse response;
  response.registration = registration;
  turn.effects.push_back(ReplyToAllocator{std::move(response)});
}

void answer(ClusterTurn& turn, Application& application, const AllocateRequest& request) {
  auto& state = turn.state;
  application.progress = bounded_progress(request.progress);
  state.allocate_in_progress = application.id;
  AllocateResponse response;
  policies::ResourceEffects effects;
  policies::Allocation earlier;
  const policies::AllocateRequest batch = batch_of(request);
  const Resource most{state.settings.allocation_max_mib, state.settings.allocation_max_cores};
  if (is_excessive(request, most)) earlier.refusal = policies::AskRefusal::exceeds_maximum;
  else if (!batch.is_empty() || application.answers.has_grants)
    earlier = state.scheduler.apply(turn.now, policies::resource_input::AsksMade{request.attempt, batch}, effects);
  if (earlier.refusal)
    turn.write_event("asks_refused", ports::EventFields{}.add("reason", policies::to_string(*earlier.refusal)));
  else if (asks_others(request)) application.waits.others_since = turn.now;
  else mark_waiting(turn.now, application, request);
  response.allocated = described(turn, earlier);
  apply_decisions(turn, effects, EndCause::decided, "released by its application");
  // Nodes are offered inside the request, so that its own answer can contain the new grants.
  if (!request.asks.empty() && !earlier.refusal) {
    offer_after_change(turn);
    policies::ResourceEffects more;
    const policies::Allocation granted =
        state.scheduler.apply(turn.now, policies::resource_input::AsksMade{request.attempt, {}}, more);
    apply_decisions(turn, more, EndCause::decided, "");
    for (GrantedContainer& each : described(turn, granted)) response.allocated.push_back(std::move(each));
  }
  state.allocate_in_progress.reset();
  application.answers.has_grants = false;
  state.applications.schedule(application);
  application.answers.id = policies::next_response_id(application.answers.id);
  response.response_id = application.answers.id;
  response.completed.swap(application.ends);
  response.updated_nodes = take_updated_nodes(state.nodes, application);
  response.cluster_nodes = static_cast<std::int32_t>(state.nodes.rows().size());
  response.headroom = state.scheduler->headroom(request.attempt).as_resource();
  application.answers.is_announced = false;
  application.answers.last = response;
  turn.effects.push_back(SendToAllocator{application.id, std::move(response)});
}

void place_container(ClusterTurn& turn, const policies::ContainerAssigned& assigned) {
  auto& state = turn.state;
  Application* application = state.applications.find_attempt(assigned.attempt);
  HEDDLE_ASSERT(application != nullptr,
                "container " + to_string(assigned.container) + " is for a live application attempt");
  state.nodes.place(assigned.container, {assigned.node, assigned.attempt, assigned.resource, turn.now, false,
                                         assigned.is_master, assigned.is_master});
  application->nodes.insert(assigned.node);
  application->containers.insert(assigned.container);
  turn.write_event("container_allocated", ports::EventFields{}
                                              .add("container", assigned.container)
                                              .add("node", assigned.node)
                                              .add("locality", policies::to_string(assigned.locality)));
  if (assigned.is_master) return start_master(turn, *application, assigned);
  application->answers.has_grants = true;
  if (state.allocate_in_progress != application->id) announce(turn, *application);
}

void apply_container_end(ClusterTurn& turn, const policies::ContainerEnded& ended, EndCause cause, ContainerEnd end) {
  auto& state = turn.state;
  end.exit_status = ended.exit_status;
  if (end.exit_status == container_exit_status::preempted) end.diagnostics = preempted_text;
  Application* application = state.applications.find(ended.attempt.application);
  const PlacedContainer* placed = state.nodes.find_container(ended.container);
  if (application == nullptr || placed == nullptr) return;
  const bool is_known_to_it = placed->is_handed_over && !placed->is_master;
  const bool leaves_by_itself = ended.container == application->master_container && application->leave_by.has_value();
  if (cause == EndCause::decided && !leaves_by_itself)
    stop_container(turn, ended.container, end.exit_status, end.diagnostics);
  // The NodeManager refuses a StartContainer that arrives after the stop, so no end follows that could be waited for.
  if (!ended.is_on_node && !leaves_by_itself) {
    state.nodes.forget(ended.container);
    application->containers.erase(ended.container);
  }
  if (!is_known_to_it || !application->is_live() || application->attempt != ended.attempt.attempt) return;
  application->ends.push_back({ended.container, std::move(end)});
  if (state.allocate_in_progress != application->id) announce(turn, *application);
}

}  // namespace

// -- from allocators -----------------------------------------------------------

void handle_allocate_request(ClusterTurn& turn, const AllocateRequest& message) {
  auto& state = turn.state;
  Application* application = state.applications.find_attempt(message.attempt);
  if (application == nullptr) return refuse_request(turn, message, AttemptRegistration::unknown_attempt);
  if (application->answers.id < 0) return refuse_request(turn, message, AttemptRegistration::not_registered);
  application->last_heard = turn.now;
  application->peers.allocator = true;
  turn.effects.push_back(AddAllocator{application->id});
  if (policies::next_response_id(message.response_id) == application->answers.id && application->answers.last) {
    turn.effects.push_back(SendToAllocator{application->id, *application->answers.last});
    return;
  }
  if (message.response_id != application->answers.id)
    return turn.write_event("stale_allocate_request", ports::EventFields{}.add("response_id", message.response_id));
  answer(turn, *application, message);
}

void offer_after_change(ClusterTurn& turn) {
  auto& state = turn.state;
  if (!state.settings.offer_on_change) return;
  state.offer_candidates.offer_all(
      [&state](NodeId node) { return state.scheduler->has_room(node); },
      [&turn](NodeId node) { return offer_node(turn, node, policies::OfferCause::change); });
}

bool offer_node(ClusterTurn& turn, NodeId node, policies::OfferCause cause) {
  auto& state = turn.state;
  if (const Node* known = state.nodes.find(node); known == nullptr || known->is_decommissioning) return false;
  policies::ResourceEffects effects;
  state.scheduler.apply(turn.now, policies::resource_input::NodeOffered{node, cause}, effects);
  apply_decisions(turn, effects, EndCause::decided, "the scheduler released it");
  return std::any_of(effects.begin(), effects.end(),
                     [](const auto& effect) { return std::holds_alternative<policies::ContainerAssigned>(effect); });
}

// -- effects of the scheduler ----------------------------------------------------------

void apply_decisions(ClusterTurn& turn, const policies::ResourceEffects& effects, EndCause cause,
                     const std::string& text) {
  const ContainerEnd end{0, text};
  for (const policies::ResourceEffect& effect : effects) apply_decisions(turn, effect, cause, end);
}

void apply_decisions(ClusterTurn& turn, const policies::ResourceEffect& effect, EndCause cause,
                     const ContainerEnd& end) {
  mark_candidate(turn, effect);
  if (const auto* assigned = std::get_if<policies::ContainerAssigned>(&effect)) place_container(turn, *assigned);
  else if (const auto* ended = std::get_if<policies::ContainerEnded>(&effect))
    apply_container_end(turn, *ended, cause, end);
  else if (const auto* chosen = std::get_if<policies::ContainerChosen>(&effect))
    turn.write_event("container_chosen", ports::EventFields{}.add("container", chosen->container));
  else if (const auto* may_run = std::get_if<policies::ApplicationMayRun>(&effect))
    turn.write_event("application_may_run", ports::EventFields{}.add("application", may_run->application));
  else if (const auto* reserved = std::get_if<policies::NodeReserved>(&effect))
    turn.write_event("node_reserved", ports::EventFields{}.add("node", reserved->node));
}

void mark_candidate(ClusterTurn& turn, NodeId node) {
  if (turn.state.settings.offer_on_change) turn.state.offer_candidates.add(node);
}

void announce(ClusterTurn& turn, Application& application) {
  if (application.answers.is_announced || !application.peers.allocator) return;
  application.answers.is_announced = true;
  turn.effects.push_back(SendToAllocator{application.id, AllocationAvailable{}});
}

void stop_container(ClusterTurn& turn, ContainerId container, std::int32_t exit_status, const std::string& reason) {
  auto& state = turn.state;
  const PlacedContainer* placed = state.nodes.find_container(container);
  if (placed == nullptr) return;
  turn.effects.push_back(SendToNode{placed->node, StopContainer{container, exit_status, reason}});
}

}  // namespace heddle::actors

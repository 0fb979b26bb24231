// What allocators ask and are answered, and what becomes of the scheduler's effects.
#include <fmt/format.h>

#include <algorithm>

#include "actors/resource_manager/resource_manager.hpp"
#include "model/container.hpp"

namespace heddle::actors {
namespace {

constexpr const char* preempted_text = "preempted: another queue or application is below its share";

policies::AskBatch batch_of(const AllocateRequest& request) {
  policies::AskBatch batch;
  batch.asks.reserve(request.asks.size());
  for (const ResourceAsk& ask : request.asks)
    batch.asks.push_back(
        {ask.priority, ask.place, static_cast<std::int32_t>(ask.count), ask.resource, ask.relax_locality, ask.extras});
  batch.release = request.release;
  batch.exclude = request.exclusion_add;
  batch.include = request.exclusion_remove;
  return batch;
}

bool asks_extras(const AllocateRequest& request) {
  return std::any_of(request.asks.begin(), request.asks.end(),
                     [](const ResourceAsk& ask) { return ask.count > 0 && !ask.extras.empty(); });
}

/// A request that asks for a container larger than there may be is refused whole. The setting decides, not the nodes
/// that are here now: an ask that was right once stays so.
bool is_excessive(const AllocateRequest& request, const Resource& most) {
  return std::any_of(request.asks.begin(), request.asks.end(),
                     [&](const ResourceAsk& ask) { return ask.count > 0 && !fits_in(ask.resource, most); });
}

/// A wait begins with the first ask, not with each that repeats it.
void mark_waiting(Instant now, Application& application, const AllocateRequest& request) {
  for (const ResourceAsk& ask : request.asks) {
    if (ask.count <= 0) continue;
    application.waits.asked = ask.resource;
    if (!application.waits.containers_since) application.waits.containers_since = now;
  }
}

}  // namespace

// -- from allocators ---------------------------------------------------------------

void ResourceManager::on_allocate_request(Instant now, const AllocateRequest& message) {
  Application* application = applications_.find_attempt(message.attempt);
  if (application == nullptr || application->response_id < 0) return refuse_request(now, message);
  if (has_untold_end(application->id)) {
    tell_ends(now);
    application = applications_.find_attempt(message.attempt);
    if (application == nullptr || application->response_id < 0) return refuse_request(now, message);
  }
  application->last_heard = now;
  application->allocator = caf::actor_cast<YarnAllocatorActor>(self_->current_sender());
  if (next_response_id(message.response_id) == application->response_id && application->last_response) {
    self_->send(application->allocator, *application->last_response);
    return;
  }
  if (message.response_id != application->response_id)
    return note(now, "stale_allocate_request", ports::EventFields{}.add("response_id", message.response_id));
  answer(now, *application, message);
}

void ResourceManager::refuse_request(Instant now, const AllocateRequest& request) {
  note(now, "unknown_attempt", ports::EventFields{}.add("attempt", request.attempt));
  AllocateResponse response;
  response.resync = true;
  self_->send(caf::actor_cast<YarnAllocatorActor>(self_->current_sender()), response);
}

void ResourceManager::answer(Instant now, Application& application, const AllocateRequest& request) {
  answering_ = application.id;
  AllocateResponse response;
  policies::ResourceEffects effects;
  policies::Allocation earlier;
  const policies::AskBatch batch = batch_of(request);
  const Resource most{settings_.allocation_max_mib, settings_.allocation_max_cores};
  if (is_excessive(request, most)) earlier.refusal = policies::AskRefusal::exceeds_maximum;
  else if (!batch.is_empty() || application.has_grants)
    earlier = scheduler_.apply(now, policies::resource_input::AsksMade{request.attempt, batch}, effects);
  if (earlier.refusal)
    note(now, "asks_refused", ports::EventFields{}.add("reason", policies::to_string(*earlier.refusal)));
  else if (asks_extras(request)) application.waits.extras_since = now;
  else mark_waiting(now, application, request);
  response.allocated = described(earlier);
  apply_effects(now, effects, EndCause::decided, "released by its application");
  // What is free is offered inside the request, so that it rides on the answer and not on one of the next.
  if (!request.asks.empty() && !earlier.refusal) {
    offer_after_change(now);
    policies::ResourceEffects more;
    const policies::Allocation granted =
        scheduler_.apply(now, policies::resource_input::AsksMade{request.attempt, {}}, more);
    apply_effects(now, more, EndCause::decided, "");
    for (GrantedContainer& each : described(granted)) response.allocated.push_back(std::move(each));
  }
  answering_.reset();
  application.has_grants = false;
  applications_.schedule(application);
  application.response_id = next_response_id(application.response_id);
  response.response_id = application.response_id;
  response.completed.swap(application.ends);
  response.lost_nodes.swap(application.lost_nodes);
  response.decommissioning_hosts = nodes_.decommissioning_hosts();
  response.cluster_nodes = static_cast<std::int32_t>(nodes_.rows().size());
  application.is_announced = false;
  application.last_response = response;
  self_->send(application.allocator, response);
}

std::vector<GrantedContainer> ResourceManager::described(const policies::Allocation& allocation) {
  std::vector<GrantedContainer> granted;
  for (const policies::ContainerAssigned& each : allocation.granted) {
    const Node* node = nodes_.find(each.node);
    PlacedContainer* placed = nodes_.find_container(each.container);
    HEDDLE_ASSERT(node != nullptr && placed != nullptr,
                  "container " + to_string(each.container) + " is granted on a node that is up");
    placed->is_handed_over = true;
    granted.push_back({each.container, each.node, node->host, node->address, each.priority, each.resource});
  }
  return granted;
}

void ResourceManager::offer_after_change(Instant now) {
  if (!settings_.offer_on_change) return;
  offer_candidates_.offer_all([this](NodeId node) { return scheduler_->has_room(node); },
                              [this, now](NodeId node) { return offer_node(now, node, policies::OfferCause::change); });
}

/// Room comes with ends and with reservations that are dropped or become containers, and nothing but an effect tells of
/// it.
void ResourceManager::note_room(const policies::ResourceEffect& effect) {
  if (const auto* assigned = std::get_if<policies::ContainerAssigned>(&effect)) note_room(assigned->node);
  else if (const auto* ended = std::get_if<policies::ContainerEnded>(&effect)) note_room(ended->node);
  else if (const auto* dropped = std::get_if<policies::ReservationDropped>(&effect)) note_room(dropped->node);
}

bool ResourceManager::offer_node(Instant now, NodeId node, policies::OfferCause cause) {
  if (const Node* known = nodes_.find(node); known == nullptr || known->is_decommissioning) return false;
  policies::ResourceEffects effects;
  scheduler_.apply(now, policies::resource_input::NodeOffered{node, cause}, effects);
  apply_effects(now, effects, EndCause::decided, "taken back");
  return std::any_of(effects.begin(), effects.end(),
                     [](const auto& effect) { return std::holds_alternative<policies::ContainerAssigned>(effect); });
}

// -- what the scheduler decided --------------------------------------------------------

void ResourceManager::apply_effects(Instant now, const policies::ResourceEffects& effects, EndCause cause,
                                    const std::string& text) {
  for (const policies::ResourceEffect& effect : effects) apply_effects(now, effect, cause, text);
}

void ResourceManager::apply_effects(Instant now, const policies::ResourceEffect& effect, EndCause cause,
                                    const std::string& text) {
  note_room(effect);
  if (const auto* assigned = std::get_if<policies::ContainerAssigned>(&effect)) on_assigned(now, *assigned);
  else if (const auto* ended = std::get_if<policies::ContainerEnded>(&effect))
    on_ended(*ended, cause, ended->exit_status == container_exit_status::preempted ? preempted_text : text);
  else if (const auto* chosen = std::get_if<policies::ContainerChosen>(&effect))
    note(now, "container_chosen", ports::EventFields{}.add("container", chosen->container));
  else if (const auto* may_run = std::get_if<policies::ApplicationMayRun>(&effect))
    note(now, "application_may_run", ports::EventFields{}.add("application", may_run->application));
  else if (const auto* reserved = std::get_if<policies::NodeReserved>(&effect))
    note(now, "node_reserved", ports::EventFields{}.add("node", reserved->node));
}

void ResourceManager::on_assigned(Instant now, const policies::ContainerAssigned& assigned) {
  Application* application = applications_.find_attempt(assigned.attempt);
  HEDDLE_ASSERT(application != nullptr, "container " + to_string(assigned.container) + " is for an attempt that lives");
  nodes_.place(assigned.container, {assigned.node, assigned.attempt, assigned.resource, now, false, assigned.is_master,
                                    assigned.is_master});
  application->nodes.insert(assigned.node);
  application->containers.insert(assigned.container);
  note(now, "container_allocated",
       ports::EventFields{}
           .add("container", assigned.container)
           .add("node", assigned.node)
           .add("locality", policies::to_string(assigned.locality)));
  if (assigned.is_master) return start_master(now, *application, assigned);
  application->has_grants = true;
  if (answering_ != application->id) announce(*application);
}

void ResourceManager::on_ended(const policies::ContainerEnded& ended, EndCause cause, const std::string& text) {
  Application* application = applications_.find(ended.attempt.application);
  const PlacedContainer* placed = nodes_.find_container(ended.container);
  if (application == nullptr || placed == nullptr) return;
  const bool is_known_to_it = placed->is_handed_over && !placed->is_master;
  const bool leaves_by_itself = ended.container == application->master_container && application->leave_by.has_value();
  if (cause == EndCause::decided && !leaves_by_itself) stop_container(ended.container, ended.exit_status, text);
  // A start that is still on its way finds itself refused at the node, so nothing has to be waited for.
  if (!ended.is_on_node && !leaves_by_itself) {
    nodes_.forget(ended.container);
    application->containers.erase(ended.container);
  }
  if (!is_known_to_it || !application->is_live() || application->attempt != ended.attempt.attempt) return;
  application->ends.push_back({ended.container, ended.exit_status, text});
  if (answering_ != application->id) announce(*application);
}

void ResourceManager::announce(Application& application) {
  if (application.is_announced || !application.allocator) return;
  application.is_announced = true;
  self_->send(application.allocator, AllocateSoon{});
}

void ResourceManager::stop_container(ContainerId container, std::int32_t exit_status, const std::string& reason) {
  const PlacedContainer* placed = nodes_.find_container(container);
  if (placed == nullptr) return;
  if (const Node* node = nodes_.find(placed->node))
    self_->send(node->handle, StopContainer{container, exit_status, reason});
}

}  // namespace heddle::actors

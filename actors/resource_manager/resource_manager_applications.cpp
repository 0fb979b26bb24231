// Applications and their attempts: submission, the master container, registration, the end.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "actors/resource_manager/resource_manager.hpp"
#include "model/container.hpp"
#include "policies/cluster/resource_calculator.hpp"
#include "policies/map_reduce/container_requests.hpp"

namespace heddle::actors {
namespace {

using namespace std::chrono_literals;

/// How long a master that has reported its application's end may take to leave.
constexpr Duration master_leave_wait = 2s;

/// The reason that a scheduler gives where no node has room for what is asked.
constexpr std::string_view no_room = "no_room";

/// Ends that are no fault of the application: they cost it no attempt.
bool counts_as_failure(std::int32_t exit_status) {
  return exit_status != container_exit_status::preempted && exit_status != container_exit_status::aborted &&
         exit_status != container_exit_status::disks_failed &&
         exit_status != container_exit_status::killed_by_resource_manager;
}

/// In a time that tells nothing of where they differ.
bool is_same_secret(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  int difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= a[i] ^ b[i];
  return difference == 0;
}

}  // namespace

policies::ContainerLimit ResourceManager::limit() const {
  const Resource maximum{settings_.allocation_max_mib, settings_.allocation_max_cores};
  const bool are_all_nodes_here =
      start_.nodes_expected > 0 && static_cast<std::int32_t>(nodes_.rows().size()) >= start_.nodes_expected;
  if (!are_all_nodes_here) return {maximum, std::nullopt};
  return {policies::smaller_of_each(maximum, nodes_.largest()), nodes_.largest_extras()};
}

void ResourceManager::on_submit_application(Instant now, const SubmitApplication& message) {
  tell_ends(now);
  const auto client = caf::actor_cast<ClientActor>(self_->current_sender());
  // A refused application has had its number too: whoever submits several in a row knows theirs beforehand.
  Application& application = applications_.add(message, client);
  const policies::SubmissionAnswer verdict = admit(now, application);
  if (!verdict.is_accepted) {
    note(now, "application_refused");
    if (client) self_->send(client, ApplicationRefused{verdict.refusal});
    applications_.forget(application.id);
    return;
  }
  application.submission.queue = verdict.queue;
  application.accepted_at = now;
  const auto most = static_cast<std::int32_t>(settings_.application_attempts_max);
  application.attempts_max = message.attempts_max <= 0 ? most : std::min(message.attempts_max, most);
  application.token = make_token();
  note(now, "application_accepted", ports::EventFields{}.add("application", application.id));
  if (client) {
    self_->monitor(client);
    self_->send(client, ApplicationAccepted{application.id, verdict.queue});
    tell_unread_keys(std::exchange(start_.unread_keys, {}));
  }
  start_attempt(now, application);
}

std::string ResourceManager::make_token() {
  if (start_.make_token) return start_.make_token();
  const std::uint64_t first = tools_.random.next();
  return fmt::format("{:016x}{:016x}", first, tools_.random.next());
}

policies::SubmissionAnswer ResourceManager::admit(Instant now, const Application& application) {
  const auto& asked = application.submission;
  if (const auto label = policies::check_node_label(asked.node_label); !label) return {false, {}, label.error().text};
  if (!asked.node_label.empty())
    return {
        false,
        {},
        "Invalid resource request, node label not enabled but request contains label expression " + asked.node_label};
  if (std::string refusal = policies::why_too_large("the master container", asked.master, asked.master_extras, limit());
      !refusal.empty())
    return {false, {}, std::move(refusal)};
  const auto groups = start_.groups_of ? start_.groups_of(asked.user) : std::vector<std::string>{};
  auto placed = scheduler_->place({asked.queue, asked.user, groups});
  if (!placed.refusal.empty()) return {false, {}, std::move(placed.refusal)};
  if (start_.access && !start_.access->may_submit(placed.queue, asked.user, groups))
    return {false,
            {},
            fmt::format("user {} does not have permission to submit {} to queue {}", asked.user,
                        to_string(application.id), placed.queue)};
  return scheduler_.apply(
      now, policies::resource_input::ApplicationAdded{{application.id, std::move(placed.queue), asked.user,
                                                       asked.priority, asked.master, asked.master_extras}});
}

void ResourceManager::start_attempt(Instant now, Application& application) {
  application.begin_attempt(now);
  note(now, "attempt_started", ports::EventFields{}.add("attempt", application.attempt_id()));
  policies::ResourceEffects effects;
  scheduler_.apply(now, policies::resource_input::AttemptAdded{application.attempt_id()}, effects);
  apply_effects(now, effects, EndCause::decided, "");
  applications_.schedule(application);
  offer_after_change(now);
}

void ResourceManager::start_master(Instant now, Application& application, const policies::ContainerAssigned& assigned) {
  application.enter(ApplicationPhase::launched);
  application.master_container = assigned.container;
  application.last_heard = now;
  applications_.schedule(application);
  self_->send(nodes_.find(assigned.node)->handle,
              StartContainer{assigned.container, application.attempt_id(), assigned.resource, application.token,
                             application.submission.launch});
}

void ResourceManager::on_register_application_master(Instant now, const RegisterApplicationMaster& message) {
  const auto master = caf::actor_cast<ApplicationMasterActor>(self_->current_sender());
  Application* application = applications_.find_attempt(message.attempt);
  if (application == nullptr || application->phase == ApplicationPhase::accepted) {
    note(now, "stale_register_application_master", ports::EventFields{}.add("attempt", message.attempt));
    self_->send(master, FinishedApplication{});
    return;
  }
  if (!is_same_secret(message.token, application->token)) {
    note(now, "foreign_application_master", ports::EventFields{}.add("attempt", message.attempt));
    self_->send(master, FinishedApplication{});
    return;
  }
  application->last_heard = now;
  if (application->phase == ApplicationPhase::launched) {
    application->enter(ApplicationPhase::running);
    application->master = master;
    application->response_id = 0;
    if (PlacedContainer* placed = nodes_.find_container(application->master_container)) placed->is_running = true;
    scheduler_.apply(now, policies::resource_input::ContainerLaunched{application->master_container});
    self_->monitor(master);
    note(now, "master_registered", ports::EventFields{}.add("attempt", message.attempt));
    if (!message.driver_address.empty() && application->client)
      self_->send(application->client, DriverReady{message.attempt, message.driver_address});
  }
  const auto most = limit();
  self_->send(master,
              RegisteredApplicationMaster{most.resource, application->token, scheduler_->counted_kinds(), most.extras});
}

void ResourceManager::on_finish_application(Instant now, const FinishApplication& message) {
  tell_ends(now);
  const auto master = caf::actor_cast<ApplicationMasterActor>(self_->current_sender());
  Application* application = applications_.find_attempt(message.attempt);
  if (application != nullptr && application->phase != ApplicationPhase::running) {
    note(now, "finish_before_registration", ports::EventFields{}.add("attempt", message.attempt));
    return self_->send(
        master, ApplicationMasterNotRegistered{"Application Master is trying to unregister before registering for: " +
                                               to_string(message.attempt.application)});
  }
  self_->send(master, FinishedApplication{});
  if (application == nullptr)
    return note(now, "stale_finish_application", ports::EventFields{}.add("attempt", message.attempt));
  application->leave_by = now + master_leave_wait;
  finish(now, *application, message.succeeded, message.text);
}

void ResourceManager::on_kill_application(Instant now, const KillApplication& message) {
  tell_ends(now);
  Application* application = applications_.find(message.application);
  if (application == nullptr || !application->is_live())
    return note(now, "stale_kill_application", ports::EventFields{}.add("application", message.application));
  finish(now, *application, false, "it was killed: " + message.reason);
}

void ResourceManager::end_attempt(Instant now, Application& application, std::int32_t exit_status,
                                  const std::string& text) {
  if (counts_as_failure(exit_status)) ++application.failures;
  note(now, "attempt_ended",
       ports::EventFields{}.add("attempt", application.attempt_id()).add("exit_status", exit_status));
  policies::ResourceEffects effects;
  scheduler_.apply(now, policies::resource_input::AttemptRemoved{application.attempt_id()}, effects);
  apply_effects(now, effects, EndCause::decided, "its attempt ended");
  // The master's process may live on where only its node is lost: nobody waits for what it does.
  if (application.master) self_->send(application.master, FinishedApplication{});
  if (application.failures >= application.attempts_max)
    return finish(now, application, false, fmt::format("the last of {} attempts ended: {}", application.attempt, text));
  if (application.client)
    self_->send(application.client, Notice{fmt::format("attempt {} of the application ended: {}; attempt {} starts",
                                                       application.attempt, text, application.attempt + 1)});
  start_attempt(now, application);
}

void ResourceManager::finish(Instant now, Application& application, bool succeeded, const std::string& text) {
  application.enter(ApplicationPhase::ended);
  application.succeeded = succeeded;
  note(now, "application_ended", ports::EventFields{}.add("application", application.id).add("succeeded", succeeded));
  policies::ResourceEffects effects;
  scheduler_.apply(now, policies::resource_input::ApplicationRemoved{application.id}, effects);
  apply_effects(now, effects, EndCause::decided, "its application has ended");
  tell_client_of_end(application, text);
  applications_.schedule(application);
  forget_when_empty(application);
  offer_after_change(now);
}

void ResourceManager::on_reload_queues(Instant now, const ReloadQueues& message) {
  tell_ends(now);
  if (!start_.read_queues) return note(now, "queues_refused");
  policies::ResourceEffects effects;
  Result<Done> taken = Error{Errc::io, message.problem};
  Result<policies::QueueFile> queues = taken.error();
  if (message.problem.empty()) {
    queues = start_.read_queues(message.file, message.content);
    taken = queues ? scheduler_.apply(
                         now,
                         policies::resource_input::QueuesChanged{std::make_shared<const policies::QueueFile>(*queues),
                                                                 message.file, message.content},
                         effects)
                   : Result<Done>{queues.error()};
    if (taken && start_.access)
      start_.access = std::visit([](const auto& file) { return policies::QueueAccess{file}; }, *queues);
  }
  if (!taken) {
    note(now, "queues_refused");
    return tell_clients("the queues stay as they were: " + taken.error().text);
  }
  note(now, "queues_reloaded");
  for (const auto& [id, node] : nodes_.rows()) note_room(id);  // what room is depends on the rules
  tell_clients("the queues are those of " + message.file + " now");
  if (const auto* capacity = std::get_if<config::CapacitySchedulerFile>(&*queues))
    tell_unread_keys(capacity->unread_keys);
  apply_effects(now, effects, EndCause::decided, "");
  offer_after_change(now);
}

void ResourceManager::tell_clients(const std::string& text) {
  for (auto& [id, application] : applications_.rows())
    if (application.is_live() && application.client) self_->send(application.client, Notice{text});
}

void ResourceManager::tell_unread_keys(const std::vector<std::string>& keys) {
  for (const std::string& key : keys)
    if (named_keys_.insert(key).second) tell_clients("nothing reads this key of the queue file: " + key);
}

void ResourceManager::explain_wait(Instant now, Application& application) {
  if (application.waits.extras_since && now - *application.waits.extras_since >= explained_wait)
    explain_extras(application);
  if (application.waits.containers_since && now - *application.waits.containers_since >= explained_wait)
    explain_containers(application);
  if (!application.is_master_wait_open() || now - application.accepted_at < explained_wait) return;
  application.waits.is_master_explained = true;
  const auto why = scheduler_->explain(application.id);
  self_->send(application.client,
              Notice{fmt::format("the application waits in {}: {}{}", application.submission.queue, why.sentence,
                                 why.reason == no_room ? memory_in_words(application.submission.master) : "")});
}

/// Its master runs, but containers that need more than memory and cores do not.
void ResourceManager::explain_extras(Application& application) {
  application.waits.extras_since.reset();
  if (application.phase != ApplicationPhase::running || !application.client) return;
  const auto why = scheduler_->explain(application.id);
  if (why.reason != "resource_held" && why.reason != "no_node_has_resource" && why.reason != "queue_at_maximum") return;
  self_->send(application.client,
              Notice{fmt::format("a container waits in {}: {}", application.submission.queue, why.sentence)});
}

/// Its master runs, but not one other container, and nothing else will be said about that.
void ResourceManager::explain_containers(Application& application) {
  application.waits.containers_since.reset();
  const bool is_waiting = application.phase == ApplicationPhase::running && application.containers.size() <= 1;
  if (!is_waiting || !application.client || application.waits.are_containers_explained) return;
  const auto why = scheduler_->explain(application.id);
  if (why.reason == "nothing_asked" || why.reason == "demand_not_seen") return;
  application.waits.are_containers_explained = true;
  self_->send(application.client,
              Notice{fmt::format("a container waits in {}: {}{}", application.submission.queue, why.sentence,
                                 why.reason == no_room ? memory_in_words(application.waits.asked) : "")});
}

std::string ResourceManager::memory_in_words(const Resource& asked) const {
  const Node* roomiest = nullptr;
  for (const auto& [id, node] : nodes_.rows())
    if (roomiest == nullptr || nodes_.free_memory_mib(node) > nodes_.free_memory_mib(*roomiest)) roomiest = &node;
  if (roomiest == nullptr || nodes_.free_memory_mib(*roomiest) >= asked.memory_mib) return {};
  return fmt::format(" It needs {} MiB of memory; the most that is free is {} of {} MiB, on node {}.", asked.memory_mib,
                     nodes_.free_memory_mib(*roomiest), roomiest->capacity.memory_mib, roomiest->host);
}

void ResourceManager::tell_client_of_end(Application& application, const std::string& text) {
  if (application.client)
    self_->send(application.client, ApplicationEnded{application.id, application.succeeded, text});
}

void ResourceManager::forget_when_empty(Application& application) {
  if (application.is_live() || !application.containers.empty()) return;
  for (const NodeId id : application.nodes)
    if (const Node* node = nodes_.find(id)) self_->send(node->handle, ForgetApplication{application.id});
  application.nodes.clear();
  has_ended_applications_ = true;
}

}  // namespace heddle::actors

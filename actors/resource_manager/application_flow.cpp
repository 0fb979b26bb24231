// Applications and their attempts: submission, master container, registration, end.
#include "actors/resource_manager/application_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "actors/resource_manager/allocate_flow.hpp"
#include "actors/resource_manager/wait_flow.hpp"
#include "model/container_end.hpp"
#include "policies/map_reduce/container_requests.hpp"
#include "runtime/secret.hpp"

namespace heddle::actors {
namespace {

using namespace std::chrono_literals;

/// Time for the process of a master to exit after FinishApplication; then its container is stopped.
constexpr Duration master_leave_wait = 2s;

/// Exits that YARN does not count against the attempt limit: the cluster caused them, not the application.
bool counts_as_failure(std::int32_t exit_status) { return classify_exit(exit_status) != ExitClass::platform; }

std::string make_token(ClusterTurn& turn) {
  auto& state = turn.state;
  if (state.start.make_token) return state.start.make_token();
  const std::uint64_t first = state.random.next();
  return fmt::format("{:016x}{:016x}", first, state.random.next());
}

/// Why no queue can accept the application; empty: no reason known.
std::string refusal_of(const ClusterState& state, const SubmitApplication& asked) {
  if (const auto label = policies::check_node_label(asked.node_label); !label) return label.error().text;
  if (!asked.node_label.empty())
    return "Invalid resource request, node label not enabled but request contains label expression " + asked.node_label;
  return policies::why_too_large("the master container", asked.master, state.limit());
}

policies::SubmissionAnswer admit(ClusterTurn& turn, const Application& application,
                                 const ports::UserGroups::Groups& groups) {
  auto& state = turn.state;
  const auto& asked = application.submission;
  if (auto refusal = refusal_of(state, asked); !refusal.empty()) return {false, {}, std::move(refusal)};
  auto placed = state.scheduler->place({asked.queue, asked.user, groups});
  if (!placed.refusal.empty()) return {false, {}, std::move(placed.refusal)};
  if (state.start.access && !state.start.access->may_submit(placed.queue, asked.user, groups))
    return {false,
            {},
            fmt::format("user {} does not have permission to submit {} to queue {}", asked.user,
                        to_string(application.id), placed.queue)};
  return state.scheduler.apply(
      turn.now, policies::resource_input::ApplicationAdded{
                    {application.id, std::move(placed.queue), asked.user, asked.priority, asked.master}});
}

void start_attempt(ClusterTurn& turn, Application& application) {
  auto& state = turn.state;
  application.begin_attempt(turn.now);
  turn.write_event("attempt_started", ports::EventFields{}.add("attempt", application.attempt_id()));
  policies::ResourceEffects effects;
  state.scheduler.apply(turn.now, policies::resource_input::AttemptAdded{application.attempt_id()}, effects);
  apply_decisions(turn, effects, EndCause::decided, "");
  state.applications.schedule(application);
  offer_after_change(turn);
}

void end_application(ClusterTurn& turn, Application& application, bool succeeded, const std::string& text) {
  auto& state = turn.state;
  application.enter(ApplicationPhase::ended);
  application.succeeded = succeeded;
  turn.write_event("application_ended",
                   ports::EventFields{}.add("application", application.id).add("succeeded", succeeded));
  policies::ResourceEffects effects;
  state.scheduler.apply(turn.now, policies::resource_input::ApplicationRemoved{application.id}, effects);
  apply_decisions(turn, effects, EndCause::decided, "its application has ended");
  if (application.peers.client)
    turn.effects.push_back(
        SendToApplicant{application.id, ApplicationEnded{application.id, application.succeeded, text}});
  state.applications.schedule(application);
  forget_when_empty(turn, application);
  offer_after_change(turn);
}

/// Sends a Notice to the client of each application that has not ended.
void notify_clients(ClusterTurn& turn, const std::string& text) {
  auto& state = turn.state;
  for (auto& [id, application] : state.applications.rows())
    if (application.is_live()) notify_client(turn, application, text);
}

void notify_of_unread_keys(ClusterTurn& turn, const std::vector<std::string>& keys) {
  auto& state = turn.state;
  for (const std::string& key : keys)
    if (state.named_keys.insert(key).second) notify_clients(turn, "heddle ignores this key of the queue file: " + key);
}

void decide_submission(ClusterTurn& turn, Application& application, const ports::UserGroups::Groups& groups) {
  auto& state = turn.state;
  const policies::SubmissionAnswer verdict = admit(turn, application, groups);
  if (!verdict.is_accepted) {
    turn.write_event("application_refused");
    if (application.peers.client)
      turn.effects.push_back(SendToApplicant{application.id, ApplicationRefused{verdict.refusal}});
    turn.effects.push_back(DropApplication{application.id});
    state.applications.forget(application.id);
    return;
  }
  application.submission.queue = verdict.queue;
  application.accepted_at = turn.now;
  application.waits.is_master_explained = false;
  const auto most = static_cast<std::int32_t>(state.settings.application_attempts_max);
  const auto asked = application.submission.attempts_max;
  application.attempts_max = asked <= 0 ? most : std::min(asked, most);
  application.token = make_token(turn);
  turn.write_event("application_accepted", ports::EventFields{}.add("application", application.id));
  if (application.peers.client) {
    turn.effects.push_back(SendToApplicant{application.id, ApplicationAccepted{application.id, verdict.queue}});
    notify_of_unread_keys(turn, std::exchange(state.start.unread_keys, {}));
  }
  start_attempt(turn, application);
}

}  // namespace

void submit_application(ClusterTurn& turn, const SubmitApplication& message, bool has_sender) {
  auto& state = turn.state;
  // A refused application uses a number too, so that a client that submits several in a row can predict their ids.
  Application& application = state.applications.add(message, has_sender);
  if (has_sender) turn.effects.push_back(AddClient{application.id});
  const std::string& user = application.submission.user;
  std::optional<ports::UserGroups::Groups> groups = ports::UserGroups::Groups{};
  if (state.start.groups != nullptr && refusal_of(state, message).empty()) {
    // Applications of one user are decided in order of submission: this one waits if an earlier one does.
    const bool is_waiting = state.submissions.has_of(user);
    groups = is_waiting ? std::nullopt : state.start.groups->known(user);
    if (!groups && !is_waiting) turn.effects.push_back(LookUpGroups{user});
  }
  if (groups) return decide_submission(turn, application, *groups);
  state.submissions.add(application.id, user);
  application.accepted_at = turn.now;  // a long wait is explained to the client, as the wait for a master
  state.applications.schedule(application);
}

void handle_groups_found(ClusterTurn& turn, const GroupsFound& message) {
  auto& state = turn.state;
  if (!state.submissions.has_of(message.user)) return;
  const auto groups = state.start.groups->known(message.user);
  if (!groups) {
    turn.effects.push_back(LookUpGroups{message.user});
    return;
  }
  for (const WaitingSubmission& each : state.submissions.take(message.user)) {
    decide_submission(turn, *state.applications.find(each.application), *groups);
    Application* accepted = state.applications.find(each.application);
    if (accepted != nullptr && accepted->is_live() && each.killed)
      end_application(turn, *accepted, false, "the application was killed: " + *each.killed);
  }
}

void start_master(ClusterTurn& turn, Application& application, const policies::ContainerAssigned& assigned) {
  auto& state = turn.state;
  application.enter(ApplicationPhase::launched);
  application.master_container = assigned.container;
  application.last_heard = turn.now;
  state.applications.schedule(application);
  turn.effects.push_back(
      SendToNode{assigned.node, StartContainer{assigned.container, application.attempt_id(), assigned.resource,
                                               application.token, application.submission.launch}});
}

void register_master(ClusterTurn& turn, const RegisterApplicationMaster& message) {
  auto& state = turn.state;
  Application* application = state.applications.find_attempt(message.attempt);
  if (application == nullptr || application->phase == ApplicationPhase::accepted) {
    turn.write_event("stale_register_application_master", ports::EventFields{}.add("attempt", message.attempt));
    turn.effects.push_back(ReplyToMaster{FinishedApplication{}});
    return;
  }
  if (!runtime::is_same_secret(message.token, application->token)) {
    turn.write_event("foreign_application_master", ports::EventFields{}.add("attempt", message.attempt));
    turn.effects.push_back(ReplyToMaster{FinishedApplication{}});
    return;
  }
  application->last_heard = turn.now;
  if (application->phase == ApplicationPhase::launched) {
    application->enter(ApplicationPhase::running);
    application->peers.master = true;
    application->answers.id = 0;
    const PlacedContainer* placed = state.nodes.find_container(application->master_container);
    if (placed != nullptr && !placed->is_running) state.nodes.mark_running(application->master_container);
    state.scheduler.apply(turn.now, policies::resource_input::ContainerLaunched{application->master_container});
    turn.effects.push_back(AddMaster{message.attempt.application});
    turn.write_event("master_registered", ports::EventFields{}.add("attempt", message.attempt));
    if (!message.driver_address.empty() && application->peers.client)
      turn.effects.push_back(SendToApplicant{application->id, DriverReady{message.attempt, message.driver_address}});
  }
  const auto most = state.limit();
  turn.effects.push_back(ReplyToMaster{RegisteredApplicationMaster{
      most.resource, application->token, state.scheduler->counted_kinds(), most.limits_others}});
}

void finish_application(ClusterTurn& turn, const FinishApplication& message) {
  auto& state = turn.state;
  Application* application = state.applications.find_attempt(message.attempt);
  if (application != nullptr && application->phase != ApplicationPhase::running) {
    turn.write_event("finish_before_registration", ports::EventFields{}.add("attempt", message.attempt));
    turn.effects.push_back(ReplyToMaster{
        ApplicationMasterNotRegistered{"Application Master is trying to unregister before registering for: " +
                                       to_string(message.attempt.application)}});
    return;
  }
  turn.effects.push_back(ReplyToMaster{FinishedApplication{}});
  if (application == nullptr)
    return turn.write_event("stale_finish_application", ports::EventFields{}.add("attempt", message.attempt));
  application->leave_by = turn.now + master_leave_wait;
  end_application(turn, *application, message.succeeded, message.text);
}

void kill_application(ClusterTurn& turn, const KillApplication& message) {
  auto& state = turn.state;
  Application* application = state.applications.find(message.application);
  if (application == nullptr || !application->is_live())
    return turn.write_event("stale_kill_application", ports::EventFields{}.add("application", message.application));
  if (WaitingSubmission* waiting = state.submissions.find(message.application)) waiting->killed = message.reason;
  else end_application(turn, *application, false, "the application was killed: " + message.reason);
}

void end_attempt(ClusterTurn& turn, Application& application, std::int32_t exit_status, const std::string& text) {
  auto& state = turn.state;
  if (counts_as_failure(exit_status)) ++application.failures;
  turn.write_event("attempt_ended",
                   ports::EventFields{}.add("attempt", application.attempt_id()).add("exit_status", exit_status));
  policies::ResourceEffects effects;
  state.scheduler.apply(turn.now, policies::resource_input::AttemptRemoved{application.attempt_id()}, effects);
  apply_decisions(turn, effects, EndCause::decided, "its attempt ended");
  // If only the node was lost, the process of the master may still run. This commands it to exit.
  if (application.peers.master) turn.effects.push_back(SendToMaster{application.id, FinishedApplication{}});
  if (application.failures >= application.attempts_max)
    return end_application(turn, application, false,
                           fmt::format("the last of {} attempts ended: {}", application.attempt, text));
  notify_client(turn, application,
                fmt::format("attempt {} of the application ended: {}; attempt {} starts", application.attempt, text,
                            application.attempt + 1));
  start_attempt(turn, application);
}

void reload_queues(ClusterTurn& turn, const ReloadQueues& message) {
  auto& state = turn.state;
  if (!state.start.read_queues) return turn.write_event("queues_refused");
  policies::ResourceEffects effects;
  Result<Done> taken = Error{Errc::io, message.problem};
  Result<policies::QueueFile> queues = taken.error();
  if (message.problem.empty()) {
    queues = state.start.read_queues(message.file, message.content);
    taken = queues ? state.scheduler.apply(
                         turn.now,
                         policies::resource_input::QueuesChanged{std::make_shared<const policies::QueueFile>(*queues),
                                                                 message.file, message.content},
                         effects)
                   : Result<Done>{queues.error()};
    if (taken && state.start.access)
      state.start.access = std::visit([](const auto& file) { return policies::QueueAccess{file}; }, *queues);
  }
  if (!taken) {
    turn.write_event("queues_refused");
    return notify_clients(turn, "the queues stay as they were: " + taken.error().text);
  }
  turn.write_event("queues_reloaded");
  for (const auto& [id, node] : state.nodes.rows())
    mark_candidate(turn, id);  // which nodes have room depends on the rules of the queues
  notify_clients(turn, "the queues were reloaded from " + message.file);
  if (const auto* capacity = std::get_if<config::CapacitySchedulerFile>(&*queues))
    notify_of_unread_keys(turn, capacity->unread_keys);
  apply_decisions(turn, effects, EndCause::decided, "");
  offer_after_change(turn);
}

void lose_application_peers(ClusterTurn& turn, const LostPeers& lost) {
  auto& state = turn.state;
  for (auto& [id, application] : state.applications.rows()) {
    if (lost.clients.contains(id)) application.peers.client = false;
    if (!application.peers.master || !lost.masters.contains(id)) continue;
    application.peers.master = false;
    turn.write_event("master_lost", ports::EventFields{}.add("attempt", application.attempt_id()));
    // The process may still run without the connection. In both cases its node reports the end of the container.
    if (application.is_live())
      stop_container(turn, application.master_container, 0, "the connection to the application master broke");
  }
}

void forget_ended_applications(ClusterTurn& turn) {
  auto& state = turn.state;
  if (!std::exchange(state.has_ended_applications, false)) return;
  for (const ApplicationId& id :
       state.applications.forget_ended(static_cast<std::size_t>(state.settings.completed_applications_max)))
    turn.effects.push_back(DropApplication{id});
}

void forget_when_empty(ClusterTurn& turn, Application& application) {
  auto& state = turn.state;
  if (application.is_live() || !application.containers.empty()) return;
  for (const NodeId id : application.nodes)
    if (state.nodes.find(id) != nullptr) turn.effects.push_back(SendToNode{id, ForgetApplication{application.id}});
  application.nodes.clear();
  state.has_ended_applications = true;
}

}  // namespace heddle::actors

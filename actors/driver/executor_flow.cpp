#include "actors/driver/executor_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "actors/driver/job_flow.hpp"
#include "actors/driver/map_output_flow.hpp"
#include "actors/driver/offer_flow.hpp"
#include "actors/driver/task_flow.hpp"
#include "model/container_end.hpp"
#include "model/executor_numbers.hpp"
#include "policies/containers/executor_loss.hpp"

namespace heddle::actors {
namespace {

void send_ended_stages(Turn& turn, ExecutorId executor, ExecutorEntry& entry) {
  if (!entry.ended.empty()) turn.post(executor, UnloadStage{entry.epoch, std::exchange(entry.ended, {})});
}

/// Sends the whole request to the source, with the hosts where nothing may start.
void send_request(Turn& turn) {
  auto& state = turn.state;
  std::vector<std::string> excluded;
  if (state.settings.task_scheduler.exclusion)
    for (const auto& [name, host] : state.hosts.by_name())
      if (state.task_scheduler->is_host_excluded(host)) excluded.push_back(name);
  state.requests.set_excluded_hosts(std::move(excluded));
  if (state.requests.has_source()) turn.effects.push(SendToSource{state.requests.current()});
}

void reset_allocation(Turn& turn) {
  auto& state = turn.state;
  state.allocation.apply(turn.now, allocation_input::Reset{});
  const auto profiles = state.requests.current().profiles;
  for (const auto& requested : profiles)
    state.requests.set_total(requested.profile, state.allocation->target(requested.profile).value_or(0));
}

void send_migrations(Turn& turn) {
  auto& state = turn.state;
  if (state.migration.waiting() == 0) return;
  std::vector<ExecutorId> targets;
  for (const auto& [id, entry] : state.executors)
    if (entry.is_active() && !state.migration.is_leaving(entry.host)) targets.push_back(id);
  for (auto& batch : state.migration.assign(targets)) {
    const auto* source = state.executors.find(batch.from.executor);
    MigrateMapOutputs order{state.executors.find(batch.target)->epoch,
                            batch.shuffle,
                            state.stage_scheduler->outputs().reduces(batch.shuffle),
                            std::move(batch.maps),
                            {}};
    if (source != nullptr) order.from = source->place;
    turn.post(batch.target, std::move(order));
  }
}

/// The executors get no new tasks. Each is killed when it runs none.
void drain_executors(Turn& turn, const std::vector<ExecutorId>& executors, const std::string& reason,
                     bool whole_host = false) {
  auto& state = turn.state;
  std::vector<ExecutorId> idle;
  for (const auto id : executors) {
    auto* entry = state.executors.find(id);
    if (entry == nullptr || !entry->is_live()) continue;
    state.executors.drain(*entry, reason);
    if (entry->assigned == 0) idle.push_back(id);
    policies::TaskSchedulerEffects effects;
    state.task_scheduler.apply(turn.now, task_input::ExecutorDecommissioned{id, whole_host}, effects);
    turn.effects.push(std::move(effects));
  }
  kill_executors(turn, idle, reason);
}

void decommission_executors(Turn& turn, HostId host) {
  auto& state = turn.state;
  std::vector<ExecutorId> leaving;
  for (const auto& [id, entry] : state.executors) {
    if (!entry.is_live() || entry.host != host || !entry.drain_reason.empty()) continue;
    leaving.push_back(id);
    state.stage_scheduler.apply(turn.now, stage_input::ExecutorDecommissioned{id, true});
  }
  drain_executors(turn, leaving, "its host is being decommissioned", true);
}

/// The executors that still run no task. Others got one after ExecutorAllocation had found them idle.
std::vector<ExecutorId> still_idle(DriverState& state, const std::vector<ExecutorId>& executors) {
  std::vector<ExecutorId> idle;
  if (!state.requests.has_source()) return idle;
  for (const auto id : executors)
    if (const auto* entry = state.executors.find(id); entry != nullptr && entry->is_active() && entry->assigned == 0)
      idle.push_back(id);
  return idle;
}

/// Why the executor cannot register; empty if it can.
std::string refusal_of(const DriverState& state, const RegisterExecutor& message) {
  const auto& requests = state.requests;
  if (requests.stopped()) return "the application ends";
  if (message.build_id != state.settings.build_id) return std::string{policies::different_builds};
  if (state.executors.is_removed(message.executor)) return "its container has ended";
  // Ids are indexes of the deciders' tables: only ids that an allocator of this application can have given are valid.
  const auto attempts = std::max(requests.attempt(), state.settings.application_attempt) + std::int64_t{1};
  if (message.executor.value < 0 || message.executor.value > attempts * executors_per_attempt || message.cores < 1)
    return "its id or its number of cores is not valid in this application";
  return {};
}

void notify_of_removal(Turn& turn, const RemoveExecutor& message, const ExecutorEntry* live) {
  const auto& [reason, end] = message.loss;
  if (live == nullptr) {
    if (reason.kind == LossKind::start_failed)
      turn.notify_clients(fmt::format("executor {} could not be started: {}", message.executor.value, describe(end)));
    return;
  }
  if (turn.state.requests.stopped()) return;
  if (reason.kind != LossKind::killed || end.exit_status == container_exit_status::preempted)
    turn.notify_clients(
        fmt::format("executor {} on {} is lost: {}", message.executor.value, live->host_name, describe(end)));
}

}  // namespace

// -- registration ------------------------------------------------------------------------------

void register_executor(Turn& turn, const RegisterExecutor& message) {
  auto& state = turn.state;
  const auto id = message.executor;
  if (const auto refusal = refusal_of(state, message); !refusal.empty()) {
    turn.write_event("executor_refused", ports::EventFields{}.add("executor", id));
    if (policies::is_failure(refusal))
      turn.notify_clients_once(fmt::format(
          "an executor on {} is refused: {}; each node must run the build of the client", message.host, refusal));
    return turn.effects.push(ReplyToExecutor{StopExecutor{refusal}});
  }
  if (attempt_of(id) < state.requests.attempt()) {
    turn.write_event("stale_register_executor", ports::EventFields{}.add("executor", id));
    return turn.effects.push(ReplyToExecutor{StopExecutor{"its allocator is gone"}});
  }
  if (state.executors.is_live(id)) turn.effects.push(LoseExecutor{id, {LossKind::process_lost, true}});
  turn.effects.push(AddExecutor{message});
}

void apply(Turn& turn, const AddExecutor& step) {
  auto& state = turn.state;
  const auto& message = step.registration;
  const auto id = message.executor;
  // The same executor id means another location now: all readers get whole tables again.
  if (const auto* former = state.executors.find(id); former != nullptr && former->place != message.shuffle_place)
    state.broadcast.restart();
  forget_lost_executors(turn);
  state.broadcast.forget_reader(id);
  const auto host = turn.host_id(message.host);
  const auto epoch = state.executors.add(message, host, turn.now).epoch;
  state.task_scheduler.apply(turn.now, task_input::ExecutorIntroduced{id, to_string(id)});
  state.stage_scheduler.apply(turn.now, stage_input::ExecutorRegistered{id, host});
  state.allocation.apply(turn.now, allocation_input::ExecutorRegistered{id, message.profile});
  turn.write_event("executor_registered", ports::EventFields{}
                                              .add("executor", id)
                                              .add("host", message.host)
                                              .add("cores", message.cores)
                                              .add("profile", message.profile));
  turn.effects.push(ConnectExecutor{id});
  turn.post(id, RegisteredExecutor{epoch});
  if (state.jobs.has_removable_shuffles()) turn.post(id, state.jobs.removable_shuffles(epoch));
  if (state.requests.has_source()) turn.effects.push(SendToSource{ExecutorRegistered{id}});
  if (!state.gate.is_open()) turn.effects.push(Step{start_waiting_jobs});
  turn.effects.push(UseExecutor{id});
}

/// Runs after jobs that waited for executors have started.
void apply(Turn& turn, const UseExecutor& step) {
  auto& state = turn.state;
  const auto host = state.executors.find(step.executor)->host;
  if (state.migration.is_leaving(host)) return decommission_executors(turn, host);
  turn.effects.push(Step{check_barrier_slots_early});
  turn.effects.push(Step{send_migrations});
  turn.effects.push(OfferExecutor{step.executor});
}

void handle_heartbeat(Turn& turn, const Heartbeat& message) {
  auto& state = turn.state;
  if (auto* entry = state.executors.current(message.executor, message.epoch)) {
    entry->last_heard = turn.now;
    apply_task_progress(turn, message.running);
    return turn.effects.push(SendEndedStages{message.executor});
  }
  // If the executor is live in another epoch, the heartbeat is stale. If it is unknown, the Driver has removed it but
  // it still runs: it may register again.
  if (state.requests.stopped() || state.executors.is_live(message.executor)) return;
  turn.write_event("executor_unknown", ports::EventFields{}.add("executor", message.executor));
  if (state.executors.is_removed(message.executor))
    return turn.effects.push(ReplyToExecutor{StopExecutor{"its container has ended"}});
  turn.effects.push(ReplyToExecutor{RegisterAgain{message.epoch}});
}

void notify_of_wait(Turn& turn, ExecutorId executor, const TaskOutcome& outcome) {
  const auto* entry = turn.state.executors.find(executor);
  if (outcome.state != TaskState::running || outcome.text.empty() || entry == nullptr) return;
  if (turn.state.reports.poll_wait_notice(turn.now))
    turn.notify_clients(fmt::format("executor {} on {}: {}", executor.value, entry->host_name, outcome.text));
}

void apply(Turn& turn, const SendEndedStages& step) {
  if (auto* entry = turn.state.executors.find(step.executor); entry != nullptr && entry->is_live())
    send_ended_stages(turn, step.executor, *entry);
}

void unload_stage(Turn& turn, ExecutorId executor, ExecutorEntry& entry, const StageKey& stage, bool is_urgent) {
  constexpr std::size_t stages_per_message = 32;
  if (entry.installed.erase(stage) == 0 || !entry.is_live()) return;
  entry.ended.push_back(stage);
  if (is_urgent || entry.ended.size() >= stages_per_message) send_ended_stages(turn, executor, entry);
}

// -- loss ----------------------------------------------------------------------------------------

/// The source will report the reason. Until then the executor gets no offers, and its tasks stay as they are.
void disconnect_executor(Turn& turn, ExecutorId executor) {
  auto& state = turn.state;
  auto* entry = state.executors.find(executor);
  if (entry == nullptr || !entry->is_live() || entry->phase == ExecutorPhase::disconnected) return;
  const auto wait = state.requests.has_lost_source() ? Duration{0} : state.settings.loss_reason_wait;
  state.executors.disconnect(executor, turn.now + wait);
  turn.write_event("executor_disconnected", ports::EventFields{}.add("executor", executor));
  policies::TaskSchedulerEffects effects;
  state.task_scheduler.apply(turn.now, task_input::ExecutorGone{executor, {LossKind::pending, true}}, effects);
  turn.effects.push(std::move(effects));
  turn.effects.push(ArmTick{});
}

void apply(Turn& turn, const LoseExecutor& step) {
  auto& state = turn.state;
  const auto id = step.executor;
  const auto* entry = state.executors.find(id);
  if (entry == nullptr || !entry->is_live()) return;
  if (step.is_overdue) turn.write_event("executor_lost", ports::EventFields{}.add("executor", id));
  const bool has_drained = entry->has_drained() && step.reason.kind == LossKind::killed;
  state.executors.lose(id, state.jobs.next_id());
  state.rounds.remove(id);
  TaskEffects effects{{}, nullptr, step.text};
  state.task_scheduler.apply(turn.now, task_input::ExecutorGone{id, step.reason}, effects.decided);
  policies::StageEffects stage_effects;
  // Map outputs belong to the node and stay, unless the node is lost too.
  if (step.reason.kind == LossKind::node_lost) {
    state.stage_scheduler.apply(turn.now, stage_input::ExecutorGone{id, entry->host}, stage_effects);
    state.migration.remove_sources({id});
  }
  state.allocation.apply(turn.now,
                         allocation_input::ExecutorGone{id, has_drained ? LossKind::decommissioned : step.reason.kind});
  state.broadcast.mark_all_changed();
  turn.effects.push(DisconnectExecutor{id});
  turn.effects.push(std::move(stage_effects));
  turn.effects.push(std::move(effects));
  if (state.settings.map_outputs.executors_serve && step.reason.kind != LossKind::node_lost)
    turn.effects.push(ReplaceOutputServer{entry->place.node, entry->host});
  turn.effects.push(RetargetMigrations{id});
  turn.effects.push(ArmTick{});
}

void apply(Turn& turn, const RetargetMigrations& step) {
  turn.state.migration.remove_target(step.lost);
  send_migrations(turn);
  request_full_round(turn);
}

/// A silent or disconnected executor may still hold its container. So the source kills the container and starts another
/// one, because the target stays (HB-3).
void lose_overdue_executors(Turn& turn) {
  auto& state = turn.state;
  const auto overdue = state.executors.take_overdue(turn.now);
  kill_executors(turn, overdue.silent, "no heartbeat came in time");
  kill_executors(turn, overdue.disconnected, "its connection to the driver broke");
  // Without an allocator the cluster may have ended the executor, so its lost task attempts do not count as failures.
  const LossReason reason{LossKind::process_lost, !state.requests.has_lost_source()};
  for (const auto id : overdue.all) turn.effects.push(LoseExecutor{id, reason, {}, true});
}

void remove_executor(Turn& turn, const RemoveExecutor& message, bool is_stale) {
  auto& state = turn.state;
  const auto id = message.executor;
  if (is_stale) return turn.write_event("stale_remove_executor", ports::EventFields{}.add("executor", id));
  turn.write_event("executor_removed",
                   ports::EventFields{}.add("executor", id).add("exit_code", message.loss.end.exit_status));
  const auto* entry = state.executors.is_live(id) ? state.executors.find(id) : nullptr;
  notify_of_removal(turn, message, entry);
  state.executors.mark_removed(id);
  // Its process may still run if its node was lost by silence.
  if (entry != nullptr) turn.post(id, StopExecutor{"its container has ended"});
  turn.effects.push(LoseExecutor{id, message.loss.reason, describe(message.loss.end)});
}

// -- the source of executors -----------------------------------------------------------------------

namespace {

/// It ends its application with the reason: no allocator would give it executors to start.
void refuse_source(Turn& turn, const AttemptId& attempt) {
  const auto known = std::max(turn.state.requests.attempt(), turn.state.settings.application_attempt);
  turn.write_event("allocator_refused", ports::EventFields{}.add("attempt", attempt.attempt).add("known", known));
  turn.effects.push(RefuseSource{StopAllocator{
      false,
      fmt::format("the driver refuses the executors of attempt {} of the application: attempt {} is the last one "
                  "that it knows, and at most {} attempts in a row may end before they reach it; see why those "
                  "attempts ended in their logs, and start the application again",
                  attempt.attempt, known, ExecutorRequests::missing_attempts_max)}});
}

}  // namespace

void connect_source(Turn& turn, const RegisterYarnAllocator& message) {
  auto& state = turn.state;
  const auto registration = state.requests.connect(message.attempt.attempt, state.settings.application_attempt);
  if (registration.is_stale) return turn.write_event("stale_register_yarn_allocator");
  if (registration.is_refused) return refuse_source(turn, message.attempt);
  turn.effects.push(ConnectSource{});
  turn.write_event("allocator_registered", ports::EventFields{}.add("attempt", state.requests.attempt()));
  if (state.requests.stopped()) return turn.effects.push(SendToSource{*state.requests.stopped()});
  if (registration.is_new_attempt) {
    for (const auto& [id, entry] : state.executors) {
      if (!entry.is_live() || attempt_of(id) >= state.requests.attempt()) continue;
      turn.post(id, StopExecutor{"its allocator is gone"});
      turn.effects.push(LoseExecutor{id, {LossKind::exited, false}});
    }
  }
  if (registration.is_another && state.settings.allocation.dynamic) turn.effects.push(Step{reset_allocation});
  turn.effects.push(Step{send_request});
}

/// No reason will arrive any more for executors that disconnected before.
void disconnect_source(Turn& turn) {
  turn.state.requests.disconnect();
  turn.write_event("allocator_lost");
  turn.state.executors.expire_disconnected(turn.now);
  turn.effects.push(ArmTick{});
}

void fail_allocation(Turn& turn, const AllocationFailed& message, bool is_stale) {
  if (is_stale) return turn.write_event("stale_allocation_failed");
  fail_all_jobs(turn, {message.text});
}

void fail_all_jobs(Turn& turn, const FailJobs& message) {
  for (const auto id : turn.state.jobs.ids()) turn.effects.push(FailJob{id, JobStatus::failed, message.text});
}

void apply(Turn& turn, const policies::AllocationEffect& effect) {
  auto& state = turn.state;
  policies::AllocationEffects more;
  if (const auto* totals = std::get_if<policies::RequestExecutorTotals>(&effect)) {
    state.requests.set_totals(totals->profiles, state.hosts);
    send_request(turn);
    if (totals->needs_answer) state.allocation.apply(turn.now, allocation_input::RequestAnswered{true}, more);
  } else if (const auto* remove = std::get_if<policies::RemoveIdleExecutors>(&effect)) {
    const auto leaving = still_idle(state, remove->executors);
    if (remove->decommission) drain_executors(turn, leaving, "idle");
    else kill_executors(turn, leaving, "idle");
    state.allocation.apply(turn.now, allocation_input::KillAnswered{leaving}, more);
  }
  turn.effects.push(std::move(more));
}

void kill_executors(Turn& turn, const std::vector<ExecutorId>& executors, const std::string& reason) {
  auto& state = turn.state;
  if (executors.empty() || !state.requests.has_source()) return;
  for (const auto id : executors)
    if (auto* entry = state.executors.find(id)) state.executors.kill(*entry);
  turn.effects.push(SendToSource{KillExecutors{executors, reason}});
}

void end_excluded(Turn& turn, const std::vector<ExecutorId>& executors, const std::string& reason) {
  if (turn.state.settings.drain_excluded) drain_executors(turn, executors, reason);
  else kill_executors(turn, executors, reason);
}

void update_exclusions(Turn& turn) {
  auto& state = turn.state;
  if (!state.settings.task_scheduler.exclusion) return;
  if (!state.requests.record_exclusion_changes(state.task_scheduler->host_exclusion_changes())) return;
  bool is_changed = false;
  for (const auto& [name, host] : state.hosts.by_name()) {
    const bool is_excluded = state.task_scheduler->is_host_excluded(host);
    if (is_excluded == state.requests.is_excluded(name)) continue;
    is_changed = true;
    turn.notify_clients(fmt::format(
        "host {} {}", name,
        is_excluded ? "is excluded: too many tasks failed there" : "gets tasks again: its exclusion has expired"));
  }
  if (is_changed) send_request(turn);
}

// -- hosts that are being decommissioned --------------------------------------------------------------

void decommission_host(Turn& turn, const DecommissionHost& message) {
  auto& state = turn.state;
  const auto& settings = state.settings;
  if (!settings.decommission.is_enabled) return;
  const auto host = turn.host_id(message.host);
  std::optional<Instant> kill_due;
  if (settings.decommission.kill_wait > Duration{0}) kill_due = turn.now + settings.decommission.kill_wait;
  if (!state.migration.add_host(host, kill_due)) return;
  turn.write_event("host_decommissioning", ports::EventFields{}.add("host", message.host));
  turn.notify_clients(fmt::format("host {} is being decommissioned", message.host));
  const auto& outputs = state.stage_scheduler->outputs();
  if (settings.decommission.moves_outputs)
    for (const auto shuffle : outputs.shuffles())
      for (std::int32_t map = 0; map < outputs.maps(shuffle); ++map)
        if (const auto place = outputs.place(shuffle, map); !place.is_none() && place.host == host)
          state.migration.add(shuffle, map, place);
  decommission_executors(turn, host);
  turn.effects.push(Step{send_migrations});
  turn.effects.push(ArmTick{});
}

void kill_executors_of_leaving_hosts(Turn& turn) {
  for (const auto host : turn.state.migration.pop_hosts_due(turn.now))
    kill_executors(turn, turn.state.executors.live_on(host),
                   "its host is being decommissioned, and heddle.decommission.force_kill_timeout has passed");
}

void migrate_output(Turn& turn, ShuffleId shuffle, std::int32_t map, policies::MapStatusLocation from) {
  if (!turn.state.settings.decommission.moves_outputs) return;
  turn.state.migration.add(shuffle, map, from);
  send_migrations(turn);
}

void handle_map_outputs_migrated(Turn& turn, const MapOutputsMigrated& message) {
  auto& state = turn.state;
  const auto* entry = state.executors.current(message.executor, message.epoch);
  if (entry == nullptr) return;
  const policies::MapStatusLocation to{message.executor, entry->host};
  std::int64_t moved = 0;
  for (const auto& [map, from] : state.migration.end_batch(message.executor, message.shuffle, message.maps)) {
    if (!state.stage_scheduler.apply(turn.now, stage_input::OutputMoved{message.shuffle, map, from, to})) continue;
    ++moved;
    if (state.migration.is_leaving(to.host))
      state.migration.add(message.shuffle, map, to);  // the decommissioning of the target began during the copy
    if (const auto stage = state.stage_scheduler->stage_of(message.shuffle); !stage.is_none())
      state.task_scheduler.apply(turn.now, task_input::OutputMoved{stage, map, to.host});
  }
  turn.write_event("outputs_moved", ports::EventFields{}
                                        .add("shuffle", message.shuffle)
                                        .add("executor", message.executor)
                                        .add("count", moved)
                                        .add("waiting", state.migration.waiting())
                                        .add("text", message.text));
  if (moved > 0) {
    state.broadcast.mark_changed(message.shuffle);
    // Running tasks may still read from the old location, and look up the new one when it is gone.
    const ShuffleInput input{message.shuffle, state.stage_scheduler->outputs().maps(message.shuffle), {}};
    for (const auto& [id, reader] : state.executors)
      if (reader.is_live() && state.broadcast.has_received(id, message.shuffle))
        send_map_outputs(turn, id, reader.epoch, input);
  }
  send_migrations(turn);
}

}  // namespace heddle::actors

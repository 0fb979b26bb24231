#include "actors/map_reduce_master/request_flow.hpp"

#include <fmt/format.h>

#include <utility>

#include "actors/map_reduce_master/child_flow.hpp"
#include "actors/map_reduce_master/decision_texts.hpp"
#include "actors/map_reduce_master/job_flow.hpp"

namespace heddle::actors {
namespace {

using policies::AllocateLoop;

policies::MapReduceCall next_call(MasterState& state) {
  if (!state.allocator) return {};
  const auto& job = state.machines().job();
  state.allocator->on_job_progress(job.ended_maps().all(), job.ended_reduces().all());
  return state.allocator->next_call();
}

void ask(MasterTurn& turn) {
  auto& state = turn.state;
  const auto call = next_call(state);
  AllocateRequest request;
  request.attempt = state.start.attempt;
  request.response_id = state.loop.response_id();
  for (const auto& ask : call.asks)
    request.asks.push_back({static_cast<std::int32_t>(ask.priority), ask.name, ask.resource, ask.count, true});
  request.release = call.releases;
  for (const ContainerId container : std::exchange(state.stops, {})) request.release.push_back(container);
  request.exclusion_add = call.exclude;
  request.exclusion_remove = call.include;
  if (state.has_machines()) request.progress = state.machines().job().progress();
  state.loop.on_sent(turn.now);
  state.commit_window.asked = turn.now;
  state.ask_due = turn.now + state.start.loop.heartbeat_interval;
  turn.effects.push_back(RequestContainers{std::move(request)});
}

void begin_if_ready(MasterTurn& turn) {
  auto& state = turn.state;
  if (!state.registered || !state.has_resource_manager || state.loop.phase() != AllocateLoop::Phase::waiting) return;
  state.loop.begin();
  ask(turn);
  start_job_if_ready(turn);
}

void end_loop(MasterState& state) {
  state.loop.end();
  state.ask_due.reset();
}

/// This application attempt cannot get containers any more (CA-26). Its outputs stay for the next attempt.
void give_up(MasterTurn& turn, const std::string& text) {
  auto& state = turn.state;
  if (state.loop.is_over()) return;
  end_loop(state);
  turn.write_event("map_reduce_master_gives_up", ports::EventFields{}.add("reason", text));
  if (state.job && !state.job->is_over)
    turn.effects.push_back(ReportToJobClient{Notice{
        "the MapReduceMaster ends: " + text + "; the next application attempt continues the job if there is one"}});
  turn.effects.push_back(LeaveJobToNextMaster{});
}

/// The ResourceManager has forgotten the registration and every request (CA-26).
void register_again(MasterTurn& turn) {
  auto& state = turn.state;
  turn.write_event("map_reduce_master_registers_again");
  state.loop.register_again();
  state.registers_again = true;
  state.ask_due.reset();
  for (const auto& [container, grant] : state.grants.rows())
    if (grant.killed) state.stops.push_back(container);
  turn.effects.push_back(RegisterAgainAtCluster{});
  if (!state.allocator) return;
  policies::MapReduceEffects effects;
  state.allocator->on_not_registered(turn.now, effects);
  apply_allocations(turn, effects);
}

/// What an ended container means for the failures of its attempt, if that did not report its end.
void count_lost_attempt(MasterTurn& turn, const CompletedContainer& completed) {
  auto& state = turn.state;
  const auto* grant = state.grants.find(completed.container);
  if (grant == nullptr || !grant->occupant || grant->killed || !state.has_machines()) return;
  const auto* attempt = state.machines().find(*grant->occupant);
  if (attempt == nullptr) return;
  const auto status = attempt->status();
  if (status != policies::MapReduceAttemptStatus::running &&
      status != policies::MapReduceAttemptStatus::commit_pending &&
      status != policies::MapReduceAttemptStatus::starting)
    return;
  TaskOutcome lost;
  lost.state = TaskState::failed;
  lost.failure = FailureKind::internal;
  lost.text = "its container ended: " + describe(completed.end);
  state.job->count_failure(*grant->occupant, lost, grant->container.host);
}

void notify_client(MasterTurn& turn, std::string text) {
  if (!text.empty()) turn.effects.push_back(ReportToJobClient{Notice{std::move(text)}});
}

/// Reports to the client, once each, that some reduces and then all of them request containers.
void report_ramp_up(MasterTurn& turn, const policies::MapReduceCounts& before) {
  const auto input = turn.state.allocator->reduce_input();
  const auto& load = input.load;
  auto& reported = turn.state.job->reported.ramp_up;
  if (input.is_started && !before.reduce_started) notify_client(turn, slow_start_text(input));
  if (input.pending_reduces >= before.pending_reduces) return;
  const bool is_limited = load.scheduled_maps > 0 && input.pending_reduces > 0;
  if (is_limited && reported == RampUpNotice::none) {
    reported = RampUpNotice::part;
    notify_client(turn, ramp_up_text(input));
  } else if (load.scheduled_maps == 0 && reported == RampUpNotice::part) {
    reported = RampUpNotice::all;
    notify_client(turn, all_reduces_text(turn.state.job->work->tasks(true)));
  }
}

/// The unusable nodes of the answer, and the running attempts that the allocator kills there.
LostWork lost_attempts(const MasterState& state, const std::vector<NodeUpdate>& nodes,
                       const policies::MapReduceEffects& effects) {
  LostWork lost;
  for (const auto& node : nodes)
    if (!is_usable(node.condition)) lost.nodes.push_back(node);
  for (const auto& effect : effects) {
    const auto* kill = std::get_if<policies::KillMapReduceAttempt>(&effect);
    if (kill == nullptr || kill->reason != policies::AttemptKillReason::unusable_node) continue;
    const auto* attempt = state.job->machines->find(kill->attempt);
    if (attempt != nullptr && attempt->status() == policies::MapReduceAttemptStatus::running) ++lost.killed;
  }
  return lost;
}

/// Applies the conditions of nodes to the job, and reports to the client what is lost.
void update_nodes(MasterTurn& turn, const AllocateResponse& message, LostWork lost) {
  auto& state = turn.state;
  if (message.updated_nodes.empty() || !state.has_machines()) return;
  const auto& job = state.machines().job();
  const std::int32_t maps = job.ended_maps().succeeded;
  state.machines().apply(turn.now, policies::map_reduce_job_input::NodesUpdated{message.updated_nodes});
  lost.maps = maps - job.ended_maps().succeeded;
  lost.all_reduces = state.job->work->tasks(true);
  lost.reduces = lost.all_reduces - job.ended_reduces().all();
  if (lost.killed + lost.maps > 0) notify_client(turn, lost_work_text(lost));
}

/// Records that reduces were ramped up or down: their number differs from the one before.
void record_ramp(MasterTurn& turn, const policies::MapReduceCounts& before) {
  const auto counts = turn.state.allocator->counts();
  if (counts.pending_reduces == before.pending_reduces) return;
  turn.write_event("map_reduce_reduces_scheduled",
                   ports::EventFields{}
                       .add("scheduled", counts.scheduled_reduces + counts.assigned_reduces)
                       .add("pending", counts.pending_reduces)
                       .add("maps_left", counts.scheduled_maps + counts.assigned_maps)
                       .add("maps_completed", turn.state.machines().job().ended_maps().all()));
}

void use_answer(MasterTurn& turn, const AllocateResponse& message) {
  auto& state = turn.state;
  const auto before = state.allocator->counts();
  const auto excluded = state.allocator->exclusion();
  policies::MapReduceAnswer answer{message.response_id, message.headroom,     message.cluster_nodes, {},
                                   message.completed,   message.updated_nodes};
  for (const auto& granted : message.allocated) {
    state.grants.add(granted);
    answer.granted.push_back({granted.container, granted.host, granted.priority, granted.resource});
  }
  for (const auto& completed : message.completed) count_lost_attempt(turn, completed);
  policies::MapReduceEffects effects;
  state.allocator->on_answer(turn.now, answer, effects);
  report_exclusion(turn, excluded, {});
  record_ramp(turn, before);
  report_ramp_up(turn, before);
  auto lost = lost_attempts(state, message.updated_nodes, effects);
  apply_allocations(turn, effects);
  update_nodes(turn, message, std::move(lost));
  for (const auto& completed : message.completed) forget_container(turn, completed.container);
  if (!message.completed.empty()) state.loop.request_again();  // request replacements now
}

/// Nodes that were lost before the job runs may have outputs of maps that an earlier master finished.
void keep_early_nodes(MasterTurn& turn, const AllocateResponse& message) {
  auto& state = turn.state;
  const bool is_running =
      state.job && state.job->machines && state.machines().job().state() >= policies::MapReduceJobState::running;
  if (is_running || state.start.attempt.attempt == 1) return;
  auto& nodes = state.recovery.early_nodes;
  nodes.insert(nodes.end(), message.updated_nodes.begin(), message.updated_nodes.end());
}

}  // namespace

// -- the ResourceManager -----------------------------------------------------------------------------------

void connect_resource_manager(MasterTurn& turn) {
  turn.state.has_resource_manager = true;
  begin_if_ready(turn);
}

void fail_resource_manager_connection(MasterTurn& turn) {
  give_up(turn, "the ResourceManager cannot be reached at " + turn.state.start.resource_manager_address);
}

void lose_resource_manager(MasterTurn& turn) { give_up(turn, "the connection to the ResourceManager broke"); }

void handle_allocate_response(MasterTurn& turn, const AllocateResponse& message) {
  auto& state = turn.state;
  if (state.loop.phase() != AllocateLoop::Phase::unanswered)
    return turn.write_event("stale_allocate_response", ports::EventFields{}.add("response_id", message.response_id));
  // The client gets the end of the application from the ResourceManager, or a next attempt follows.
  if (message.registration == AttemptRegistration::unknown_attempt)
    return give_up(turn, "the ResourceManager no longer knows this application attempt");
  if (message.registration == AttemptRegistration::not_registered) return register_again(turn);
  if (!state.loop.on_answer(message.response_id))
    return turn.write_event("stale_allocate_response", ports::EventFields{}.add("response_id", message.response_id));
  state.commit_window.heard = state.commit_window.asked;
  if (state.may_commit(turn.now)) {
    permit_waiting_commits(turn);
    commit_waiting_job(turn);
  }
  const auto counts = state.allocator ? state.allocator->counts() : policies::MapReduceCounts{};
  const bool has_waiting = counts.scheduled_maps + counts.scheduled_reduces > 0;
  state.ask_due = turn.now + state.loop.sleep(has_waiting);
  keep_early_nodes(turn, message);
  if (state.allocator) use_answer(turn, message);
  settle_machines(turn);
  if (state.loop.requests_again()) ask_soon(turn);
}

void run_allocate_deadline(MasterTurn& turn) {
  auto& state = turn.state;
  if (!state.ask_due || turn.now < *state.ask_due) return;
  if (state.loop.phase() == AllocateLoop::Phase::sleeping) return ask(turn);
  const std::int32_t times = state.loop.on_unanswered();
  turn.write_event("allocate_unanswered", ports::EventFields{}.add("times", times));
  state.ask_due = turn.now + state.start.loop.heartbeat_interval;
  if (times >= state.start.unanswered_max)
    give_up(turn, fmt::format("the ResourceManager has not answered for {} ms",
                              to_milliseconds(state.start.loop.heartbeat_interval) * times));
}

// -- the application -----------------------------------------------------------------------------------------

void start_allocating(MasterTurn& turn, const StartAllocating& message) {
  auto& state = turn.state;
  const bool is_again = std::exchange(state.registers_again, false);
  if (state.registered && !is_again) return turn.write_event("stale_start_allocating");
  state.registered = message;
  if (is_again) {
    if (state.allocator) state.allocator->on_registered(message.maximum, message.counted);
    return begin_if_ready(turn);
  }
  turn.effects.push_back(AdoptApplicationMaster{});
  state.commit_window.heard = turn.now;
  if (state.end) turn.effects.push_back(LeaveMaster{*state.end});
  else begin_if_ready(turn);
}

void lose_master(MasterTurn& turn) { give_up(turn, "the ApplicationMaster has left"); }

void report_exclusion(MasterTurn& turn, const policies::HostExclusion& before, const std::string& host) {
  auto& state = turn.state;
  const auto now = state.allocator->exclusion();
  const bool is_new = now.hosts > before.hosts;
  if (is_new || now.is_ignored != before.is_ignored)
    turn.write_event("map_reduce_hosts_avoided", ports::EventFields{}
                                                     .add("job", state.job->id)
                                                     .add("host", host)
                                                     .add("hosts", now.hosts)
                                                     .add("nodes", now.nodes)
                                                     .add("is_ignored", now.is_ignored));
  // The next answer may decide that exclusions are ignored (RR-5): one notice says both.
  auto next = now;
  next.is_ignored = now.is_next_ignored;
  const bool has_changed = std::exchange(state.job->reported.uses_all_hosts, next.is_ignored) != next.is_ignored;
  const auto& rules = state.start.allocator.exclusion;
  if (is_new) notify_client(turn, avoided_host_text(host, next, rules));
  else if (has_changed) notify_client(turn, ignored_exclusion_text(next, rules));
}

void end_application(MasterTurn& turn, bool succeeded, const std::string& text) {
  auto& state = turn.state;
  if (state.loop.is_over()) return;
  state.end = EndApplication{succeeded, text};
  end_loop(state);
  turn.write_event("allocator_ends", ports::EventFields{}.add("succeeded", succeeded));
  if (state.registered) turn.effects.push_back(LeaveMaster{*state.end});
}

void ask_soon(MasterTurn& turn) {
  auto& state = turn.state;
  const auto wait = state.loop.request_soon(turn.now);
  if (!wait) return;
  if (*wait > Duration{0}) state.ask_due = turn.now + *wait;
  else ask(turn);
}

}  // namespace heddle::actors

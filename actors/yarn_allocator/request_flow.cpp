#include "actors/yarn_allocator/request_flow.hpp"

#include <fmt/format.h>

#include <utility>

#include "actors/yarn_allocator/container_flow.hpp"
#include "model/container_end.hpp"

namespace heddle::actors {
namespace {

/// Progress of every application, as Spark's YarnAllocator reports it: the Driver's jobs have no common end.
constexpr float reported_progress = 0.1F;

/// Fails the application. The Driver gets AllocationFailed and fails its jobs.
void give_up(AllocatorTurn& turn, const std::string& text) {
  if (turn.state.loop.is_over()) return;
  turn.effects.push_back(SendToDriver{AllocationFailed{text}});
  end_application(turn, false, text);
}

void ask(AllocatorTurn& turn) {
  auto& state = turn.state;
  policies::ContainerEffects effects;
  policies::AllocateCall call;
  if (state.allocator->has_call())
    call = state.allocator.apply(turn.now, policies::container_input::CallDue{}, effects);
  AllocateRequest request;
  request.attempt = state.start.attempt;
  request.response_id = state.loop.response_id();
  for (const policies::ProfileAsk& ask : call.asks)
    request.asks.push_back({static_cast<std::int32_t>(ask.profile.value), ask.name, ask.resource, ask.count, true});
  request.release = call.releases;
  request.release.insert(request.release.end(), state.stops.begin(), state.stops.end());
  state.stops.clear();
  request.exclusion_add = call.exclude;
  request.exclusion_remove = call.include;
  request.progress = reported_progress;
  state.loop.on_sent(turn.now);
  turn.effects.push_back(SendAllocateRequest{std::move(request)});
  turn.effects.push_back(ArmReporterTick{state.settings.heartbeat_interval});
  apply_decisions(turn, effects);
}

void begin_if_ready(AllocatorTurn& turn) {
  auto& state = turn.state;
  const bool is_waiting = state.loop.phase() == policies::AllocateLoop::Phase::waiting;
  if (!state.registered || !is_waiting || !state.peers.has_driver || !state.peers.has_resource_manager) return;
  if (const auto refusal = policies::why_too_large("an executor", state.start.executor, state.limit());
      !refusal.empty())
    return give_up(turn, refusal);
  state.loop.begin();
  turn.effects.push_back(SendToDriver{RegisterYarnAllocator{state.start.attempt}});
  ask(turn);
}

/// False if a container of the profile exceeds the largest allowed one; the application has failed then.
bool learn_profile(AllocatorTurn& turn, const ProfileTarget& wanted) {
  auto& state = turn.state;
  if (state.cores_of_profile.contains(wanted.profile)) return true;
  auto memory = state.start.memory_rules;
  memory.heap = wanted.memory_mib;
  const Resource container{policies::container_memory(memory), wanted.cores, state.start.device_others};
  if (const auto refusal = policies::why_too_large("an executor of a stage's own size", container, state.limit());
      !refusal.empty()) {
    give_up(turn, refusal);
    return false;
  }
  state.cores_of_profile.emplace(wanted.profile, wanted.cores);
  state.allocator.apply(
      turn.now, policies::container_input::ProfileDescribed{{wanted.profile, container, wanted.tasks_per_executor}});
  return true;
}

}  // namespace

// -- start ----------------------------------------------------------------------------

void start_allocator(AllocatorTurn& turn) {
  policies::ContainerEffects effects;
  turn.state.allocator.apply(turn.now, policies::container_input::Started{}, effects);
  apply_decisions(turn, effects);
}

void connect_driver(AllocatorTurn& turn) {
  turn.state.peers.has_driver = true;
  begin_if_ready(turn);
}

void fail_driver_connection(AllocatorTurn& turn) {
  const auto& start = turn.state.start;
  end_application(turn, false, describe_unreachable_driver(start.driver_address, start.host));
}

void connect_resource_manager(AllocatorTurn& turn) {
  turn.state.peers.has_resource_manager = true;
  begin_if_ready(turn);
}

void fail_resource_manager_connection(AllocatorTurn& turn) {
  give_up(turn, "the ResourceManager cannot be reached at " + turn.state.start.resource_manager_address);
}

void start_allocating(AllocatorTurn& turn, const StartAllocating& message) {
  auto& state = turn.state;
  if (std::exchange(state.registers_again, false)) {
    state.registered = message;
    if (state.loop.is_over()) return;
    state.loop.begin();
    return ask(turn);
  }
  if (state.registered) return turn.write_event("stale_start_allocating");
  state.peers.has_master = true;
  turn.effects.push_back(ConnectMaster{});
  state.registered = message;
  if (state.end) turn.effects.push_back(LeaveApplication{*state.end});
  else begin_if_ready(turn);
}

// -- from the Driver -----------------------------------------------------------------

void request_executors(AllocatorTurn& turn, const RequestExecutors& message) {
  auto& state = turn.state;
  if (state.loop.is_over()) return;
  policies::ExecutorTotals requested;
  for (const ProfileTarget& wanted : message.profiles) {
    if (!learn_profile(turn, wanted)) return;
    requested.totals[wanted.profile] = wanted.target_total;
    requested.locality_tasks[wanted.profile] = wanted.locality_tasks;
    for (const auto& [host, tasks] : wanted.hosts) requested.tasks_of_host[wanted.profile][host] = tasks;
  }
  requested.excluded_hosts.insert(message.excluded_hosts.begin(), message.excluded_hosts.end());
  turn.write_event("executors_requested", ports::EventFields{}.add("total", message.target_total()));
  policies::ContainerEffects effects;
  const bool is_changed =
      state.allocator.apply(turn.now, policies::container_input::TotalsRequested{requested}, effects);
  apply_decisions(turn, effects);
  if (!is_changed) return;
  state.loop.hurry(turn.now);
  ask_soon(turn);
}

void kill_executors(AllocatorTurn& turn, const KillExecutors& message) {
  auto& state = turn.state;
  policies::ContainerEffects effects;
  for (const ExecutorId executor : message.executors) {
    Grant* grant = state.grants.find_occupant(executor);
    if (grant == nullptr) {
      turn.write_event("stale_kill_executor", ports::EventFields{}.add("executor", executor));
      continue;
    }
    grant->killed = message.reason;
    mark_started(turn, *grant);  // the Driver knows the executor, so it has started
    state.allocator.apply(turn.now, policies::container_input::ExecutorKilled{executor}, effects);
  }
  apply_decisions(turn, effects);
  ask_soon(turn);
}

void handle_executor_registered(AllocatorTurn& turn, const ExecutorRegistered& message) {
  Grant* grant = turn.state.grants.find_occupant(message.executor);
  if (grant == nullptr || grant->start_failure) return;
  turn.state.grants.stop_awaiting(grant->container.container);
  mark_started(turn, *grant);  // ExecutorRegistered may arrive before ContainerStarted
}

void stop_allocator(AllocatorTurn& turn, const StopAllocator& message) {
  end_application(turn, message.succeeded, message.text);
}

// -- timer of AllocateRequest -----------------------------------------------------------

void ask_soon(AllocatorTurn& turn) {
  const auto wait = turn.state.loop.request_soon(turn.now);
  if (!wait) return;
  if (*wait > Duration{0}) turn.effects.push_back(ArmReporterTick{*wait});
  else ask(turn);
}

void arm_reporter_tick(AllocatorTurn& turn) {
  turn.effects.push_back(ArmReporterTick{turn.state.loop.sleep(turn.state.allocator->pending() > 0)});
}

void register_again(AllocatorTurn& turn) {
  auto& state = turn.state;
  turn.write_event("allocator_registers_again");
  state.loop.register_again();
  state.registers_again = true;
  state.allocator.apply(turn.now, policies::container_input::RegistrationLost{});
  turn.effects.push_back(CancelReporterTick{});
  turn.effects.push_back(RegisterMasterAgain{});
}

void run_reporter_tick(AllocatorTurn& turn) {
  auto& state = turn.state;
  if (state.loop.is_over()) return;
  stop_slow_starts(turn);
  if (state.loop.phase() == policies::AllocateLoop::Phase::sleeping) return ask(turn);
  // Sending the request again would not help: no message is lost while the connection holds, so the answer to the first
  // request still comes. Its response id would not match a second request.
  const std::int32_t times = state.loop.on_unanswered();
  turn.write_event("allocate_unanswered", ports::EventFields{}.add("times", times));
  if (times >= state.settings.reporter_failures_max)
    return give_up(turn, fmt::format("the ResourceManager has not answered for {} ms",
                                     to_milliseconds(state.settings.heartbeat_interval) * times));
  turn.effects.push_back(ArmReporterTick{state.settings.heartbeat_interval});
}

// -- end of the application ---------------------------------------------------------------

bool end_if_hopeless(AllocatorTurn& turn) {
  auto& state = turn.state;
  const std::int32_t failures = state.allocator->failed_executors(turn.now);
  if (failures >= state.failures_max()) {
    give_up(turn,
            fmt::format("{} executor{} failed, {} allowed; the last: {}", failures, failures == 1 ? "" : "s",
                        state.failures_max() - 1, state.last_failure.empty() ? "no reason given" : state.last_failure));
    return true;
  }
  if (!state.allocator->all_nodes_excluded()) return false;
  give_up(turn, "every node of the cluster is excluded");
  return true;
}

void end_application(AllocatorTurn& turn, bool succeeded, const std::string& text) {
  auto& state = turn.state;
  if (state.loop.is_over()) return;
  state.loop.end();
  turn.effects.push_back(CancelReporterTick{});
  state.allocator.apply(turn.now, policies::container_input::ShutDown{});
  turn.write_event("allocator_ends", ports::EventFields{}.add("succeeded", succeeded));
  if (state.peers.has_master) turn.effects.push_back(LeaveApplication{{succeeded, text}});
  else state.end = EndApplication{succeeded, text};
}

void lose_master(AllocatorTurn& turn) {
  // No AllocationFailed: the Driver waits for the next attempt.
  end_application(turn, false, "the ApplicationMaster has left");
}

void lose_resource_manager(AllocatorTurn& turn) { give_up(turn, "the connection to the ResourceManager broke"); }

void lose_driver(AllocatorTurn& turn) {
  turn.state.peers.has_driver = false;
  if (turn.state.start.driver_ends_application) end_application(turn, true, "the Driver has left");
  else end_application(turn, false, "the Driver has failed");
}

}  // namespace heddle::actors

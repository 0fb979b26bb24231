// The TaskTracker's message handlers. The flows heartbeat_flow.cpp and attempt_slots_flow.cpp decide what follows;
// task_tracker_effects.cpp sends.
#include "actors/task_tracker/task_tracker.hpp"

#include <utility>

#include "actors/task_tracker/attempt_slots_flow.hpp"
#include "actors/task_tracker/heartbeat_flow.hpp"
#include "actors/task_tracker/memory_flow.hpp"
#include "runtime/net/io_thread_actor.hpp"
#include "runtime/spawn_role.hpp"

namespace heddle::actors {

TaskTracker::TaskTracker(TaskTrackerActor::pointer self, const TaskTrackerSettings& settings, runtime::ActorTools tools,
                         TaskTrackerPorts ports)
    : self_{self}, tools_{std::move(tools)}, state_{settings, std::move(ports), tools_.events} {
  if (state_.ports.publish) state_.ports.address = state_.ports.publish(TaskTrackerActor{self_});
}

TaskTrackerActor::behavior_type TaskTracker::make_behavior() {
  self_->set_down_handler([this](const caf::down_msg& message) { on_peer_down(message.source); });
  handle(find_job_tracker);
  return {
      [this](const GetTask& message) { handle(handle_get_task, message); },
      [this](const AttemptProgress& message) { handle_child(handle_attempt_progress, message); },
      [this](const CommitPending& message) { handle_child(handle_commit_pending, message); },
      [this](const AttemptDone& message) { handle_child(handle_attempt_done, message); },
      [this](const AttemptFailed& message) { handle_child(handle_attempt_failed, message); },
      [this](const GetMapCompletions& message) { handle_child(handle_get_map_completions, message); },
      [this](const FetchFailed& message) { handle_child(handle_fetch_failed, message); },
      [this](const HeartbeatResponse& message) { handle(handle_heartbeat_response, message); },
      [this](const ReinitialiseTracker& message) { handle(reinitialise_tracker, message); },
      [this](const TrackerRefused& message) { handle(leave_refused_tracker, message); },
      [this](const HeartbeatSoon&) { handle(send_heartbeat_soon); },
      [this](const TaskTrackerTick& message) { on_task_tracker_tick(message); },
      [this](const ProcessEnded& message) { handle(handle_child_exit, message); },
      [this](const MemoryMeasured& message) { handle(handle_memory_measured, message); },
  };
}

template <class Flow, class... Arguments>
void TaskTracker::handle(Flow flow, const Arguments&... arguments) {
  SlotTurn turn{state_, effects_, tools_.clock->now()};
  flow(turn, arguments...);
  apply_effects(turn);
  if (tools_.checks_invariants) state_.slots.check_invariants();
  arm_tick(turn.now);
}

template <class Flow, class Message>
void TaskTracker::handle_child(Flow flow, const Message& message) {
  handle([this, flow, &message](SlotTurn& turn) {
    if (is_from_child(message.child)) flow(turn, message);
    else refuse_stranger(turn, message.child);
  });
}

void TaskTracker::apply_effects(SlotTurn& turn) {
  for (std::size_t next = 0; next < effects_.size(); ++next) {
    auto effect = std::move(effects_[next]);
    std::visit([&](auto& each) { apply(turn, each); }, effect);
  }
  effects_.clear();
}

void TaskTracker::on_task_tracker_tick(const TaskTrackerTick& message) {
  if (!tick_.accept(message.epoch)) return;
  handle(run_task_tracker_tick);
}

void TaskTracker::on_job_tracker_found(bool is_found) {
  handle(is_found ? job_tracker_connected : job_tracker_unreachable);
}

void TaskTracker::on_peer_down(const caf::actor_addr& peer) {
  if (!job_tracker_ || job_tracker_.address() != peer) return;
  job_tracker_ = nullptr;
  handle(lose_job_tracker);
}

TaskTrackerActor spawn_task_tracker(caf::actor_system& system, const TaskTrackerSettings& settings,
                                    const runtime::ActorTools& tools, const TaskTrackerPorts& ports) {
  // All connections of the process serve this role, so its handlers run on the I/O thread. The longest one waits for
  // the start of a process; connections outlast that.
  if (system.has_middleman()) return runtime::spawn_io_thread_role<TaskTracker>(system, settings, tools, ports);
  return runtime::spawn_role<TaskTracker>(system, settings, tools, ports);
}

}  // namespace heddle::actors

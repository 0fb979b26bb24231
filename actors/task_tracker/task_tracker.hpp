// Runs task attempts of classic MapReduce on one host, each in a child process, and reports them to the JobTracker. A
// thin actor over plain parts: a handler reads the clock once, calls a flow and applies its effects in order. Receives
// from: JobTracker, TaskChild, its launcher. Sends to: JobTracker, TaskChild.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <map>

#include "actors/task_tracker/slot_state.hpp"
#include "actors/task_tracker/task_tracker_settings.hpp"
#include "messages/handles.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/timers.hpp"

namespace heddle::actors {

class TaskTracker {
public:
  using Handle = TaskTrackerActor;
  TaskTracker(TaskTrackerActor::pointer self, const TaskTrackerSettings& settings, runtime::ActorTools tools,
              TaskTrackerPorts ports);
  TaskTrackerActor::behavior_type make_behavior();

private:
  // -- messages, timers, lost peers (task_tracker.cpp) ----------------------------------------------
  void on_task_tracker_tick(const TaskTrackerTick& message);
  void on_job_tracker_found(bool is_found);
  void on_peer_down(const caf::actor_addr& peer);
  /// Reads the clock, calls flow(turn, arguments…), applies the effects, and checks the tables if tools_ requires it.
  template <class Flow, class... Arguments>
  void handle(Flow flow, const Arguments&... arguments);
  /// Applies effects until none is left; applying one may push others.
  void apply_effects(SlotTurn& turn);

  /// As handle(), if the child that the message names has sent it; any other sender gets a command to exit.
  template <class Flow, class Message>
  void handle_child(Flow flow, const Message& message);

  // -- messages, monitor, processes, timer (task_tracker_effects.cpp) -------------------------------
  [[nodiscard]] bool is_from_child(std::int64_t child) const;
  void arm_tick(Instant now);
  void apply(SlotTurn& turn, const FindJobTracker& effect);
  void apply(SlotTurn& turn, SendToJobTracker& effect);
  void apply(SlotTurn& turn, const StartChild& effect);
  void apply(SlotTurn& turn, const StopChild& effect);
  void apply(SlotTurn& turn, const MeasureChildren& effect);
  void apply(SlotTurn& turn, const AddChild& effect);
  void apply(SlotTurn& turn, const DropChild& effect);
  void apply(SlotTurn& turn, SendToChild& effect);
  void apply(SlotTurn& turn, AnswerChild& effect);
  void apply(SlotTurn& turn, const LeaveSlots& effect);

  // -- state ---------------------------------------------------------------------------------------
  TaskTrackerActor::pointer self_;
  runtime::ActorTools tools_;
  SlotState state_;
  SlotEffects effects_;
  JobTrackerActor job_tracker_;  // empty while not connected
  std::map<std::int64_t, TaskChildActor> children_;
  runtime::DeadlineTimer tick_;
};

}  // namespace heddle::actors

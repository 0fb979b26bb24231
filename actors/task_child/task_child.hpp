// Runs one task attempt at a time for its task parent: maps and reduces on the slot thread of a TaskRunner, setups and
// cleanups of outputs in the background. A thin actor over plain parts: a handler reads the clock once, calls the flow
// and applies its effects in order.
// Receives from: its task parent, its slot thread, its background work. Sends to: its task parent.
#pragma once

#include <caf/typed_event_based_actor.hpp>

#include "actors/task_child/child_start.hpp"
#include "actors/task_child/child_state.hpp"
#include "messages/handles.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/timers.hpp"

namespace heddle::actors {

class TaskChild {
public:
  using Handle = TaskChildActor;
  TaskChild(TaskChildActor::pointer self, TaskChildStart start, runtime::ActorTools tools, TaskChildPorts ports);
  TaskChildActor::behavior_type make_behavior();
  void on_role_failed(const std::string& why);

private:
  // -- messages, timers, the lost parent (task_child.cpp) -------------------------------------------
  void on_task_child_tick(const TaskChildTick& message);
  void on_parent_found(bool is_found);
  /// Reads the clock, calls flow(turn, arguments…), applies the effects.
  template <class Flow, class... Arguments>
  void handle(Flow flow, const Arguments&... arguments);
  void apply_effects(ChildTurn& turn);

  // -- messages, monitor, tasks, background work, timer (task_child_effects.cpp) --------------------
  void watch_runner();
  void arm_tick(Instant now);
  void apply(const FindParent& effect);
  void apply(SendToParent& effect);
  void apply(const ReportProgress& effect);
  void apply(StartTask& effect);
  void apply(SetLocations& effect);
  void apply(const UnloadTask& effect);
  void apply(const KillRunningTask& effect);
  void apply(const WorkOnOutput& effect);
  void apply(const ExitProcess& effect);

  // -- state ---------------------------------------------------------------------------------------
  TaskChildActor::pointer self_;
  runtime::ActorTools tools_;
  TaskChildPorts ports_;
  ChildState state_;
  ChildEffects effects_;
  TaskParentActor parent_;       // empty while not connected
  runtime::DeadlineTimer tick_;  // progress of the running attempt
};

}  // namespace heddle::actors

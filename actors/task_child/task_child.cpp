// The task child's message handlers. attempt_flow.cpp decides what follows; task_child_effects.cpp sends.
#include "actors/task_child/task_child.hpp"

#include <utility>

#include "actors/task_child/attempt_flow.hpp"
#include "runtime/net/io_thread_actor.hpp"
#include "runtime/spawn_role.hpp"

namespace heddle::actors {

TaskChild::TaskChild(TaskChildActor::pointer self, TaskChildStart start, runtime::ActorTools tools,
                     TaskChildPorts ports)
    : self_{self}, tools_{std::move(tools)}, ports_{std::move(ports)}, state_{std::move(start)} {}

TaskChildActor::behavior_type TaskChild::make_behavior() {
  self_->set_down_handler([this](const caf::down_msg&) { handle(lose_parent); });
  watch_runner();
  handle(find_parent);
  return {
      [this](const RunAttempt& message) { handle(run_attempt, message); },
      [this](const CommitAttempt& message) { handle(commit_attempt, message); },
      [this](const KillAttempt& message) { handle(kill_attempt, message); },
      [this](const MapCompletions& message) { handle(use_map_completions, message); },
      [this](const LeaveChild& message) { handle(leave, message); },
      [this](const AttemptEnded& message) { handle(handle_attempt_ended, message); },
      [this](const CopyFailed& message) { handle(report_failed_copy, message); },
      [this](const TaskChildTick& message) { on_task_child_tick(message); },
  };
}

template <class Flow, class... Arguments>
void TaskChild::handle(Flow flow, const Arguments&... arguments) {
  ChildTurn turn{state_, effects_, tools_.clock->now()};
  flow(turn, arguments...);
  apply_effects(turn);
  arm_tick(turn.now);
}

void TaskChild::apply_effects(ChildTurn&) {
  for (std::size_t next = 0; next < effects_.size(); ++next) {
    auto effect = std::move(effects_[next]);
    std::visit([&](auto& each) { apply(each); }, effect);
  }
  effects_.clear();
}

void TaskChild::on_task_child_tick(const TaskChildTick& message) {
  if (tick_.accept(message.epoch)) handle(report_progress_if_due);
}

void TaskChild::on_parent_found(bool is_found) { handle(is_found ? parent_connected : parent_unreachable); }

/// Ends the process: its parent then counts the attempt as failed.
void TaskChild::on_role_failed(const std::string& why) {
  if (ports_.on_end) ports_.on_end("the task child failed: " + why);
}

TaskChildActor spawn_task_child(caf::actor_system& system, const TaskChildStart& start,
                                const runtime::ActorTools& tools, const TaskChildPorts& ports) {
  // All connections of the process serve this role, and tasks run on other threads, so its handlers run on the I/O
  // thread. The longest one reads /proc, to kill the commands of a task.
  if (system.has_middleman()) return runtime::spawn_io_thread_role<TaskChild>(system, start, tools, ports);
  return runtime::spawn_role<TaskChild>(system, start, tools, ports);
}

}  // namespace heddle::actors

// All messages that the TaskTracker sends, its monitor, its timer, and the start and stop of processes.
#include <algorithm>
#include <utility>

#include "actors/task_tracker/attempt_slots_flow.hpp"
#include "actors/task_tracker/task_tracker.hpp"
#include "runtime/net/connect_peer.hpp"

namespace heddle::actors {

bool TaskTracker::is_from_child(std::int64_t child) const {
  const auto row = children_.find(child);
  return row != children_.end() && row->second && self_->current_sender() &&
         row->second.address() == self_->current_sender()->address();
}

void TaskTracker::arm_tick(Instant now) { tick_.arm<TaskTrackerTick>(self_, now, state_.next_due()); }

void TaskTracker::apply(SlotTurn&, const FindJobTracker&) {
  runtime::connect_peer<JobTrackerActor>(self_, tools_.connector, state_.settings.job_tracker_address,
                                         state_.settings.job_tracker_wait, [this](const JobTrackerActor& found) {
                                           if (found) job_tracker_ = found;
                                           on_job_tracker_found(static_cast<bool>(found));
                                         });
}

void TaskTracker::apply(SlotTurn&, SendToJobTracker& effect) {
  if (job_tracker_) self_->send(job_tracker_, std::move(effect.message));
}

// -- children ------------------------------------------------------------------------------------------

void TaskTracker::apply(SlotTurn& turn, const StartChild& effect) {
  // The callback runs on a thread of the launcher, maybe after this actor has ended; hence the weak pointer.
  const auto self = caf::actor_cast<caf::weak_actor_ptr>(self_);
  const auto on_end = [self](std::int64_t number, ProcessEnd end) {
    if (const auto alive = caf::actor_cast<caf::strong_actor_ptr>(self))
      caf::anon_send(caf::actor_cast<TaskTrackerActor>(alive), ProcessEnded{number, end});
  };
  handle_child_started(turn, effect.child, state_.ports.launcher->start(effect.context, on_end));
}

void TaskTracker::apply(SlotTurn&, const StopChild& effect) {
  state_.ports.launcher->stop(effect.process, to_milliseconds(state_.settings.kill_wait));
}

void TaskTracker::apply(SlotTurn&, const MeasureChildren& effect) {
  const auto self = caf::actor_cast<caf::weak_actor_ptr>(self_);
  state_.ports.launcher->measure(effect.processes, [self](const std::vector<ports::ProcessMemory>& measured) {
    const auto alive = caf::actor_cast<caf::strong_actor_ptr>(self);
    if (!alive) return;
    MemoryMeasured message;
    for (const auto& each : measured) message.processes.push_back({each.process, each.resident_bytes});
    caf::anon_send(caf::actor_cast<TaskTrackerActor>(alive), std::move(message));
  });
}

void TaskTracker::apply(SlotTurn&, const AddChild& effect) {
  children_.insert_or_assign(effect.child, caf::actor_cast<TaskChildActor>(self_->current_sender()));
}

void TaskTracker::apply(SlotTurn&, const DropChild& effect) { children_.erase(effect.child); }

void TaskTracker::apply(SlotTurn&, SendToChild& effect) {
  const auto child = children_.find(effect.child);
  if (child == children_.end() || !child->second) return;
  std::visit([&](auto& each) { self_->send(child->second, std::move(each)); }, effect.message);
}

void TaskTracker::apply(SlotTurn&, AnswerChild& effect) {
  const auto child = caf::actor_cast<TaskChildActor>(self_->current_sender());
  if (child) self_->send(child, std::move(effect.message));
}

void TaskTracker::apply(SlotTurn&, const LeaveSlots&) { self_->quit(); }

}  // namespace heddle::actors

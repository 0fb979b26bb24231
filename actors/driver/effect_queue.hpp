// What follows from a message that the Driver handles: effects of its deciders, steps that wait for the effects before
// them, and messages, timers and background work. One loop applies them in order, depth first: the effects of an effect
// come before its next sibling.
//
//   example: A has effects A1, A2; A1 has an effect A1a.  Order: A, A1, A1a, A2.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "messages/client.hpp"
#include "messages/driver.hpp"
#include "messages/executor.hpp"
#include "messages/yarn_allocator.hpp"
#include "policies/executors/executor_allocation.hpp"
#include "policies/stages/stage_scheduler.hpp"
#include "policies/tasks/types/task_scheduler_events.hpp"
#include "ports/output_commit.hpp"

namespace heddle::actors {

struct Turn;

// -- messages, timers, background work: applied in driver_effects.cpp --------------------------

using ExecutorMessage =
    std::variant<RegisteredExecutor, RegisterAgain, InstallStage, ForgetStage, MapOutputs, MapOutputsChanged,
                 TakeOutputs, RemoveShuffles, LaunchTask, RetractTasks, KillTask, StopExecutor>;
using SourceMessage = std::variant<RequestExecutors, KillExecutors, ExecutorRegistered, StopAllocator>;
using ClientMessage = std::variant<JobAccepted, JobProgress, JobFinished>;

struct SendToExecutor {
  ExecutorId executor;
  ExecutorMessage message;
};
/// To the sender of the message that is being handled.
struct ReplyToExecutor {
  ExecutorMessage message;
};
struct ReplyToClient {
  ClientMessage message;
};
struct SendToSource {
  SourceMessage message;
};
struct SendToClient {
  JobId job;
  ClientMessage message;
};
/// To each client with a job, once.
struct SendNotice {
  std::string text;
};
/// The sender of the message that is being handled is the executor from now on; it is monitored.
struct ConnectExecutor {
  ExecutorId executor;
};
struct DisconnectExecutor {
  ExecutorId executor;
};
/// The sender is the source of executors from now on; it is monitored.
struct ConnectSource {};
/// The sender is the client of the job.
struct ConnectClient {
  JobId job;
};
struct DisconnectClient {
  JobId job;
};
/// Sends ReviveOffers to the Driver itself.
struct ReviveSoon {
  bool is_delayed = false;  // by 1 ms: the event log is behind
};
/// Arms the tick for the next deadline.
struct ArmTick {};
/// In the background; OutputPrepared follows.
struct PrepareOutputs {
  JobId job;
  std::vector<std::string> paths;
  bool is_known_to_others = false;  // an earlier Driver may have left a commit
};
/// In the background; JobCommitted follows, at once if there are no outputs.
struct CommitOutputs {
  JobId job;
  std::vector<ports::OutputWinners> outputs;
};
struct AbortOutputs {
  JobId job;
  std::vector<std::string> paths;
};
/// Sends JobCommitted to the Driver itself: nothing is left to commit.
struct CommitDone {
  JobId job;
};

using Outgoing = std::variant<SendToExecutor, ReplyToExecutor, ReplyToClient, SendToSource, SendToClient, SendNotice,
                              ConnectExecutor, DisconnectExecutor, ConnectSource, ConnectClient, DisconnectClient,
                              ReviveSoon, ArmTick, PrepareOutputs, CommitOutputs, AbortOutputs, CommitDone>;

// -- steps: applied by the flows ---------------------------------------------------------------

struct Step {
  void (*apply)(Turn&) = nullptr;
};
/// Starts the job if it still waits.
struct StartWaitingJob {
  JobId job;
};
/// Looks again whether the barrier stages of the job have enough task slots.
struct CheckBarrierSlots {
  JobId job;
  bool is_early = false;  // an executor has registered: the check does not count if slots are still missing
};
struct StartResultJob {
  JobId job;
  JobId result_job;
  std::int32_t stage = 0;
};
struct CancelResultJob {
  JobId result_job;
};
struct FailJob {
  JobId job;
  JobStatus status = JobStatus::failed;
  std::string text;
};
struct LoseExecutor {
  ExecutorId executor;
  policies::LossReason reason;
  bool with_host = false;
  std::string text;         // why it is lost; empty: its connection broke
  bool is_overdue = false;  // nobody reported the loss
};
/// After the effects of a loss.
struct RetargetMigrations {
  ExecutorId lost;
};

/// The sender becomes an executor of the Driver, after its former life was lost.
struct AddExecutor {
  RegisterExecutor registration;
};
/// It gets work, after the jobs that waited for executors have started.
struct UseExecutor {
  ExecutorId executor;
};
/// Offers its slots in the next round.
struct OfferExecutor {
  ExecutorId executor;
};
/// Tells it which stages it may unload.
struct SendEndedStages {
  ExecutorId executor;
};

using FlowStep =
    std::variant<Step, StartWaitingJob, CheckBarrierSlots, StartResultJob, CancelResultJob, FailJob, LoseExecutor,
                 RetargetMigrations, AddExecutor, UseExecutor, OfferExecutor, SendEndedStages>;

/// Effects of one input of the TaskScheduler, and what the Driver knows of their cause.
struct TaskEffects {
  policies::TaskSchedulerEffects decided;
  const TaskOutcome* outcome = nullptr;  // of the status that caused them; lives as long as its message
  std::string loss;                      // why the executor was lost that caused them
};

/// A stack of batches; the effects of the one that is being applied are put on top.
class EffectQueue {
public:
  void push(Outgoing effect) { last<std::vector<Outgoing>>().push_back(std::move(effect)); }
  void push(FlowStep step) { last<std::vector<FlowStep>>().push_back(std::move(step)); }
  void push(policies::StageEffects effects) {
    if (!effects.empty()) added_.push_back({std::move(effects), 0});
  }
  void push(policies::AllocationEffects effects) {
    if (!effects.empty()) added_.push_back({std::move(effects), 0});
  }
  void push(TaskEffects effects) {
    if (!effects.decided.events.empty() || !effects.decided.launches.empty()) added_.push_back({std::move(effects), 0});
  }
  void push(policies::TaskSchedulerEffects effects) { push(TaskEffects{std::move(effects), nullptr, {}}); }

  /// Applies all effects, and those that they cause. `apply` takes an Outgoing&, FlowStep&, StageEffect&,
  /// AllocationEffect&, (TaskSchedulerEffect&, TaskEffects&), and TaskEffects& for its launches, which come last.
  template <class Apply>
  void drain(Apply&& apply) {
    while (true) {
      for (; !added_.empty(); added_.pop_back()) stack_.push_back(std::move(added_.back()));
      while (!stack_.empty() && is_done(stack_.back())) stack_.pop_back();
      if (stack_.empty()) return;
      auto& batch = stack_.back();
      std::visit([&](auto& effects) { apply_next(effects, batch.next++, apply); }, batch.effects);
    }
  }
  [[nodiscard]] bool is_empty() const { return added_.empty() && stack_.empty(); }

private:
  struct Batch {
    std::variant<std::vector<Outgoing>, std::vector<FlowStep>, policies::StageEffects, policies::AllocationEffects,
                 TaskEffects>
        effects;
    std::size_t next = 0;
  };

  template <class Effects>
  Effects& last() {
    if (added_.empty() || !std::holds_alternative<Effects>(added_.back().effects)) added_.push_back({Effects{}, 0});
    return std::get<Effects>(added_.back().effects);
  }
  static bool is_done(const Batch& batch) {
    if (const auto* tasks = std::get_if<TaskEffects>(&batch.effects)) {
      const auto events = tasks->decided.events.size();
      return batch.next >= (tasks->decided.launches.empty() ? events : events + 1);
    }
    return std::visit([&batch](const auto& effects) { return batch.next >= size_of(effects); }, batch.effects);
  }
  template <class Effect>
  static std::size_t size_of(const std::vector<Effect>& effects) {
    return effects.size();
  }
  static std::size_t size_of(const TaskEffects& effects) { return effects.decided.events.size(); }
  template <class Effect, class Apply>
  static void apply_next(std::vector<Effect>& effects, std::size_t next, Apply& apply) {
    apply(effects[next]);
  }
  template <class Apply>
  static void apply_next(TaskEffects& effects, std::size_t next, Apply& apply) {
    if (next < effects.decided.events.size()) apply(effects.decided.events[next], effects);
    else apply(effects);
  }

  std::vector<Batch> stack_;
  std::vector<Batch> added_;  // by the effect that is being applied, in order
};

}  // namespace heddle::actors

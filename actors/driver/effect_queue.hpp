// Effects of a message that the Driver handles: effects of its deciders, steps of its flows, and messages, timers and
// background work. One loop applies them in order, depth first: effects that an effect pushes are applied before its
// next sibling.
//
//   Example: A pushes A1 and A2; A1 pushes A1a.  Order: A, A1, A1a, A2.
#pragma once

#include <memory>
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
#include "policies/tasks/types/task_effects.hpp"
#include "ports/output_commit.hpp"

namespace heddle::actors {

struct Turn;

// -- messages, timers, background work: applied in driver_effects.cpp --------------------------

using ExecutorMessage =
    std::variant<RegisteredExecutor, RegisterAgain, LoadStage, UnloadStage, MapOutputs, MapOutputsChanged,
                 MigrateMapOutputs, RemoveShuffles, LaunchTask, RetractTasks, KillTask, StopExecutor>;
using SourceMessage = std::variant<RequestExecutors, KillExecutors, ExecutorRegistered, StopAllocator>;
using ClientMessage = std::variant<JobAccepted, JobProgress, JobFinished>;

/// The message is on the heap: it may be four times as large as any other effect, and lists of effects are moved.
struct SendToExecutor {
  ExecutorId executor;
  std::unique_ptr<ExecutorMessage> message;
};
/// To the sender of the message that is being handled.
struct ReplyToExecutor {
  std::variant<RegisterAgain, StopExecutor> message;
};
struct ReplyToClient {
  ClientMessage message;
};
struct SendToSource {
  SourceMessage message;
};
/// To the sender of the message that is being handled, which is not the source of executors.
struct RefuseSource {
  StopAllocator message;
};
struct SendToClient {
  JobId job;
  ClientMessage message;
};
/// To each client that has a job, once per client.
struct SendNotice {
  std::string text;
};
/// Monitors the sender of the current message and stores it as the actor of this executor.
struct ConnectExecutor {
  ExecutorId executor;
};
struct DisconnectExecutor {
  ExecutorId executor;
};
/// Monitors the sender of the current message and stores it as the source of executors.
struct ConnectSource {};
/// Stores the sender of the current message as the client of the job.
struct ConnectClient {
  JobId job;
};
struct DisconnectClient {
  JobId job;
};
/// Sends ReviveOffers to the Driver itself.
struct ReviveSoon {
  bool is_delayed = false;  // by 1 ms, because the event log has a backlog
};
/// Arms the tick for the next deadline.
struct ArmTick {};
/// Reads the package of the job on the background thread, which then sends PackageRead.
struct ReadPackage {
  JobId job;
  std::string path;
};
/// Creates the output folders on the background thread, which then sends OutputPrepared.
struct PrepareOutputs {
  JobId job;
  std::vector<std::string> paths;
  bool is_known_to_others = false;  // an earlier Driver may have decided a commit: recover instead of create
};
/// Commits the outputs on the background thread, which then sends JobCommitted.
struct CommitOutputs {
  JobId job;
  std::vector<OutputWinners> outputs;
};
/// Removes the outputs on the background thread, which then sends JobCommitted.
struct AbortOutputs {
  JobId job;
  std::vector<std::string> paths;
};
/// The job has nothing to commit or abort: it ends after the other effects of the message that is being handled.
struct CommitDone {
  JobId job;
};

using Outgoing =
    std::variant<SendToExecutor, ReplyToExecutor, ReplyToClient, SendToSource, RefuseSource, SendToClient, SendNotice,
                 ConnectExecutor, DisconnectExecutor, ConnectSource, ConnectClient, DisconnectClient, ReviveSoon,
                 ArmTick, ReadPackage, PrepareOutputs, CommitOutputs, AbortOutputs, CommitDone>;

// -- steps: applied by the flows ---------------------------------------------------------------

struct Step {
  void (*apply)(Turn&) = nullptr;
};
/// Starts the job if it is still in phase waiting.
struct StartWaitingJob {
  JobId job;
};
/// Checks whether the barrier stages of the job have enough task slots now.
struct CheckBarrierSlots {
  JobId job;
  bool is_early = false;  // checked because an executor registered; a failed early check does not count as a try
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
  LossReason reason;
  std::string text = {};    // why it is lost; empty: its connection broke
  bool is_overdue = false;  // a deadline of the Driver passed; no RemoveExecutor arrived
};
/// Assigns migrations of map outputs to other targets. Pushed after the effects of a loss.
struct RetargetMigrations {
  ExecutorId lost;
};
/// An executor of this node that served map outputs is lost. Pushed after the effects of the loss.
struct ReplaceOutputServer {
  NodeId node;
  HostId host;
};

/// Adds the sender of the registration as an executor, after the effects of the loss of its earlier epoch.
struct AddExecutor {
  RegisterExecutor registration;
};
/// Offers the slots of a new executor, after jobs that waited for executors have started.
struct UseExecutor {
  ExecutorId executor;
};
/// Offers the free slots of the executor in the next round.
struct OfferExecutor {
  ExecutorId executor;
};
/// Sends UnloadStage for the ended stages of the executor.
struct SendEndedStages {
  ExecutorId executor;
};

using FlowStep =
    std::variant<Step, StartWaitingJob, CheckBarrierSlots, StartResultJob, CancelResultJob, FailJob, LoseExecutor,
                 RetargetMigrations, ReplaceOutputServer, AddExecutor, UseExecutor, OfferExecutor, SendEndedStages>;

/// Effects of one input of the TaskScheduler, and their cause.
struct TaskEffects {
  policies::TaskSchedulerEffects decided;
  const TaskOutcome* outcome = nullptr;  // cause: a task status; valid while its message is handled
  std::string loss;                      // cause: why an executor was lost
};

/// A stack of batches. Effects that the current effect pushes go on top.
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

  /// Applies all effects and the effects that they push. `apply` has overloads for Outgoing&, FlowStep&, StageEffect&,
  /// AllocationEffect&, (TaskSchedulerEffect&, TaskEffects&), and TaskEffects& for the launches, which come last.
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
  std::vector<Batch> added_;  // pushed by the current effect, in order
};

}  // namespace heddle::actors

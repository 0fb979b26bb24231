// Messages to a Driver. It is a job service, so it understands the messages of job_service.hpp too.
#pragma once

#include <string>
#include <vector>

#include "caf_compat/interface.hpp"
#include "messages/job_service.hpp"
#include "messages/nouns.hpp"
#include "model/container.hpp"

namespace heddle {

// -- from the client -----------------------------------------------------------

/// No more jobs follow: stop the executors and end the application.
struct StopDriver {
  bool succeeded = true;
  std::string text;
};
HEDDLE_MESSAGE(StopDriver, succeeded, text)

/// Cluster mode on YARN: send reports about all jobs of the application to the sender, those that have ended too. The
/// Driver passes this message on to the JobReporter of its process. Repeating it does no harm.
struct FollowJobs {};
HEDDLE_MESSAGE_EMPTY(FollowJobs)

/// The sender has got the ends of all its jobs, so the application may end. Passed on as FollowJobs.
struct StopFollowing {};
HEDDLE_MESSAGE_EMPTY(StopFollowing)

// -- from executors --------------------------------------------------------------

/// An executor registers, for the first time or again. The Driver keeps the handle of the sender. It answers with
/// RegisteredExecutor, or with StopExecutor if it does not need the executor.
struct RegisterExecutor {
  ExecutorId executor;
  std::int32_t cores = 1;
  std::string host;                        // host name for locality
  MapOutputLocation shuffle_place;         // location of its map outputs
  std::string build_id;                    // of the program; must equal that of the Driver
  std::vector<DeviceAddresses> devices{};  // by kind
  ProfileId profile{0};                    // of the executor
};
HEDDLE_MESSAGE(RegisterExecutor, executor, cores, host, shuffle_place, build_id, devices, profile)

/// Status of a task attempt that started or ended.
struct TaskStatus {
  StageKey stage;
  std::int32_t index = 0;  // partition index
  std::int32_t attempt = 0;
  TaskOutcome outcome;
};
HEDDLE_INSPECT(TaskStatus, stage, index, attempt, outcome)

/// Task attempts of the partitions [first_index, first_index + count), all with the same attempt number, that finished
/// without counters, bytes or errors to report.
struct FinishedRange {
  StageKey stage;
  std::int32_t first_index = 0;
  std::int32_t count = 0;
  std::int32_t attempt = 0;
  std::vector<std::int64_t> start_us;  // one per attempt
  std::vector<std::int32_t> run_us;    // one per attempt
};
HEDDLE_INSPECT(FinishedRange, stage, first_index, count, attempt, start_us, run_us)

/// Status changes of task attempts since the previous StatusUpdate. Stale if `epoch` is not the current one of the
/// executor.
struct StatusUpdate {
  ExecutorId executor;
  Epoch epoch;
  std::vector<FinishedRange> finished;
  std::vector<TaskStatus> statuses;
};
HEDDLE_PACKED_MESSAGE(StatusUpdate, executor, epoch, finished, statuses)

/// Answers RetractTasks: the executor removed these attempts from its queue; they did not start.
struct TasksRetracted {
  ExecutorId executor;
  Epoch epoch;
  std::vector<TaskRange> tasks;
};
HEDDLE_MESSAGE(TasksRetracted, executor, epoch, tasks)

/// Heartbeat of an executor with the progress of its running tasks; tasks that have read nothing are left out. The
/// Driver sends RegisterAgain to an executor that it does not know.
struct Heartbeat {
  ExecutorId executor;
  Epoch epoch;
  std::vector<RunningTask> running = {};
};
HEDDLE_MESSAGE(Heartbeat, executor, epoch, running)

/// Answers MigrateMapOutputs: these map outputs are now on the node of the executor. `text`: why the others are not.
struct MapOutputsMigrated {
  ExecutorId executor;
  Epoch epoch;
  ShuffleId shuffle;
  std::vector<std::int32_t> maps;
  std::string text;
};
HEDDLE_MESSAGE(MapOutputsMigrated, executor, epoch, shuffle, maps, text)

// -- from the YarnAllocator -----------------------------------------------------------

/// A YarnAllocator accepts targets from now on. The Driver keeps the handle of the sender and sends it the current
/// target at once.
struct RegisterYarnAllocator {
  AttemptId attempt;
};
HEDDLE_MESSAGE(RegisterYarnAllocator, attempt)

/// An executor is lost, with the reason. Sent once per lost executor.
struct RemoveExecutor {
  ExecutorId executor;
  ExecutorLoss loss = {};
};
HEDDLE_MESSAGE(RemoveExecutor, executor, loss)

/// A node is lost with all map outputs that it served.
struct RemoveNode {
  NodeId node;
  std::string host;
};
HEDDLE_MESSAGE(RemoveNode, node, host)

/// The nodes of this host are decommissioned: start nothing new there and copy its map outputs to other nodes.
struct DecommissionHost {
  std::string host;
};
HEDDLE_MESSAGE(DecommissionHost, host)

/// The YarnAllocator gives up because too many executors failed. Jobs fail with this text.
struct AllocationFailed {
  std::string text;
};
HEDDLE_MESSAGE(AllocationFailed, text)

/// The Client of the Driver's process: the cluster is lost, so all jobs fail with this text. It counts whichever
/// YarnAllocator is connected.
struct FailJobs {
  std::string text;
};
HEDDLE_MESSAGE(FailJobs, text)

// -- timers and messages to self --------------------------------------------------------

/// Start an offer round. At most one is in the mailbox.
struct ReviveOffers {};
HEDDLE_MESSAGE_EMPTY(ReviveOffers)

/// Check locality waits, speculation, dynamic allocation, executor time-outs and progress.
struct DriverTick {
  std::uint64_t epoch = 0;
};
HEDDLE_MESSAGE(DriverTick, epoch)

/// The Driver's interface: that of a job service, then one line per message above, in the same order, with the
/// results of background work of job_service.hpp.
using DriverActor = caf_compat::ExtendedInterface<
    JobServiceActor, void(StopDriver), void(FollowJobs), void(StopFollowing), void(RegisterExecutor),
    void(StatusUpdate), void(TasksRetracted), void(Heartbeat), void(MapOutputsMigrated), void(RegisterYarnAllocator),
    void(RemoveExecutor), void(RemoveNode), void(DecommissionHost), void(AllocationFailed), void(FailJobs),
    void(ReviveOffers), void(DriverTick), void(PackageRead), void(OutputPrepared), void(JobCommitted)>;

}  // namespace heddle

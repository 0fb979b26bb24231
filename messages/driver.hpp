// What a Driver understands.
#pragma once

#include <string>
#include <vector>

#include "caf_compat/interface.hpp"
#include "messages/nouns.hpp"
#include "model/container.hpp"

namespace heddle {

// -- from the client -----------------------------------------------------------

/// The splits of one stage of a graph; an empty list for stages that read no files.
struct StageSplits {
  std::vector<TaskSplit> splits;
};
HEDDLE_INSPECT(StageSplits, splits)

/// Run this graph. `splits` has one entry per stage. Answered by JobAccepted and, once, JobFinished.
/// Cluster mode: a job that outlives its Driver is submitted again to the next one, which finishes a commit that was
/// decided, or discards what was written and runs the job anew.
struct SubmitJob {
  std::int64_t request = 0;
  JobGraph graph;
  std::vector<StageSplits> splits;
  std::int32_t earlier_drivers = 0;  // that were told of this job and are gone
};
HEDDLE_MESSAGE(SubmitJob, request, graph, splits, earlier_drivers)

/// End this job in order: kill its tasks, discard its output, answer with JobFinished.
struct CancelJob {
  JobId job;
  std::string reason;
};
HEDDLE_MESSAGE(CancelJob, job, reason)

/// No more jobs will come: stop the executors and end the application.
struct StopDriver {
  bool succeeded = true;
  std::string text;
};
HEDDLE_MESSAGE(StopDriver, succeeded, text)

// -- from executors --------------------------------------------------------------

/// An executor is up, for the first time or again. The sender's handle is kept. Answered by RegisteredExecutor, or by
/// StopExecutor if it is not wanted.
struct RegisterExecutor {
  ExecutorId executor;
  std::int32_t cores = 1;
  std::string host;                        // name for locality
  MapOutputLocation shuffle_place;         // where its map outputs will stand
  std::string build_id;                    // of the program; both sides must be the same
  std::vector<DeviceAddresses> devices{};  // that it has, by kind
  ProfileId profile{0};                    // that it was started for
};
HEDDLE_MESSAGE(RegisterExecutor, executor, cores, host, shuffle_place, build_id, devices, profile)

/// One attempt that began or ended.
struct TaskStatus {
  StageKey stage;
  std::int32_t index = 0;
  std::int32_t attempt = 0;
  TaskOutcome outcome;
};
HEDDLE_INSPECT(TaskStatus, stage, index, attempt, outcome)

/// Attempts [first_index, first_index + count) of one number that all finished well and have nothing else to say.
struct FinishedRange {
  StageKey stage;
  std::int32_t first_index = 0;
  std::int32_t count = 0;
  std::int32_t attempt = 0;
  std::vector<std::int64_t> start_us;
  std::vector<std::int32_t> run_us;
};
HEDDLE_INSPECT(FinishedRange, stage, first_index, count, attempt, start_us, run_us)

/// What became of attempts since the last one. Stale if `epoch` is not the executor's current one.
struct StatusUpdate {
  ExecutorId executor;
  Epoch epoch;
  std::vector<FinishedRange> finished;
  std::vector<TaskStatus> statuses;
};
HEDDLE_MESSAGE(StatusUpdate, executor, epoch, finished, statuses)

/// Answers RetractTasks: these attempts had not begun and will not.
struct TasksRetracted {
  ExecutorId executor;
  Epoch epoch;
  std::vector<TaskRange> tasks;
};
HEDDLE_MESSAGE(TasksRetracted, executor, epoch, tasks)

/// An executor lives, and its tasks are so far; those that have read nothing yet are left out. An executor that the
/// Driver does not know is asked to register again.
struct Heartbeat {
  ExecutorId executor;
  Epoch epoch;
  std::vector<RunningTask> running = {};
};
HEDDLE_MESSAGE(Heartbeat, executor, epoch, running)

/// Answers TakeOutputs: copies of these map outputs stand at the executor's node now; `text` says why others do not.
struct OutputsTaken {
  ExecutorId executor;
  Epoch epoch;
  ShuffleId shuffle;
  std::vector<std::int32_t> maps;
  std::string text;
};
HEDDLE_MESSAGE(OutputsTaken, executor, epoch, shuffle, maps, text)

// -- from the allocator ------------------------------------------------------------

/// An allocator takes targets from now on. The sender's handle is kept; it is told the current target at once.
struct RegisterYarnAllocator {
  AttemptId attempt;
};
HEDDLE_MESSAGE(RegisterYarnAllocator, attempt)

enum class LossKind : std::uint8_t { exited, killed, node_lost, start_failed, unknown };

/// An executor is gone for good, with the reason. Said once per lost executor.
struct RemoveExecutor {
  ExecutorId executor;
  LossKind kind = LossKind::unknown;
  std::int32_t exit_code = 0;
  bool caused_by_application = true;
  std::string text;
};
HEDDLE_MESSAGE(RemoveExecutor, executor, kind, exit_code, caused_by_application, text)

/// A node is gone with all map outputs that it served.
struct RemoveNode {
  NodeId node;
  std::string host;
};
HEDDLE_MESSAGE(RemoveNode, node, host)

/// The nodes of this host will go: nothing new is to start there, and what stands there is to leave it.
struct DecommissionHost {
  std::string host;
};
HEDDLE_MESSAGE(DecommissionHost, host)

/// The allocator gives up: too many executors failed. Jobs fail with this text.
struct AllocationFailed {
  std::string text;
};
HEDDLE_MESSAGE(AllocationFailed, text)

// -- timers and answers to self ------------------------------------------------------

/// Time for an offer round. Armed at most once.
struct ReviveOffers {};
HEDDLE_MESSAGE_EMPTY(ReviveOffers)

/// Time to look at delay timers, speculation, allocation, silent executors and progress.
struct DriverTick {
  std::uint64_t generation = 0;
};
HEDDLE_MESSAGE(DriverTick, generation)

enum class OutputFound : std::uint8_t { refused, ready, committed };

/// The output folders of a job are there, or cannot be had, or an earlier Driver had decided the commit, which is
/// finished now. Prepared off the Driver's thread.
struct OutputPrepared {
  JobId job;
  OutputFound found = OutputFound::refused;
  std::string text;
};
HEDDLE_MESSAGE(OutputPrepared, job, found, text)

/// The commit of a job's output ended, off the Driver's thread.
struct JobCommitted {
  JobId job;
  bool succeeded = false;
  std::string text;
};
HEDDLE_MESSAGE(JobCommitted, job, succeeded, text)

/// The Driver's interface: one line per message above, in the same order.
using DriverActor = caf_compat::Interface<void(SubmitJob), void(CancelJob), void(StopDriver), void(RegisterExecutor),
                                          void(StatusUpdate), void(TasksRetracted), void(Heartbeat), void(OutputsTaken),
                                          void(RegisterYarnAllocator), void(RemoveExecutor), void(RemoveNode),
                                          void(DecommissionHost), void(AllocationFailed), void(ReviveOffers),
                                          void(DriverTick), void(OutputPrepared), void(JobCommitted)>;

}  // namespace heddle

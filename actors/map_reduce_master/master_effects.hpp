// Effects of the MapReduceMaster: messages, connections and background work. Flows push them;
// map_reduce_master_effects.cpp applies them in order.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "messages/application_master.hpp"
#include "messages/client.hpp"
#include "messages/container_source.hpp"
#include "messages/map_reduce_master.hpp"
#include "messages/task_child.hpp"
#include "ports/job_history.hpp"

namespace heddle::actors {

// -- the client ---------------------------------------------------------------------------------

/// Stores the sender of the current message as the client of the job.
struct AdoptJobClient {};
/// Answers the client that sent the current message.
struct AnswerSubmitter {
  std::variant<JobAccepted, JobFinished> message;
};
/// Dropped if the job has no client.
struct ReportToJobClient {
  std::variant<JobProgress, JobFinished, Notice> message;
};

// -- ResourceManager, ApplicationMaster, NodeManagers ----------------------------------------------

struct RequestContainers {
  AllocateRequest request;
};
/// Connects to a NodeManager. Result: node_connected or node_unreachable.
struct ConnectNode {
  std::string address;
};
/// Dropped if the NodeManager is not connected.
struct SendToContainerHost {
  std::string address;
  std::variant<StartContainer, StopContainer> message;
};
/// Stores the sender of the current message as the ApplicationMaster, and monitors it.
struct AdoptApplicationMaster {};
/// Asks the ApplicationMaster to register the attempt again.
struct RegisterAgainAtCluster {};
/// Sends EndApplication to the ApplicationMaster and ends the MapReduceMaster.
struct LeaveMaster {
  EndApplication end;
};
/// Ends the MapReduceMaster without EndApplication: the ApplicationMaster leaves without an end of the application, and
/// the next application attempt continues the job (CA-26).
struct LeaveJobToNextMaster {};

// -- task children -----------------------------------------------------------------------------------

/// Stores the sender of the current message as the task child in this container.
struct AdoptChild {
  ContainerId container;
};
struct ForgetTaskChild {
  ContainerId container;
};
/// Dropped if the container has no task child.
struct SendToTaskChild {
  ContainerId container;
  std::variant<RunAttempt, CommitAttempt, MapCompletions> message;
};
/// Answers the task child that sent the current message.
struct DismissChild {
  LeaveChild message;
};

// -- background work -----------------------------------------------------------------------------------

/// Result: PackageRead.
struct ReadMasterPackage {
  JobId job;
  std::string path;
};
/// Result: OutputPrepared. `has_earlier_master`: the job was submitted to an earlier application attempt, which may
/// have decided its commit. `finished`: folders of task attempts of earlier application attempts whose files stay.
struct SetUpOutputs {
  JobId job;
  std::vector<std::string> paths;
  bool has_earlier_master = false;
  std::vector<std::string> finished = {};
};
/// Result: JobCommitted.
struct CommitWinners {
  JobId job;
  std::vector<OutputWinners> outputs;
};
/// Result: JobCommitted.
struct RemoveOutputs {
  JobId job;
  std::vector<std::string> paths;
};
/// Result: HistoryOpened. `resumes`: continues the history of an earlier application attempt.
struct OpenHistory {
  JobId job;
  ports::JobHistoryFile file;
  bool resumes = false;
};
/// Result: HistoryEnded if it fails.
struct AppendHistory {
  JobId job;
  std::vector<history::Event> events;
};
/// The events are on the disk before work that follows. Result: HistoryEnded if it fails.
struct SyncHistory {
  JobId job;
};
/// Result: HistoryEnded.
struct CloseHistory {
  JobId job;
};
/// Result: AttemptOutputRemoved.
struct RemoveAttemptOutput {
  TaskAttemptId attempt;
  std::vector<std::string> paths;
  std::string folder;  // name of the attempt's folder
};

using MasterEffect = std::variant<AdoptJobClient, AnswerSubmitter, ReportToJobClient, RequestContainers, ConnectNode,
                                  SendToContainerHost, AdoptApplicationMaster, RegisterAgainAtCluster, LeaveMaster,
                                  LeaveJobToNextMaster, AdoptChild, ForgetTaskChild, SendToTaskChild, DismissChild,
                                  ReadMasterPackage, SetUpOutputs, CommitWinners, RemoveOutputs, RemoveAttemptOutput,
                                  OpenHistory, AppendHistory, SyncHistory, CloseHistory>;
using MasterEffects = std::vector<MasterEffect>;

}  // namespace heddle::actors

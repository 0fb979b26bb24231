// Effects of the JobTracker: messages, connections and background work. Flows push them; job_tracker_effects.cpp
// applies them in order.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "messages/client.hpp"
#include "messages/job_tracker.hpp"
#include "messages/task_tracker.hpp"

namespace heddle::actors {

/// Stores the sender of the current message as the client of the job.
struct AddJobClient {
  JobId job;
};
struct DropJobClient {
  JobId job;
};
/// Answers the client that sent the current message.
struct AnswerClient {
  std::variant<JobAccepted, JobFinished> message;
};
struct SendToJobClient {
  JobId job;
  std::variant<JobProgress, JobFinished, Notice> message;
};
/// Reads the package on the background thread, which then sends PackageRead.
struct ReadJobPackage {
  JobId job;
  std::string path;
};
/// Stores the sender of the current message as the TaskTracker of this name, and monitors it.
struct AddTracker {
  std::string tracker;
};
struct DropTracker {
  std::string tracker;
};
/// Answers the TaskTracker that sent the current message.
struct AnswerTracker {
  std::variant<HeartbeatResponse, ReinitialiseTracker, TrackerRefused> message;
};
/// Sends HeartbeatSoon.
struct WakeTracker {
  std::string tracker;
};

using TrackingEffect = std::variant<AddJobClient, DropJobClient, AnswerClient, SendToJobClient, ReadJobPackage,
                                    AddTracker, DropTracker, AnswerTracker, WakeTracker>;
using TrackingEffects = std::vector<TrackingEffect>;

}  // namespace heddle::actors

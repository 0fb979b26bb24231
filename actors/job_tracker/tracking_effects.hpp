// Effects of the JobTracker: messages, connections and background work. Flows push them; job_tracker_effects.cpp
// applies them in order.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "messages/client.hpp"
#include "messages/job_tracker.hpp"
#include "messages/task_tracker.hpp"
#include "model/attempt_work.hpp"
#include "ports/job_history.hpp"

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
  std::variant<JobAccepted, JobProgress, JobFinished, Notice> message;
};
/// On the background thread: reads the package from the file that the submission names, stores the submission, and
/// recovers the outputs of a job of an earlier JobTracker. SubmissionReady follows.
struct PrepareSubmission {
  JobSubmission submission;
  bool is_stored = false;  // with its package
  bool recovers_outputs = false;
  std::int32_t application_attempt = 1;
};
/// Removes the stored submission on the background thread. `keeps_outputs`: its outputs are not recovered for any other
/// job, because they may be those of this one.
struct ForgetSubmission {
  JobId job;
  bool keeps_outputs = false;
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

/// The same to the TaskTracker of this name.
struct SendToTracker {
  std::string tracker;
  HeartbeatResponse message;
};
/// Opens the history of a job on the background thread; its first line is `submitted`, with the path of the settings.
struct BeginHistory {
  JobId job;
  ports::JobHistoryFile file;
  history::JobSubmitted submitted;
};
/// Continues the history of a job of an earlier JobTracker on the background thread, and closes it behind the last line
/// `end`, whose numbers of tasks and attempts come from the lines before. HistoryWritten follows after an error.
struct EndEarlierHistory {
  JobId job;
  ports::JobHistoryFile file;
  history::JobSubmitted submitted;  // first line, if the history has none
  history::JobSucceeded end;
};
/// Counts of an attempt that succeeded: counters of the events `at`, its end, and `at` + 1, the end of its task. The
/// background thread makes them, because they have about 20 texts.
struct HistoryCounts {
  std::size_t at = 0;
  AttemptCounters counts;
};
/// Appends to the history on the background thread. HistoryWritten follows if a response waits, or after an error.
struct WriteHistory {
  JobId job;
  ApplicationId application;
  std::vector<history::Event> events = {};
  std::vector<HistoryCounts> counts = {};
  bool waits = false;  // the response to `tracker` waits until all is on the disk
  std::string tracker = {};
  bool closes = false;
};

using TrackingEffect = std::variant<AddJobClient, DropJobClient, AnswerClient, SendToJobClient, PrepareSubmission,
                                    ForgetSubmission, AddTracker, DropTracker, AnswerTracker, SendToTracker,
                                    WakeTracker, BeginHistory, EndEarlierHistory, WriteHistory>;
using TrackingEffects = std::vector<TrackingEffect>;

}  // namespace heddle::actors

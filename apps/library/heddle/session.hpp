// A Session makes a program an application of heddle: it starts the roles for a master URL, runs jobs, and stops the
// roles.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/job_builder.hpp"
#include "model/result.hpp"
#include "model/time.hpp"

namespace heddle {

/// Options of a session. Options on the command line of the program override them.
struct SessionOptions {
  std::string name{};               // of the application; empty: the file name of the program
  std::string master = "local[*]";  // as `heddle run --master`
  std::string topology{};  // path of a topology file, whose cluster is used if no --master is given; empty: none
  std::vector<std::pair<std::string, std::string>> settings{};  // keys of `heddle config --list`, and their values
  std::string deploy_mode = "client";                           // or "cluster": the Driver runs in the master container
  std::function<bool()> is_cancelled{};  // polled while the session opens; true ends that with Errc::cancelled
};

/// Progress of one stage.
struct StageReport {
  std::string name;
  std::int64_t tasks = 0;
  std::int64_t running = 0;          // task attempts
  std::int64_t finished = 0;         // tasks
  std::int64_t failed_attempts = 0;  // of tasks
  /// Launches by distance to the input data: same process, same node, same rack, any.
  std::array<std::int64_t, 4> locality{};
};

/// Task attempts that failed for the same reason.
struct JobFailure {
  std::string reason;
  std::int64_t attempts = 0;
};

/// Result of a job that succeeded.
struct JobReport {
  std::string name;
  std::string application;  // its id
  Duration wall{0};         // microseconds, from run() to the committed output
  std::vector<StageReport> stages;
  std::int64_t tasks = 0;
  std::int64_t failed_attempts = 0;
  std::vector<JobFailure> failures;  // of task attempts; retries of these tasks succeeded
  std::int64_t bytes_read = 0;
  std::int64_t bytes_shuffled = 0;
  std::int64_t bytes_written = 0;
  std::int64_t bytes_spilled = 0;
  std::vector<std::string> outputs;  // folders, absolute paths
  std::string event_log;             // path; empty: no log is written
  /// Sums over all tasks, by "group\tname"; of each task, only the attempt that succeeded counts.
  std::vector<std::pair<std::string, std::int64_t>> counters;

  /// Value of a counter; 0 if no task has added to it.
  [[nodiscard]] std::int64_t counter(std::string_view group, std::string_view name) const;
};
/// The summary that `heddle run` prints: several lines, each with a final LF.
[[nodiscard]] std::string to_string(const JobReport& report);

/// Optional callbacks of run() and run_all(), called on the thread that waits there.
struct RunCallbacks {
  std::function<void(const std::vector<StageReport>&)>
      on_progress;                                    // soon after changes, once per second, at ends of stages
  std::function<void(const std::string&)> on_notice;  // an event that does not end the job, such as a lost executor
  std::function<bool()> is_cancelled;  // polled; true cancels the job, also while it waits for a NameNode
};

/// Create it first in main: `heddle::Session session{argc, argv};`. heddle starts the executors and the other roles of
/// a cluster as processes of this program; in such a process the constructor runs the role and does not return.
///
/// The constructor removes `--master M`, `--deploy-mode D`, `--set KEY=VALUE` (repeatable) and `--topology FILE` from
/// the arguments of the program. It does not throw: if the session could not be opened, status() and each run() return
/// the error. The destructor calls close().
class Session {
public:
  /// Opens the session. Blocks until the roles of a cluster have started.
  Session(int argc, char** argv, SessionOptions options = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Done if the session can run jobs. Errors: usage (wrong options or settings, two task functions with one name),
  /// not_found (a file or queue), refused (the executors fit on no node, or the session is closed), io (no working
  /// folder), unreachable and timed_out (the cluster did not start), cancelled (by SessionOptions::is_cancelled).
  [[nodiscard]] Result<Done> status() const;
  /// Arguments of the program without the program name and without the options of the session.
  [[nodiscard]] const std::vector<std::string>& arguments() const;

  /// Runs one job and blocks until it ends. Calls from other threads wait until then; run_all() runs jobs at the same
  /// time. Errors: usage, not_found, refused (wrong graph, missing input, existing output: no task ran), failed (a task
  /// failed heddle.task.max_failures times; the text has the last failure), cancelled, or the error of status().
  [[nodiscard]] Result<JobReport> run(const JobBuilder& job, const RunCallbacks& callbacks = {});

  /// Runs several jobs at the same time; they share the task slots of the session. Blocks until all have ended. Returns
  /// one result per job, in the order of `jobs`. If one job is invalid, no job starts and every result is its error.
  /// on_progress gets the stages of all jobs.
  [[nodiscard]] std::vector<Result<JobReport>> run_all(const std::vector<JobBuilder>& jobs,
                                                       const RunCallbacks& callbacks = {});

  /// Stops all processes of the session; later run() calls return `refused`. Further calls have no effect. Waits for a
  /// job that another thread runs, but ends its waits for a NameNode in safe mode.
  void close();

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle

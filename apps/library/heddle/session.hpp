// A user's program as an application of heddle: opened for a master, runs jobs, closed with everything that it started.
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

struct SessionOptions {
  std::string name{};               // of the application; empty: the program's
  std::string master = "local[*]";  // as of `heddle run --master`; the program's own --master counts more
  std::string topology{};           // path of a topology file; empty: none
  std::vector<std::pair<std::string, std::string>>
      settings{};                      // keys of `heddle config --list`; the program's own --set counts more
  std::string deploy_mode = "client";  // or "cluster": the Driver in the master container; as --deploy-mode
};

/// How far one stage is, or was.
struct StageReport {
  std::string name;
  std::int64_t tasks = 0;
  std::int64_t running = 0;
  std::int64_t finished = 0;
  std::int64_t failed_attempts = 0;
  std::array<std::int64_t, 4>
      locality{};  // tasks started in the process of their data, on its node, in its rack, anywhere
};

struct JobFailure {
  std::string reason;
  std::int64_t attempts = 0;
};

/// What a job that succeeded has done.
struct JobReport {
  std::string name;
  std::string application;  // id
  Duration wall{0};         // microseconds, from run() to the committed output
  std::vector<StageReport> stages;
  std::int64_t tasks = 0;
  std::int64_t failed_attempts = 0;
  std::vector<JobFailure> failures;  // of attempts, alike ones together; tried again with success
  std::int64_t bytes_read = 0;
  std::int64_t bytes_shuffled = 0;
  std::int64_t bytes_written = 0;
  std::int64_t bytes_spilled = 0;
  std::vector<std::string> outputs;  // folders, absolute
  std::string event_log;             // path; empty: none is written
  std::vector<std::pair<std::string, std::int64_t>>
      counters;  // "group\tname", summed over the tasks, each counted once

  /// 0 if no task has counted it.
  [[nodiscard]] std::int64_t counter(std::string_view group, std::string_view name) const;
};
/// The summary that `heddle run` prints: a few lines, ended by LF.
[[nodiscard]] std::string to_string(const JobReport& report);

/// What a program may want to hear while run() waits; called on the waiting thread.
struct RunCallbacks {
  std::function<void(const std::vector<StageReport>&)> on_progress;  // a few times a second, and when a stage ends
  std::function<void(const std::string&)>
      on_notice;                       // a sentence about what does not end the job: an executor lost, a host excluded
  std::function<bool()> is_cancelled;  // asked often; true: cancel in order
};

/// The first thing in main: `heddle::Session session{argc, argv};`. Executors and the other roles of a cluster are this
/// program again, started for that role: there the constructor plays the role and does not return, so that nothing
/// below it runs twice.
///
/// Takes `--master M`, `--deploy-mode D`, `--set KEY=VALUE` (repeatable) and `--topology FILE` out of the program's
/// words; the others are arguments(). A session that could not be opened says why by status() and by each run(). Ends
/// what it started when it is destroyed.
class Session {
public:
  Session(int argc, char** argv, SessionOptions options = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Done, or why this session cannot run jobs: wrong words (usage), a name given to two functions (usage), no cluster,
  /// closed (refused).
  [[nodiscard]] Result<Done> status() const;
  /// The program's words that are not the session's, without the program's name.
  [[nodiscard]] const std::vector<std::string>& arguments() const;

  /// Runs the job to its end. Blocks; further threads wait for their turn: jobs that run at the same time are
  /// run_all()'s. An Error says why there is no result: usage and not_found (a wrong graph, a missing input: nothing
  /// ran), refused (an output that exists: nothing ran), failed (a task failed as often as it may; the last failure is
  /// in the sentence), cancelled.
  [[nodiscard]] Result<JobReport> run(const JobBuilder& job, const RunCallbacks& callbacks = {});

  /// The same for several jobs that share the session's slots, at the same time. Each is told its own end, in the order
  /// of the jobs; a job that cannot run at all keeps the others from being started, and its Error is everyone's.
  /// Progress is that of all their stages.
  [[nodiscard]] std::vector<Result<JobReport>> run_all(const std::vector<JobBuilder>& jobs,
                                                       const RunCallbacks& callbacks = {});

  /// Ends every process of the session; run() is refused from then on. Once is enough, more does no harm.
  void close();

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle

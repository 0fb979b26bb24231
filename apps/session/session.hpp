// A session: one application from the side of its user. Opened for a master URL, runs jobs, and stops all its processes
// when it is closed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/files/topology_file.hpp"
#include "config/table/framework.hpp"
#include "config/table/master.hpp"
#include "config/table/settings.hpp"
#include "messages/client.hpp"
#include "model/job_graph.hpp"
#include "model/result.hpp"

namespace heddle::apps {

class SharedCluster;

struct SessionOptions {
  config::MasterUrl master;
  config::Settings settings;
  std::string name = "heddle";
  std::string topology_text;  // content of the topology file; empty: none
  config::TopologyFile topology;
  bool is_cluster_deploy = false;  // the Driver runs in the master container
  config::Framework framework = config::Framework::driver;
  std::shared_ptr<SharedCluster> cluster = {};  // shared by several applications; null: the session starts its own
  std::function<bool()> is_interrupted = {};    // called on any thread; true ends waits for a NameNode
};

/// Returns true after the user has cancelled. Called often by the waiting thread.
using IsCancelled = std::function<bool()>;

/// Called while a session opens, with news for the user.
using OnNotice = std::function<void(const Notice&)>;

/// Registers a function that is called, on any thread, when IsCancelled may return true; it must not block. The result
/// is the registration: destroying it removes the function.
using WatchCancellation = std::function<std::shared_ptr<void>(std::function<void()>)>;

/// Notifications while a job runs; called on the waiting thread.
struct JobCallbacks {
  std::function<void(const JobProgress&)> on_progress;
  std::function<void(const Notice&)> on_notice;
  IsCancelled is_cancelled;  // true: cancel the job. Called after each notification; without watch_cancellation, polled
  // Only for run_all:
  std::function<void(const ApplicationAccepted&)> on_application = {};
  std::function<void(std::size_t number, JobId)> on_job = {};  // index of the graph, and its job id
  std::function<void(const JobFinished&)> on_finished = {};
  WatchCancellation watch_cancellation = {};
};

class Session {
public:
  virtual ~Session() = default;
  /// Starts the processes that the master URL needs; stops them all if it fails. Errc::cancelled if the user cancels.
  [[nodiscard]] static Result<std::unique_ptr<Session>> open(const SessionOptions& options,
                                                             const IsCancelled& is_cancelled = {},
                                                             const OnNotice& on_notice = {});
  /// Lists the inputs, submits the job, and waits for its result. An Error means that the job did not run; the result
  /// of a job that ran is in JobFinished.
  [[nodiscard]] virtual Result<JobFinished> run(JobGraph graph, const JobCallbacks& callbacks) = 0;
  /// Submits all jobs at once and waits for them; returns the results in the order of the graphs.
  [[nodiscard]] virtual Result<std::vector<JobFinished>> run_all(const std::vector<JobGraph>& graphs,
                                                                 const JobCallbacks& callbacks) = 0;
  /// The complete path of an output of a job.
  [[nodiscard]] virtual std::string output_path(const std::string& written) const = 0;
  /// Path of the event log; empty: no log.
  [[nodiscard]] virtual std::string event_log() const = 0;
  [[nodiscard]] virtual std::string application() const = 0;
  /// Folder of the kept stdout and stderr of task attempts; it may not exist.
  [[nodiscard]] virtual std::string task_logs() const = 0;
};

/// Error text of open() after a cancellation.
inline constexpr std::string_view cancelled_while_opening = "cancelled by the user before the cluster was up";

}  // namespace heddle::apps

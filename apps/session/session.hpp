// One application from the side of its user: opened for a master, runs jobs, closed with everything that it started.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/files/topology_file.hpp"
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
  bool is_cluster_deploy = false;               // the Driver lives in the master container
  std::shared_ptr<SharedCluster> cluster = {};  // of several applications; none: the session starts one of its own
};

/// Asked often, by the thread that waits; true once the user has cancelled.
using IsCancelled = std::function<bool()>;

/// What the waiting thread is told while a job runs; called on that thread.
struct JobCallbacks {
  std::function<void(const JobProgress&)> on_progress;
  std::function<void(const Notice&)> on_notice;
  IsCancelled is_cancelled;  // true: cancel in order
  // Of run_all only.
  std::function<void(const ApplicationAccepted&)> on_application = {};
  std::function<void(std::size_t number, JobId)> on_job = {};  // the number of the graph, and the id it got
  std::function<void(const JobFinished&)> on_finished = {};
};

class Session {
public:
  virtual ~Session() = default;
  /// Starts what the master needs; nothing is left running when it fails. Ends early, with Errc::cancelled, when the
  /// user cancels.
  [[nodiscard]] static Result<std::unique_ptr<Session>> open(const SessionOptions& options,
                                                             const IsCancelled& is_cancelled = {});
  /// Lists the inputs, submits, waits. An Error means that the job did not run; how a job ended stands in JobFinished.
  [[nodiscard]] virtual Result<JobFinished> run(JobGraph graph, const JobCallbacks& callbacks) = 0;
  /// Submits all of them together, and waits for all; their ends in the order of the graphs.
  [[nodiscard]] virtual Result<std::vector<JobFinished>> run_all(const std::vector<JobGraph>& graphs,
                                                                 const JobCallbacks& callbacks) = 0;
  /// Path of the event log; empty: none is written.
  [[nodiscard]] virtual std::string event_log() const = 0;
  [[nodiscard]] virtual std::string application() const = 0;
  /// Folder of what attempts wrote to stdout and stderr, where that is kept; it need not be there.
  [[nodiscard]] virtual std::string task_logs() const = 0;
};

/// Why a session was not opened.
inline constexpr std::string_view cancelled_while_opening = "cancelled by the user before the cluster was up";

}  // namespace heddle::apps

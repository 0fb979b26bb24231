// Processes of a local cluster: a master, which is a ResourceManager or a JobTracker, and one node process per host;
// they end with the client. A JobTracker that ends earlier is started again.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "apps/session/cluster_processes.hpp"
#include "apps/session/master_restarts.hpp"
#include "apps/session/planned_losses.hpp"
#include "apps/session/session.hpp"
#include "config/files/topology_file.hpp"
#include "model/launch_spec.hpp"
#include "model/resources.hpp"
#include "model/result.hpp"
#include "ports/transport_key.hpp"
#include "work/commands/process_launcher.hpp"

namespace heddle::apps {

struct LocalClusterOptions {
  std::string directory;                    // working files; the caller creates and removes it
  std::string log_directory;                // logs of roles and containers
  std::vector<config::TopologyHost> hosts;  // one node process each
  std::string settings;                     // of every role, serialised (config::write_settings)
  ClusterProcesses processes;
  ports::TransportKey transport_key;  // the processes of the cluster accept each other and the client only
};

/// Records the ends of node processes. Called by the launcher's thread.
class NodeExits {
public:
  using OnAllEnded = std::function<void(const std::string& text)>;
  /// `role`: name of the node processes in the text.
  explicit NodeExits(std::size_t nodes, std::string role = "NodeManager") : left_{nodes}, role_{std::move(role)} {}
  /// Calls `listener` once with a text when no NodeManager is left; at once if that is already the case.
  void on_all_ended(OnAllEnded listener);
  void add(const std::string& end);
  /// Ignores further ends, because the cluster stops its nodes.
  void ignore_exits();

private:
  [[nodiscard]] std::string text() const;

  std::mutex mutex_;
  std::size_t left_;
  std::string role_;
  std::vector<std::string> exits_;
  std::vector<OnAllEnded> listeners_;
  bool is_ignoring_ = false;
};

/// The end of a master that is not started again. Written by the launcher's thread, read by sessions.
class MasterExit {
public:
  /// Empty while the master runs. Example: `the ResourceManager was killed by signal 9 (log: FILE)`
  [[nodiscard]] std::string text() const;
  void set(std::string text);

private:
  mutable std::mutex mutex_;
  std::string text_;
};

class LocalCluster {
public:
  /// Starts all processes. Waits until the master has reported its address; Errc::cancelled if the user
  /// cancels.
  [[nodiscard]] static Result<std::unique_ptr<LocalCluster>> start(const LocalClusterOptions& options,
                                                                   const IsCancelled& is_cancelled = {});
  /// Kills all processes and waits for their end.
  ~LocalCluster();
  LocalCluster(const LocalCluster&) = delete;
  LocalCluster& operator=(const LocalCluster&) = delete;

  [[nodiscard]] const std::string& master_address() const { return address_; }
  [[nodiscard]] NodeExits& nodes() { return *nodes_; }
  [[nodiscard]] std::shared_ptr<const MasterExit> master_exit() const { return master_exit_; }

private:
  /// Called with the exit code or signal of a role, and its log.
  using OnRoleEnd = std::function<void(const std::string& end)>;

  explicit LocalCluster(const LocalClusterOptions& options);
  Result<PlannedLosses::ProcessNumber> start_role(const LocalClusterOptions& options, RoleLaunch role,
                                                  const std::string& host, const std::string& log_name,
                                                  OnRoleEnd on_end);

  /// From now on a lost master is started again at its address.
  void keep_master(const LocalClusterOptions& options);

  std::shared_ptr<NodeExits> nodes_;                                          // shared with the launcher's thread
  std::shared_ptr<MasterExit> master_exit_ = std::make_shared<MasterExit>();  // also read while the cluster ends
  MasterRestarts restarts_;                                                   // the launcher's thread calls it
  std::unique_ptr<work::ProcessLauncher> launcher_;
  PlannedLosses losses_;
  std::string address_;
};

}  // namespace heddle::apps

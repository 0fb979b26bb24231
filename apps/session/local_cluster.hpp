// Processes of a local cluster: one ResourceManager and its NodeManagers; they end with the client.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "apps/session/session.hpp"
#include "config/files/topology_file.hpp"
#include "model/launch_spec.hpp"
#include "model/resources.hpp"
#include "model/result.hpp"
#include "work/commands/process_launcher.hpp"

namespace heddle::apps {

struct LocalClusterOptions {
  std::string directory;      // working files; the caller creates and removes it
  std::string log_directory;  // logs of roles and containers
  std::int64_t cluster_start = 0;
  std::vector<config::TopologyHost> hosts;  // one NodeManager each
  std::string settings;                     // of every role, serialised (config::write_settings)
};

/// Records the ends of NodeManagers. Called by the launcher's thread.
class NodeExits {
public:
  using OnAllEnded = std::function<void(const std::string& text)>;
  explicit NodeExits(std::size_t nodes) : left_{nodes} {}
  /// Calls `listener` once with a text when no NodeManager is left; at once if that is already the case.
  void on_all_ended(OnAllEnded listener);
  void add(const std::string& end);
  /// Ignores further ends, because the cluster stops its nodes.
  void ignore_exits();

private:
  [[nodiscard]] std::string text() const;

  std::mutex mutex_;
  std::size_t left_;
  std::vector<std::string> exits_;
  std::vector<OnAllEnded> listeners_;
  bool is_ignoring_ = false;
};

class LocalCluster {
public:
  /// Starts all processes. Waits until the ResourceManager has reported its address; Errc::cancelled if the user
  /// cancels.
  [[nodiscard]] static Result<std::unique_ptr<LocalCluster>> start(const LocalClusterOptions& options,
                                                                   const IsCancelled& is_cancelled = {});
  /// Kills all processes and waits for their end.
  ~LocalCluster();
  LocalCluster(const LocalCluster&) = delete;
  LocalCluster& operator=(const LocalCluster&) = delete;

  [[nodiscard]] const std::string& resource_manager_address() const { return address_; }
  [[nodiscard]] NodeExits& nodes() { return *nodes_; }

private:
  /// Called with the exit code or signal of a role, and its log.
  using OnRoleEnd = std::function<void(const std::string& end)>;

  explicit LocalCluster(std::size_t nodes);
  Result<Done> start_role(const LocalClusterOptions& options, LaunchSpec spec, const std::string& log_name,
                          OnRoleEnd on_end);

  std::shared_ptr<NodeExits> nodes_;  // shared with the launcher's thread
  std::unique_ptr<work::ProcessLauncher> launcher_;
  std::string address_;
};

}  // namespace heddle::apps

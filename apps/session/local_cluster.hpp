// The processes of a cluster that lives as long as its client: one ResourceManager and its NodeManagers.
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
  std::string directory;      // working files; the caller's, removed by it
  std::string log_directory;  // logs of roles and containers
  std::int64_t cluster_start = 0;
  std::vector<config::TopologyHost> hosts;  // one NodeManager each
  std::string settings;                     // of every role, as one text
};

/// Which NodeManagers of a cluster have ended, and how. Told by the launcher's thread.
class NodeEnds {
public:
  using OnAllEnded = std::function<void(const std::string& text)>;
  explicit NodeEnds(std::size_t nodes) : left_{nodes} {}
  /// `tell` is called once with a sentence when no NodeManager is left: at once if that is so already.
  void on_all_ended(OnAllEnded tell);
  void add(const std::string& end);
  /// The cluster itself ends its nodes from here on.
  void forget();

private:
  [[nodiscard]] std::string text() const;

  std::mutex mutex_;
  std::size_t left_;
  std::vector<std::string> ends_;
  std::vector<OnAllEnded> told_;
  bool is_forgotten_ = false;
};

class LocalCluster {
public:
  /// Starts all processes. Blocks until the ResourceManager says where it listens; ends early, with Errc::cancelled,
  /// when the user cancels.
  [[nodiscard]] static Result<std::unique_ptr<LocalCluster>> start(const LocalClusterOptions& options,
                                                                   const IsCancelled& is_cancelled = {});
  /// Kills whatever is left; returns when it is gone.
  ~LocalCluster();
  LocalCluster(const LocalCluster&) = delete;
  LocalCluster& operator=(const LocalCluster&) = delete;

  [[nodiscard]] const std::string& resource_manager_address() const { return address_; }
  [[nodiscard]] NodeEnds& nodes() { return *nodes_; }

private:
  /// How a role ended: exit code or signal, and its log.
  using OnRoleEnd = std::function<void(const std::string& end)>;

  explicit LocalCluster(std::size_t nodes);
  Result<Done> start_role(const LocalClusterOptions& options, LaunchSpec spec, const std::string& log_name,
                          OnRoleEnd on_end);

  std::shared_ptr<NodeEnds> nodes_;  // the launcher's thread has it too
  std::unique_ptr<work::ProcessLauncher> launcher_;
  std::string address_;
};

}  // namespace heddle::apps

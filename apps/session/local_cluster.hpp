// The processes of a cluster that lives as long as its client: one ResourceManager and its NodeManagers.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/files/topology_file.hpp"
#include "model/resources.hpp"
#include "model/result.hpp"
#include "work/commands/process_launcher.hpp"

namespace heddle::apps {

struct LocalClusterOptions {
  std::string directory;      // working files; the caller's, removed by it
  std::string log_directory;  // logs of roles and containers
  std::int64_t cluster_start = 0;
  std::vector<config::TopologyHost> hosts;  // one NodeManager each
  std::vector<std::pair<std::string, std::string>> environment;
};

class LocalCluster {
public:
  /// Starts all processes and waits until the ResourceManager says where it listens.
  [[nodiscard]] static Result<std::unique_ptr<LocalCluster>> start(const LocalClusterOptions& options);
  /// Kills whatever is left; returns when it is gone.
  ~LocalCluster();
  LocalCluster(const LocalCluster&) = delete;
  LocalCluster& operator=(const LocalCluster&) = delete;

  [[nodiscard]] const std::string& resource_manager_address() const { return address_; }

private:
  LocalCluster();
  Result<Done> start_role(const LocalClusterOptions& options, const std::string& role, const std::string& log_name,
                          std::vector<std::pair<std::string, std::string>> environment);

  std::unique_ptr<work::ProcessLauncher> launcher_;
  std::string address_;
};

}  // namespace heddle::apps

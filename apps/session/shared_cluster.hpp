// Local cluster for several applications of one client: its processes, its folder, and the application numbers.
// Applications are submitted one at a time, so that each knows its id before the ResourceManager assigns it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "apps/roles/leftover_watch.hpp"
#include "apps/roles/session_files.hpp"
#include "apps/session/local_cluster.hpp"
#include "config/table/settings.hpp"
#include "model/ids.hpp"
#include "model/result.hpp"

namespace heddle::apps {

class SharedCluster {
public:
  /// Starts the processes of the framework with these settings; their logs go to a folder of the cluster.
  /// Errc::cancelled if the user cancels.
  [[nodiscard]] static Result<std::shared_ptr<SharedCluster>> start(const config::Settings& settings,
                                                                    const std::vector<config::TopologyHost>& hosts,
                                                                    config::Framework framework,
                                                                    const IsCancelled& is_cancelled);

  /// Address of the ResourceManager or JobTracker.
  [[nodiscard]] const std::string& master_address() const { return processes_->master_address(); }
  [[nodiscard]] const ports::TransportKey& transport_key() const { return transport_key_; }
  [[nodiscard]] const std::string& log_directory() const { return log_directory_; }
  [[nodiscard]] NodeExits& nodes() { return processes_->nodes(); }
  [[nodiscard]] std::shared_ptr<const MasterExit> master_exit() const { return processes_->master_exit(); }
  /// Lock that an application holds while it gets its id and submits.
  [[nodiscard]] std::unique_lock<std::mutex> submission_lock() { return std::unique_lock{mutex_}; }
  /// Returns the id of the next application. Precondition: the caller holds the lock.
  [[nodiscard]] ApplicationId next_id() { return {cluster_start_, ++last_number_}; }

private:
  std::unique_ptr<LeftoverWatch> watch_;
  std::unique_ptr<WorkingFolder> folder_;
  std::string log_directory_;
  ports::TransportKey transport_key_;
  std::unique_ptr<LocalCluster> processes_;
  std::int64_t cluster_start_ = 0;
  std::int64_t last_number_ = 0;
  std::mutex mutex_;
};

}  // namespace heddle::apps

// A local cluster for several applications of one client: its processes, its folder, and the numbers that applications
// get. Applications are submitted one after the other, so that each knows its id before the ResourceManager has given
// it.
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
  /// Starts the processes with these settings; logs of theirs go to a folder of the cluster's own.
  [[nodiscard]] static Result<std::shared_ptr<SharedCluster>> start(const config::Settings& settings,
                                                                    const std::vector<config::TopologyHost>& hosts);

  [[nodiscard]] const std::string& resource_manager_address() const { return processes_->resource_manager_address(); }
  [[nodiscard]] NodeEnds& nodes() { return processes_->nodes(); }
  /// Held while an application takes its number and submits.
  [[nodiscard]] std::unique_lock<std::mutex> turn() { return std::unique_lock{mutex_}; }
  /// The id of the next application that is submitted; only in one's turn.
  [[nodiscard]] ApplicationId take_id() { return {cluster_start_, ++last_number_}; }

private:
  std::unique_ptr<LeftoverWatch> watch_;
  std::unique_ptr<WorkingFolder> folder_;
  std::unique_ptr<LocalCluster> processes_;
  std::int64_t cluster_start_ = 0;
  std::int64_t last_number_ = 0;
  std::mutex mutex_;
};

}  // namespace heddle::apps

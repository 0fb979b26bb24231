// Sessions of --master yarn with --deploy-mode cluster: the jobs lie in a staging folder, and the master container runs
// them. Each run is an application of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/session/session.hpp"

namespace heddle::apps {

[[nodiscard]] Result<std::unique_ptr<Session>> open_yarn_cluster_mode(const SessionOptions& options,
                                                                      const IsCancelled& is_cancelled,
                                                                      const OnNotice& on_notice);

/// Submits the jobs as one application that goes on without this process, and returns its id when the ResourceManager
/// has accepted it. `options`: for --master yarn with cluster mode.
[[nodiscard]] Result<std::string> submit_to_yarn(const SessionOptions& options, const std::vector<JobGraph>& graphs,
                                                 const IsCancelled& is_cancelled, const OnNotice& on_notice);

/// Errc::usage for a job that needs its client while it runs.
[[nodiscard]] Result<Done> check_without_client(const JobGraph& graph);

}  // namespace heddle::apps

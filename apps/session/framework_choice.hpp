// Where the frameworks of MapReduce run, and which jobs they cannot run.
#pragma once

#include "apps/session/session.hpp"
#include "config/table/master.hpp"
#include "config/table/settings.hpp"
#include "model/job_graph.hpp"
#include "model/result.hpp"

namespace heddle::apps {

/// Master of a framework that needs a cluster, if the user names none: local-cluster[2,1,1024].
[[nodiscard]] config::MasterUrl default_cluster();

/// Refuses a master, a deploy mode or a queue that the framework of `options` does not have. Errc::usage; the text says
/// what to use.
[[nodiscard]] Result<Done> check_framework(const SessionOptions& options, const config::Settings& settings);

/// Refuses a job that a framework other than driver could never run: with more stages than map and reduce, without
/// slots, or with containers that are too large.
[[nodiscard]] Result<Done> check_job(const JobGraph& graph, const SessionOptions& options);

}  // namespace heddle::apps

// Sizes that no machine of a session has are refused before anything is started, with the arithmetic.
#pragma once

#include "apps/session/session.hpp"
#include "model/job_graph.hpp"
#include "model/result.hpp"

namespace heddle::apps {

/// An executor must fit on some node and in the largest container, and a task of the usual size in an executor.
[[nodiscard]] Result<Done> check_executor_size(const SessionOptions& options);

/// What the job's own tasks ask for must fit in an executor. Its memory (in local[N] the machine's) is its slots',
/// evenly: a task that asks for memory takes as many slots as hold it. Where executors come and go, stages may name the
/// size of theirs, and tasks of another size than the usual one have executors of their own: said by `executor_cores`
/// and `executor_memory_mib` of the stage that ends a chain.
[[nodiscard]] Result<Done> size_tasks(JobGraph& graph, const SessionOptions& options);

}  // namespace heddle::apps

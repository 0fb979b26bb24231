// Sizes that no machine of a session has are refused before anything is started, with the arithmetic.
#pragma once

#include <cstdint>

#include "apps/session/session.hpp"
#include "model/job_graph.hpp"
#include "model/result.hpp"
#include "policies/stages/resource_profiles.hpp"

namespace heddle::apps {

/// An executor must fit on some node and in the largest container, and a task of the usual size in an executor.
[[nodiscard]] Result<Done> check_executor_size(const SessionOptions& options);

/// What the settings of a session say about the sizes of tasks. Read once per session: it costs more than a small job.
struct TaskSizeRules {
  config::ApplicationSettings application;
  bool is_elastic = false;  // executors come and go
  bool merges_profiles = false;
  std::int32_t task_cores = 1;
  policies::ResourceNeeds standard;  // what an executor has unless a stage names its own
};
[[nodiscard]] TaskSizeRules task_size_rules(const SessionOptions& options);

/// What the job's own tasks ask for must fit in an executor. Its memory (in local[N] the machine's) is its slots',
/// evenly: a task that asks for memory takes as many slots as hold it. Where executors come and go, stages may name the
/// size of theirs, and tasks of another size than the usual one have executors of their own: said by `executor_cores`
/// and `executor_memory_mib` of the stage that ends a chain.
[[nodiscard]] Result<Done> size_tasks(JobGraph& graph, const SessionOptions& options, const TaskSizeRules& rules);

}  // namespace heddle::apps

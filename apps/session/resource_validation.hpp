// Refuses resource requests that no node of a session can satisfy, before anything is started. Errors contain the
// calculation.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/session/session.hpp"
#include "model/job_graph.hpp"
#include "model/result.hpp"
#include "policies/stages/resource_profiles.hpp"

namespace heddle::apps {

/// Checks that an executor fits on some node and in the largest container, and a task of default size in an executor.
[[nodiscard]] Result<Done> check_executor_size(const SessionOptions& options);

/// True if the ApplicationMaster on Hadoop's YARN is a process of the client's host.
[[nodiscard]] bool has_unmanaged_master(const SessionOptions& options);

/// Checks that the containers of the master and of an executor fit in the largest container of a cluster, and on one of
/// its nodes, if it has any.
[[nodiscard]] Result<Done> check_containers(const SessionOptions& options, const Resource& maximum,
                                            const std::vector<Resource>& nodes);

/// Checks that the containers of maps and reduces of framework yarn are allowed and fit on some node.
[[nodiscard]] Result<Done> check_task_containers(const JobGraph& graph, const SessionOptions& options);

/// Settings of a session that limit the sizes of tasks. Read once per session: it costs more than a small job.
struct TaskSizeRules {
  config::ApplicationSettings application;
  bool is_elastic = false;  // dynamic allocation
  config::StageSchedulerSettings stages;
  std::int32_t task_cores = 1;
  policies::ResourceNeeds standard;  // what an executor has unless a stage names its own
};
[[nodiscard]] TaskSizeRules task_size_rules(const SessionOptions& options);

/// Checks that the tasks of the job fit in an executor, and sets their task slots. The memory of an executor (in
/// local[N], of the machine) is divided equally between its task slots: a task with a memory request gets as many slots
/// as contain it. With dynamic allocation, stages can set the size of their executors (`executor_cores` and
/// `executor_memory_mib` of the last stage of a chain), and tasks of other sizes get executors of their own.
[[nodiscard]] Result<Done> size_tasks(JobGraph& graph, const SessionOptions& options, const TaskSizeRules& rules);

}  // namespace heddle::apps

#include "apps/session/size_check.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "apps/session/topology_hosts.hpp"

namespace heddle::apps {
namespace {

std::int64_t slots_of_executor(const SessionOptions& options) {
  return options.master.kind == config::MasterKind::local ? options.master.slots : options.settings.application().executor_cores;
}

std::int64_t memory_of_machine() {
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE)) >> 20;
}

std::string executor_in_words(const config::ApplicationSettings& application) {
  const auto memory = application.executor_memory_mib + application.executor_overhead_mib;
  if (application.executor_overhead_mib == 0)
    return fmt::format("an executor needs {} MiB and {} cores", memory, application.executor_cores);
  return fmt::format("an executor needs {} MiB + {} MiB overhead = {} MiB and {} cores", application.executor_memory_mib,
                     application.executor_overhead_mib, memory, application.executor_cores);
}

Result<Done> check_cluster(const SessionOptions& options) {
  const auto application = options.settings.application();
  const auto cluster = options.settings.resource_manager();
  const Resource executor{application.executor_memory_mib + application.executor_overhead_mib, application.executor_cores};
  const Resource most{cluster.allocation_max_mib, cluster.allocation_max_cores};
  if (!fits_in(executor, most))
    return Error{Errc::refused,
                 fmt::format("{}, but a container has at most {} MiB and {} cores (heddle.resource_manager.max_allocation_…)",
                             executor_in_words(application), most.memory_mib, most.cores)};
  Resource largest{0, 0};
  for (const auto& host : cluster_hosts(options)) {
    // What is reserved for a master container is not for executors.
    const Resource offered{host.resource.memory_mib - application.master_memory_mib, host.resource.cores};
    if (fits_in(executor, offered)) return Done{};
    largest = {std::max(largest.memory_mib, offered.memory_mib), std::max(largest.cores, offered.cores)};
  }
  return Error{Errc::refused, fmt::format("{}, but no node offers that: the largest have {} MiB and {} cores",
                                          executor_in_words(application), largest.memory_mib, largest.cores)};
}

}  // namespace

Result<Done> check_executor_size(const SessionOptions& options) {
  if (options.master.kind == config::MasterKind::local_cluster)
    if (auto fits = check_cluster(options); !fits) return fits;
  const auto task_cores = options.settings.task_scheduler().task_cores;
  if (task_cores <= slots_of_executor(options)) return Done{};
  return Error{Errc::refused,
               fmt::format("a task needs {} slots (heddle.task.cores), but an executor has {}", task_cores, slots_of_executor(options))};
}

Result<Done> size_tasks(JobGraph& graph, const SessionOptions& options) {
  const auto application = options.settings.application();
  const auto task_cores = options.settings.task_scheduler().task_cores;
  const auto slots = slots_of_executor(options);
  const auto memory = options.master.kind == config::MasterKind::local ? memory_of_machine() : application.executor_memory_mib;
  const bool is_elastic = options.master.kind != config::MasterKind::local && options.settings.dynamic_allocation().enabled;
  for (auto& stage : graph.stages) {
    if (stage.cores > slots)
      return Error{Errc::refused, fmt::format("stage '{}': a task needs {} cores, but an executor has {}", stage.name, stage.cores, slots)};
    if (is_elastic && stage.barrier)
      return Error{Errc::refused, fmt::format("stage '{}': barrier stages do not go together with executors that come and go "
                                              "(heddle.dynamic_allocation.enabled)",
                                              stage.name)};
    if (stage.memory_mib > memory)
      return Error{Errc::refused,
                   fmt::format("stage '{}': a task needs {} MiB, but an executor has {} MiB", stage.name, stage.memory_mib, memory)};
    if (stage.memory_mib > 0) {
      const auto holding = (stage.memory_mib * slots + memory - 1) / memory;
      stage.cores = static_cast<std::int32_t>(std::max({holding, std::int64_t{stage.cores}, task_cores}));
    }
    if (is_elastic && stage.cores > 0 && stage.cores != task_cores)
      return Error{Errc::refused,
                   fmt::format("stage '{}': a task needs {} slots; where executors come and go (heddle.dynamic_allocation.enabled) every "
                               "task takes heddle.task.cores ({})",
                               stage.name, stage.cores, task_cores)};
  }
  return Done{};
}

}  // namespace heddle::apps

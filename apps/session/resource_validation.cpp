#include "apps/session/resource_validation.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "apps/roles/map_reduce_settings.hpp"
#include "apps/roles/requested_containers.hpp"
#include "apps/roles/role_settings.hpp"
#include "apps/session/topology_hosts.hpp"
#include "policies/stages/resource_profiles.hpp"

namespace heddle::apps {
namespace {

std::int64_t slots_of_executor(const SessionOptions& options) {
  return options.master.kind == config::MasterKind::local ? options.master.slots
                                                          : options.settings.application().executor_cores;
}

std::int64_t memory_of_machine() {
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE)) >>
         20;
}

/// "2 cores", "2 cores, 1 of yarn.io/gpu". `named`: the other types to name, of which the resource may have none.
std::string cores_and(const Resource& resource, const ResourceAmounts& named) {
  std::string text = fmt::format("{} cores", resource.cores);
  for (const auto& [name, amount] : named) text += fmt::format(", {} of {}", resource.others.of(name), name);
  return text;
}

/// Returns "an executor needs …" with the calculation.
std::string executor_text(const config::ApplicationSettings& application, const Resource& container) {
  const auto rest = cores_and(container, container.others);
  if (container.memory_mib == application.executor_memory_mib)
    return fmt::format("an executor needs {} MiB and {}", container.memory_mib, rest);
  return fmt::format("an executor needs {} MiB + {} MiB overhead = {} MiB and {}", application.executor_memory_mib,
                     container.memory_mib - application.executor_memory_mib, container.memory_mib, rest);
}

/// Checks that a container fits on some node. `need`: text of the requirement.
Result<Done> check_nodes(const SessionOptions& options, const Resource& container, const std::string& need) {
  Resource largest;
  for (const auto& host : cluster_hosts(options)) {
    // Executors cannot use the resources reserved for a master container.
    Resource offered = host.resource;
    offered.memory_mib -= options.settings.application().master_memory_mib;
    if (fits_in(container, offered)) return Done{};
    largest = larger_of_each_type(largest, offered);
  }
  return Error{Errc::refused, fmt::format("{}, but no node is that large: the largest have {} MiB and {}", need,
                                          largest.memory_mib, cores_and(largest, container.others))};
}

/// Checks that a container is allowed and fits on some node. `need`: text of the requirement.
Result<Done> check_container(const SessionOptions& options, const Resource& container, const std::string& need) {
  const auto cluster = options.settings.resource_manager();
  if (container.memory_mib > cluster.allocation_max_mib || container.cores > cluster.allocation_max_cores)
    return Error{
        Errc::refused,
        fmt::format("{}, but a container has at most {} MiB and {} cores (heddle.resource_manager.max_allocation_…)",
                    need, cluster.allocation_max_mib, cluster.allocation_max_cores)};
  return check_nodes(options, container, need);
}

/// Checks that the container of an executor is allowed and fits on some node.
Result<Done> check_cluster(const SessionOptions& options, const config::ApplicationSettings& application,
                           ResourceAmounts others) {
  if (options.master.kind == config::MasterKind::yarn) return Done{};  // its ResourceManager knows the limits
  auto executor = executor_container(application);
  executor.others = std::move(others);
  return check_container(options, executor, executor_text(application, executor));
}

/// Checks the master container. Its memory always fits.
Result<Done> check_master(const SessionOptions& options) {
  const Resource container{0, options.settings.application().master_cores,
                           master_others(options.settings, options.is_cluster_deploy)};
  if (container.others.empty()) return Done{};
  return check_nodes(options, container,
                     fmt::format("the master container needs {}", cores_and(container, container.others)));
}

/// Checks one container against the limits of a cluster of Hadoop. `need`: text of the requirement.
Result<Done> check_limits(const Resource& container, const std::string& need, const Resource& maximum,
                          const std::vector<Resource>& nodes) {
  if (!fits_in(container, maximum))
    return Error{Errc::refused, fmt::format("{}, but the ResourceManager grants at most {} MiB and {} "
                                            "(yarn.scheduler.maximum-allocation-mb and -vcores)",
                                            need, maximum.memory_mib, cores_and(maximum, container.others))};
  if (nodes.empty()) return Done{};
  Resource largest;
  for (const auto& node : nodes) {
    if (fits_in(container, node)) return Done{};
    largest = larger_of_each_type(largest, node);
  }
  return Error{Errc::refused, fmt::format("{}, but no node is that large: the largest have {} MiB and {}", need,
                                          largest.memory_mib, cores_and(largest, container.others))};
}

/// Requests of a stage's tasks: the maximum over all stages whose records pass through them.
struct TaskRequest {
  std::int32_t cores = 0;
  std::int64_t memory_mib = 0;
  std::string cores_by;  // stage with that request
  std::string memory_by;
  std::vector<ProfileId> executors;  // executor sizes of stages
};

/// Computes the sizes of a job's tasks and executors, in local mode or on a cluster.
class TaskSizes {
public:
  TaskSizes(JobGraph& graph, const SessionOptions& options, const TaskSizeRules& rules)
      : graph_{graph}, options_{options}, rules_{rules}, sizes_{rules.standard} {}

  Result<Done> settle() {
    find_chain_ends();
    for (std::size_t index = 0; index < graph_.stages.size(); ++index) {
      if (auto request = request_of(graph_.stages[index]); !request) return request.error();
      else requests_.push_back(std::move(*request));
    }
    for (std::size_t index = 0; index < graph_.stages.size(); ++index)
      if (auto settled = settle(index); !settled) return settled.error();
    return Done{};
  }

private:
  static bool is_narrow(const StageDescription& stage) { return !stage.parents.empty() && !stage.shuffle; }

  Result<TaskRequest> request_of(const StageDescription& stage) {
    if (rules_.is_elastic && stage.barrier)
      return Error{Errc::refused, fmt::format("stage '{}': barrier stages cannot be used with dynamic allocation "
                                              "(heddle.dynamic_allocation.enabled)",
                                              stage.name)};
    const bool names_executors = stage.executor_cores > 0 || stage.executor_memory_mib > 0;
    if (names_executors && !rules_.is_elastic)
      return Error{
          Errc::refused,
          fmt::format(
              "stage '{}' asks for executors of its own (executor_cores, executor_memory): ResourceProfiles are only "
              "supported on YARN and Kubernetes and Standalone with dynamic allocation enabled. Here that is a "
              "cluster, "
              "and heddle.dynamic_allocation.enabled = true",
              stage.name)};
    TaskRequest request;
    if (is_narrow(stage)) request = requests_[static_cast<std::size_t>(stage.parents.front())];
    if (stage.cores > request.cores) {
      request.cores = stage.cores;
      request.cores_by = stage.name;
    }
    if (stage.memory_mib > request.memory_mib) {
      request.memory_mib = stage.memory_mib;
      request.memory_by = stage.name;
    }
    if (!names_executors) return request;
    auto needs = rules_.standard;
    if (stage.executor_cores > 0) needs.executor["cores"] = stage.executor_cores;
    if (stage.executor_memory_mib > 0) needs.executor["memory"] = stage.executor_memory_mib;
    if (const auto size = sizes_.intern(needs);
        std::find(request.executors.begin(), request.executors.end(), size) == request.executors.end())
      request.executors.push_back(size);
    return request;
  }

  /// Finds the last stage of each chain: earlier stages of a chain have no tasks of their own.
  void find_chain_ends() {
    std::vector<bool> is_piped(graph_.stages.size(), false);
    has_tasks_.assign(graph_.stages.size(), false);
    for (const auto& stage : graph_.stages)
      for (const auto parent : stage.parents) {
        const auto index = static_cast<std::size_t>(parent);
        if (stage.shuffle) has_tasks_[index] = true;
        else is_piped[index] = true;
      }
    for (std::size_t index = 0; index < graph_.stages.size(); ++index)
      if (!is_piped[index] || graph_.stages[index].output) has_tasks_[index] = true;
  }

  Result<Done> settle(std::size_t index) {
    auto& stage = graph_.stages[index];
    auto& request = requests_[index];
    stage.cores = 0;
    stage.executor_cores = 0;
    stage.executor_memory_mib = 0;
    if (!has_tasks_[index]) return Done{};
    const auto chosen = sizes_.choose(request.executors, rules_.stages.merge_profiles);
    if (!chosen) return Error{Errc::refused, fmt::format("stage '{}': {}", stage.name, chosen.error().text)};
    const auto& executor = sizes_.at(*chosen).executor;
    const auto slots = executor.at("cores");
    const auto memory = executor.at("memory");
    if (const auto needed = request.cores > 0 ? request.cores : rules_.task_cores; needed > slots)
      return Error{Errc::refused, fmt::format("stage '{}': a task needs {} cores, but an executor has {}",
                                              request.cores > 0 ? request.cores_by : stage.name, needed, slots)};
    if (request.memory_mib > memory)
      return Error{Errc::refused, fmt::format("stage '{}': a task needs {} MiB, but an executor has {} MiB",
                                              request.memory_by, request.memory_mib, memory)};
    stage.cores = request.cores;
    if (request.memory_mib > 0) {
      const auto holding = (request.memory_mib * slots + memory - 1) / memory;
      stage.cores =
          static_cast<std::int32_t>(std::max({holding, std::int64_t{stage.cores}, std::int64_t{rules_.task_cores}}));
    }
    if (!rules_.is_elastic ||
        (*chosen == policies::ResourceProfiles::standard && (stage.cores == 0 || stage.cores == rules_.task_cores)))
      return Done{};
    stage.executor_cores = static_cast<std::int32_t>(slots);
    stage.executor_memory_mib = memory;
    if (*chosen == policies::ResourceProfiles::standard) return Done{};
    auto sized = rules_.application;
    sized.executor_cores = slots;
    sized.executor_memory_mib = memory;
    if (auto fits = check_cluster(options_, sized, device_others(options_.settings)); !fits)
      return Error{Errc::refused, fmt::format("stage '{}': {}", stage.name, fits.error().text)};
    return Done{};
  }

  JobGraph& graph_;
  const SessionOptions& options_;
  const TaskSizeRules& rules_;
  policies::ResourceProfiles sizes_;
  std::vector<TaskRequest> requests_;
  std::vector<bool> has_tasks_;  // by stage
};

}  // namespace

Result<Done> check_executor_size(const SessionOptions& options) {
  if (options.master.kind == config::MasterKind::local_cluster) {
    if (auto fits = check_cluster(options, options.settings.application(), executor_others(options.settings)); !fits)
      return fits;
    if (auto fits = check_master(options); !fits) return fits;
  }
  const auto task_cores = options.settings.task_scheduler().task_cores;
  if (task_cores <= slots_of_executor(options)) return Done{};
  return Error{Errc::refused, fmt::format("a task needs {} task slots (heddle.task.cores), but an executor has {}",
                                          task_cores, slots_of_executor(options))};
}

bool has_unmanaged_master(const SessionOptions& options) {
  return options.settings.yarn().unmanaged_master && !options.is_cluster_deploy;
}

Result<Done> check_containers(const SessionOptions& options, const Resource& maximum,
                              const std::vector<Resource>& nodes) {
  const auto application = options.settings.application();
  const Resource master{application.master_memory_mib, application.master_cores,
                        master_others(options.settings, options.is_cluster_deploy)};
  const auto need =
      fmt::format("the master container needs {} MiB and {}", master.memory_mib, cores_and(master, master.others));
  if (!has_unmanaged_master(options))
    if (auto fits = check_limits(master, need, maximum, nodes); !fits) return fits;
  auto executor = executor_container(application);
  executor.others = executor_others(options.settings);
  return check_limits(executor, executor_text(application, executor), maximum, nodes);
}

Result<Done> check_task_containers(const JobGraph& graph, const SessionOptions& options) {
  const auto start = map_reduce_master_start(options.settings);
  for (const auto& stage : graph.stages) {
    auto container = stage.shuffle ? start.reduce : start.map;
    if (stage.memory_mib > 0) container.memory_mib = stage.memory_mib;
    const auto need = fmt::format("a {} needs a container of {} MiB and {}", stage.shuffle ? "reduce" : "map",
                                  container.memory_mib, cores_and(container, {}));
    if (auto fits = check_container(options, container, need); !fits) return fits;
  }
  return Done{};
}

TaskSizeRules task_size_rules(const SessionOptions& options) {
  const bool is_local = options.master.kind == config::MasterKind::local;
  TaskSizeRules rules;
  rules.application = options.settings.application();
  rules.is_elastic = !is_local && options.settings.dynamic_allocation().enabled;
  rules.stages = options.settings.stage_scheduler();
  rules.task_cores = static_cast<std::int32_t>(options.settings.task_scheduler().task_cores);
  rules.standard.executor = {{"cores", slots_of_executor(options)},
                             {"memory", is_local ? memory_of_machine() : rules.application.executor_memory_mib}};
  return rules;
}

Result<Done> size_tasks(JobGraph& graph, const SessionOptions& options, const TaskSizeRules& rules) {
  return TaskSizes{graph, options, rules}.settle();
}

}  // namespace heddle::apps

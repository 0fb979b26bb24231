// Executors of several sizes: which profile a stage's tasks have, what they need of an offer, and what the source of
// executors is told. A stage comes with its executors' size resolved (its chain's, where it names none the default's);
// equal ones share a profile.
#include <limits>

#include "actors/driver/driver.hpp"

namespace heddle::actors {

ProfileId Driver::profile_of(const JobPlan& plan, std::int32_t stage) {
  const auto& description = plan.stage(stage);
  if (description.executor_cores == 0) return policies::ResourceProfiles::standard;
  const auto own = plan.task_cores(stage);
  const auto known = profiles_.size();
  const auto profile =
      profiles_.intern({{{"cores", description.executor_cores}, {"memory", description.executor_memory_mib}},
                        {{"cpus", static_cast<double>(own > 0 ? own : settings_.task_scheduler.task_cores)}}});
  if (profiles_.size() == known) return profile;
  const auto tasks = tasks_per_executor(profile);
  allocation_.on_profile(profile, tasks);
  write_event("profile_added", ports::EventFields{}
                                   .add("profile", profile)
                                   .add("executor_cores", description.executor_cores)
                                   .add("executor_memory_mib", description.executor_memory_mib)
                                   .add("tasks_per_executor", tasks));
  return profile;
}

/// None: cores of an executor of the default profile.
std::optional<policies::TaskNeed> Driver::need_of(ProfileId profile) const {
  if (settings_.devices.empty() && profile == policies::ResourceProfiles::standard) return std::nullopt;
  policies::TaskNeed need;
  need.profile = profile;
  for (const auto& device : settings_.devices)
    need.resources.push_back({static_cast<std::int32_t>(need.resources.size()), device.amount});
  if (profile != policies::ResourceProfiles::standard)
    need.executor_cores = static_cast<std::int32_t>(profiles_.at(profile).executor.at("cores"));
  need.device_slots = tasks_of_executor(std::numeric_limits<std::int32_t>::max(), 1);
  return need;
}

std::int32_t Driver::tasks_per_executor(ProfileId profile) const {
  const auto& needs = profiles_.at(profile);
  const auto cores = static_cast<std::int32_t>(needs.executor.at("cores"));
  return std::max(tasks_of_executor(cores, static_cast<std::int32_t>(needs.task.at("cpus"))), 1);
}

/// Devices are those of the application: every executor holds as many, whatever its profile.
std::int32_t Driver::tasks_of_executor(std::int32_t cores, std::int32_t task_cores) const {
  policies::FreeShares devices;
  std::vector<policies::TaskResource> held;
  for (std::int32_t kind = 0; kind < std::ssize(settings_.devices); ++kind) {
    const auto& device = settings_.devices[static_cast<std::size_t>(kind)];
    held.push_back({kind, device.amount});
    for (std::int32_t address = 0; address < device.executor_amount; ++address)
      devices.push_back({kind, address, policies::whole_address});
  }
  return policies::slots_for(cores, devices, task_cores, held);
}

ExecutorsOfProfile Driver::wish_of(const policies::RequestExecutorTotals::OfProfile& total) const {
  ExecutorsOfProfile wish;
  wish.profile = total.profile;
  wish.target_total = total.total;
  wish.locality_tasks = total.locality_tasks;
  for (const auto& host : total.hosts)
    wish.hosts.emplace_back(host_names_[static_cast<std::size_t>(host.host.value)], host.tasks);
  if (total.profile == policies::ResourceProfiles::standard) return wish;
  const auto& size = profiles_.at(total.profile).executor;
  wish.cores = static_cast<std::int32_t>(size.at("cores"));
  wish.memory_mib = size.at("memory");
  wish.tasks_per_executor = tasks_per_executor(total.profile);
  return wish;
}

}  // namespace heddle::actors

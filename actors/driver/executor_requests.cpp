#include "actors/driver/executor_requests.hpp"

#include <algorithm>
#include <limits>

namespace heddle::actors {

ExecutorRequests::Registration ExecutorRequests::connect(std::int32_t attempt, std::int32_t own_attempt) {
  if (attempt < attempt_) return {true, false, false, false};
  if (attempt - std::max(attempt_, own_attempt) > missing_attempts_max + 1) return {false, true, false, false};
  const Registration registration{false, false, source_ != SourceState::none, attempt > attempt_ && attempt_ > 0};
  source_ = SourceState::connected;
  attempt_ = attempt;
  return registration;
}

// -- resource profiles ---------------------------------------------------------------------

std::pair<ProfileId, bool> ExecutorRequests::profile_of(std::int32_t cores, std::int64_t memory_mib,
                                                        std::int32_t task_cores) {
  const auto known = profiles_.size();
  const auto profile = profiles_.intern({{{"cores", cores}, {"memory", memory_mib}},
                                         {{"cpus", static_cast<double>(task_cores > 0 ? task_cores : task_cores_)}}});
  return {profile, profiles_.size() > known};
}

std::optional<policies::TaskNeed> ExecutorRequests::need_of(ProfileId profile) const {
  if (devices_.empty() && profile == policies::ResourceProfiles::standard) return std::nullopt;
  policies::TaskNeed need;
  need.profile = profile;
  for (const auto& device : devices_)
    need.resources.push_back({static_cast<std::int32_t>(need.resources.size()), device.amount});
  if (profile != policies::ResourceProfiles::standard)
    need.executor_cores = static_cast<std::int32_t>(profiles_.at(profile).executor.at("cores"));
  need.device_slots = tasks_of_executor(std::numeric_limits<std::int32_t>::max(), 1);
  return need;
}

std::int32_t ExecutorRequests::tasks_per_executor(ProfileId profile) const {
  const auto& needs = profiles_.at(profile);
  const auto cores = static_cast<std::int32_t>(needs.executor.at("cores"));
  return std::max(tasks_of_executor(cores, static_cast<std::int32_t>(needs.task.at("cpus"))), 1);
}

/// Number of tasks that an executor of `cores` cores runs at the same time. Executors of all profiles have the
/// application's devices.
std::int32_t ExecutorRequests::tasks_of_executor(std::int32_t cores, std::int32_t task_cores) const {
  policies::FreeShares devices;
  std::vector<policies::TaskResource> held;
  for (std::int32_t kind = 0; kind < std::ssize(devices_); ++kind) {
    const auto& device = devices_[static_cast<std::size_t>(kind)];
    held.push_back({kind, device.amount});
    for (std::int32_t address = 0; address < device.executor_amount; ++address)
      devices.push_back({kind, address, policies::whole_address});
  }
  return policies::slots_for(cores, devices, task_cores, held);
}

// -- the request ----------------------------------------------------------------------------

void ExecutorRequests::set_totals(const std::vector<policies::RequestExecutorTotals::OfProfile>& totals,
                                  const HostTable& hosts) {
  request_.profiles.clear();
  for (const auto& total : totals) {
    auto& requested = request_.profiles.emplace_back();
    requested.profile = total.profile;
    requested.target_total = total.total;
    requested.locality_tasks = total.locality_tasks;
    for (const auto& host : total.hosts) requested.hosts.emplace_back(hosts.name(host.host), host.tasks);
    if (total.profile == policies::ResourceProfiles::standard) continue;
    const auto& size = profiles_.at(total.profile).executor;
    requested.cores = static_cast<std::int32_t>(size.at("cores"));
    requested.memory_mib = size.at("memory");
    requested.tasks_per_executor = tasks_per_executor(total.profile);
  }
}

void ExecutorRequests::set_total(ProfileId profile, std::int32_t total) {
  for (auto& requested : request_.profiles)
    if (requested.profile == profile) requested.target_total = total;
}

bool ExecutorRequests::is_excluded(const std::string& host) const {
  return std::find(request_.excluded_hosts.begin(), request_.excluded_hosts.end(), host) !=
         request_.excluded_hosts.end();
}

}  // namespace heddle::actors

// A poll: find executors that are idle too long, compute each profile's target, request if a target changed, then
// remove idle executors.
//
//   poll --targets changed--> wait for RequestAnswered --+--> idle executors --> wait for KillAnswered --> done
//     |                                                  |
//     +-------------------targets unchanged--------------+--> no idle executors --> done
#include "policies/executors/executor_allocation.hpp"

#include <algorithm>
#include <cmath>

#include "model/assert.hpp"
#include "model/due_heap.hpp"
#include "model/java_number.hpp"

namespace heddle::policies {

namespace {

std::size_t index_of(ProfileId id) { return static_cast<std::size_t>(id.value); }

}  // namespace

Result<Done> validate(const ExecutorAllocationSettings& settings) {
  const auto refuse = [](std::string text) { return Error{Errc::usage, std::move(text)}; };
  if (!settings.dynamic) return Done{};
  if (settings.executors_min < 0 || settings.executors_max < 0)
    return refuse("the minimum and the maximum number of executors must not be negative");
  if (settings.executors_max == 0) return refuse("the maximum number of executors must not be 0");
  if (settings.executors_min > settings.executors_max) {
    return refuse("the minimum number of executors (" + std::to_string(settings.executors_min) +
                  ") is above the maximum (" + std::to_string(settings.executors_max) + ")");
  }
  if (settings.backlog_timeout <= Duration::zero()) return refuse("the backlog timeout must be above 0");
  if (settings.sustained_timeout <= Duration::zero()) return refuse("the sustained backlog timeout must be above 0");
  if (!(settings.ratio > 0.0 && settings.ratio <= 1.0))
    return refuse("the allocation ratio must be above 0 and at most 1");
  const bool keeps_outputs = settings.monitor.shuffle_service || settings.reliable_shuffle_storage ||
                             settings.monitor.shuffle_tracking ||
                             (settings.decommission && settings.decommission_moves_shuffles);
  if (!keeps_outputs) {
    return refuse(
        "dynamic allocation needs a shuffle service, reliable shuffle storage, shuffle tracking, or decommissioning "
        "that migrates shuffle blocks");
  }
  return Done{};
}

ExecutorAllocation::ExecutorAllocation(ExecutorAllocationSettings settings)
    : settings_{std::move(settings)}, monitor_{settings_.monitor} {
  Profile& first = profile(ProfileId{0});
  first.target = settings_.executors_initial;
  first.to_add = 1;
}

ExecutorAllocation::Profile& ExecutorAllocation::profile(ProfileId id) {
  HEDDLE_ASSERT(id.value >= 0, "profile id is negative");
  if (profiles_.size() <= index_of(id)) profiles_.resize(index_of(id) + 1);
  return profiles_[index_of(id)];
}

void ExecutorAllocation::apply(Instant now, const allocation_input::Started&, AllocationEffects& effects) {
  last_poll_ = now;
  has_started_ = true;
  effects.emplace_back(totals(false));
}

void ExecutorAllocation::apply(Instant now, const allocation_input::PollDue&, AllocationEffects& effects) {
  HEDDLE_ASSERT(!awaits_request_ && !awaits_kill_, "poll before the answer to the last request");
  if (!settings_.dynamic) return;
  last_poll_ = now;
  has_changed_ = false;
  const std::vector<ExecutorMonitor::TimedOut>& timed_out = monitor_.timed_out(now);
  if (!timed_out.empty()) is_initializing_ = false;
  update_targets(now, effects);
  if (awaits_request_) {
    to_remove_ = timed_out;
  } else {
    remove_timed_out(timed_out, effects);
  }
}

void ExecutorAllocation::update_targets(Instant now, AllocationEffects& effects) {
  if (is_initializing_) return;
  updates_.clear();
  for (std::size_t index = 0; index < profiles_.size(); ++index) {
    Profile& entry = profiles_[index];
    if (entry.target < 0) continue;
    const ProfileId id{static_cast<std::int32_t>(index)};
    const std::int32_t old_target = entry.target;
    const std::int32_t wanted = needed(id);
    std::int32_t delta = 0;
    if (wanted < old_target) {
      delta = entry.lower(wanted, settings_);
    } else if (add_time_ && now >= *add_time_) {
      delta = entry.raise(wanted, monitor_.executors(id), settings_);
    }
    if (delta != 0) updates_.push_back({static_cast<std::int32_t>(id.value), delta, old_target});
  }
  if (updates_.empty()) return;
  awaits_request_ = true;
  effects.emplace_back(totals(true));
}

/// Lowering the target kills nothing. Surplus executors are removed when they are idle.
std::int32_t ExecutorAllocation::Profile::lower(std::int32_t wanted, const ExecutorAllocationSettings& settings) {
  const std::int32_t old_target = target;
  target = std::max(wanted, settings.executors_min);
  to_add = 1;
  return target - old_target;
}

std::int32_t ExecutorAllocation::Profile::raise(std::int32_t wanted, std::int32_t executors,
                                                const ExecutorAllocationSettings& settings) {
  const std::int32_t old_target = target;
  if (old_target >= settings.executors_max) {
    to_add = 1;
    return 0;
  }
  target = std::max(old_target, executors);
  target = settings.jump_to_need ? wanted : std::min(java::wrap_add(target, to_add), wanted);
  target = std::max(std::min(target, settings.executors_max), settings.executors_min);
  const std::int32_t delta = target - old_target;
  if (delta == 0) to_add = 1;
  return delta;
}

void ExecutorAllocation::apply(Instant now, const allocation_input::RequestAnswered& input,
                               AllocationEffects& effects) {
  HEDDLE_ASSERT(awaits_request_, "RequestAnswered without a request");
  awaits_request_ = false;
  for (const Update& update : updates_) {
    Profile& entry = profiles_[static_cast<std::size_t>(update.profile)];
    if (!input.accepted) {
      entry.target = update.old_target;
    } else if (update.delta > 0) {
      entry.to_add = update.delta == entry.to_add ? java::wrap_mul(entry.to_add, 2) : 1;
      add_time_ = now + settings_.sustained_timeout;
    }
  }
  if (!input.accepted) has_changed_ = true;
  updates_.clear();
  remove_timed_out(to_remove_, effects);
  to_remove_.clear();
}

/// The number of removable executors is computed once per profile and poll.
void ExecutorAllocation::remove_timed_out(const std::vector<ExecutorMonitor::TimedOut>& timed_out,
                                          AllocationEffects& effects) {
  if (timed_out.empty()) return;
  std::map<ProfileId, std::int32_t> left;
  RemoveIdleExecutors removal;
  removal.executors.reserve(timed_out.size());
  removal.decommission = settings_.decommission;
  for (const ExecutorMonitor::TimedOut& candidate : timed_out) {
    if (!candidate.profile) continue;
    const ProfileId id = *candidate.profile;
    auto position = left.find(id);
    if (position == left.end()) {
      const std::int32_t staying = monitor_.executors(id) - monitor_.pending_removal(id) - monitor_.decommissioning(id);
      position = left.emplace(id, staying).first;
    }
    const std::int32_t after = position->second - 1;
    const std::int32_t wanted = index_of(id) < profiles_.size() ? std::max(profiles_[index_of(id)].target, 0) : 0;
    if (after < settings_.executors_min || after < wanted) continue;
    position->second = after;
    removal.executors.push_back(candidate.executor);
  }
  if (removal.executors.empty()) return;
  awaits_kill_ = true;
  effects.emplace_back(std::move(removal));
}

void ExecutorAllocation::apply(Instant, const allocation_input::KillAnswered& input, AllocationEffects& effects) {
  HEDDLE_ASSERT(awaits_kill_, "KillAnswered without a removal");
  awaits_kill_ = false;
  has_changed_ = true;
  effects.emplace_back(totals(false));  // send the totals again: the kill may have lowered the target at the other side
  if (input.acknowledged.empty()) return;
  if (settings_.decommission) {
    monitor_.on_decommissioned(input.acknowledged);
  } else {
    monitor_.on_killed(input.acknowledged);
  }
}

void ExecutorAllocation::apply(Instant, const allocation_input::ProfileDescribed& input) {
  HEDDLE_ASSERT(input.profile.value >= 0 && input.tasks_per_executor > 0,
                "profile " + to_string(input.profile) + " has no task slot");
  if (settings_.tasks_per_executor.size() <= index_of(input.profile))
    settings_.tasks_per_executor.resize(index_of(input.profile) + 1, 1);
  settings_.tasks_per_executor[index_of(input.profile)] = input.tasks_per_executor;
}

void ExecutorAllocation::apply(Instant, const allocation_input::Reset&) {
  if (!settings_.dynamic) return;
  add_time_ = Instant{};
  for (Profile& entry : profiles_) {
    if (entry.target >= 0) entry.target = settings_.executors_initial;
    if (entry.to_add >= 0) entry.to_add = 1;
  }
  monitor_.on_reset();
  has_changed_ = true;
}

RequestExecutorTotals ExecutorAllocation::totals(bool needs_answer) const {
  RequestExecutorTotals request;
  request.needs_answer = needs_answer;
  for (std::size_t index = 0; index < profiles_.size(); ++index) {
    const Profile& entry = profiles_[index];
    if (entry.target < 0) continue;
    RequestExecutorTotals::OfProfile of_profile;
    of_profile.profile = ProfileId{static_cast<std::int32_t>(index)};
    of_profile.total = entry.target;
    of_profile.locality_tasks = entry.locality_tasks;
    for (const auto& [host, tasks] : entry.hosts) of_profile.hosts.push_back({host, tasks});
    request.profiles.push_back(std::move(of_profile));
  }
  return request;
}

// -- time --------------------------------------------------------------------------

/// A multiple of the poll interval, since a change is read by the poll after it.
std::optional<Instant> ExecutorAllocation::next_due() const {
  if (!settings_.dynamic || !has_started_) return std::nullopt;
  std::optional<Instant> due;
  const auto consider = [this, &due](std::optional<Instant> when) {
    if (when && *when > last_poll_) due = earlier(due, when);
  };
  if (has_changed_) consider(last_poll_ + settings_.poll_interval);
  if (!is_initializing_) consider(add_time_);
  consider(monitor_.next_due());
  if (!due) return std::nullopt;
  const std::int64_t interval = std::max<std::int64_t>(settings_.poll_interval.count(), 1);
  const std::int64_t polls = ((*due - last_poll_).count() + interval - 1) / interval;
  return last_poll_ + Duration{polls * interval};
}

// -- questions -----------------------------------------------------------------------

std::optional<std::int32_t> ExecutorAllocation::target(ProfileId id) const {
  if (index_of(id) >= profiles_.size() || profiles_[index_of(id)].target < 0) return std::nullopt;
  return profiles_[index_of(id)].target;
}

std::optional<std::int32_t> ExecutorAllocation::to_add(ProfileId id) const {
  if (index_of(id) >= profiles_.size() || profiles_[index_of(id)].to_add < 0) return std::nullopt;
  return profiles_[index_of(id)].to_add;
}

/// Same operations in the same order as in Spark, in double.
std::int32_t ExecutorAllocation::needed(ProfileId id) const {
  if (!settings_.dynamic) return settings_.executors_initial;
  if (index_of(id) >= profiles_.size()) return 0;
  const Profile& entry = profiles_[index_of(id)];
  const std::int32_t per_executor =
      index_of(id) < settings_.tasks_per_executor.size() ? settings_.tasks_per_executor[index_of(id)] : 1;
  const auto executors_for = [this, per_executor](std::int32_t tasks) {
    return java::to_int(std::ceil(static_cast<double>(tasks) * settings_.ratio / static_cast<double>(per_executor)));
  };
  std::int32_t result = executors_for(java::wrap_int(entry.pending + entry.speculative + entry.running));
  if (per_executor > 1 && result == 1 && entry.speculative > 0) result += 1;  // the copy must run on another host
  if (entry.unschedulable > 0) result = std::max(result, monitor_.executors(id) + executors_for(entry.unschedulable));
  return result;
}

AllocationExplanation ExecutorAllocation::explain(ProfileId id) const {
  AllocationExplanation answer;
  answer.target = target(id).value_or(0);
  answer.needed = needed(id);
  answer.to_add = to_add(id).value_or(0);
  if (!settings_.dynamic) {
    answer.refusal = AllocationRefusal::fixed_number;
    answer.text = "the number of executors is fixed at " + std::to_string(settings_.executors_initial);
  } else if (is_initializing_) {
    answer.refusal = AllocationRefusal::initial_number;
    answer.text = "the initial number of executors is kept until the first stage is submitted or an executor times out";
  } else if (answer.target >= settings_.executors_max) {
    answer.refusal = AllocationRefusal::at_maximum;
    answer.text = "the maximum number of executors is reached: " + std::to_string(settings_.executors_max);
  } else if (answer.needed <= answer.target) {
    answer.refusal = AllocationRefusal::enough;
    answer.text = "needed executors: " + std::to_string(answer.needed) + "; the others are removed when they time out";
  } else if (!add_time_) {
    answer.refusal = AllocationRefusal::no_backlog;
    answer.text = "no task is waiting";
  } else {
    answer.refusal = AllocationRefusal::backlog_must_last;
    answer.next_add = add_time_;
    answer.text = "executors to request if the backlog lasts: " + std::to_string(answer.to_add);
  }
  return answer;
}

}  // namespace heddle::policies

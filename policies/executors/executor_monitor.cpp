#include "policies/executors/executor_monitor.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "model/assert.hpp"
#include "policies/executors/decimal_digits.hpp"

namespace heddle::policies {

namespace {

std::size_t index_of(ExecutorId id) { return static_cast<std::size_t>(id.value); }

}  // namespace

ExecutorMonitor::ExecutorMonitor(ExecutorMonitorSettings settings)
    : settings_{settings}, tracks_shuffles_{settings.shuffle_tracking && !settings.shuffle_service} {}

const ExecutorMonitor::Tracker* ExecutorMonitor::find(ExecutorId executor) const {
  if (executor.is_none() || index_of(executor) >= slot_of_.size()) return nullptr;
  const std::int32_t slot = slot_of_[index_of(executor)];
  return slot == no_slot ? nullptr : &trackers_[static_cast<std::size_t>(slot)];
}

ExecutorMonitor::Tracker* ExecutorMonitor::find(ExecutorId executor) {
  return const_cast<Tracker*>(std::as_const(*this).find(executor));
}

ExecutorMonitor::ProfileCounts& ExecutorMonitor::counts(std::int32_t profile) { return counts_[profile]; }

ExecutorMonitor::Tracker& ExecutorMonitor::ensure(ExecutorId executor, std::int32_t profile) {
  Tracker* known = find(executor);
  if (known == nullptr) {
    if (free_slots_.empty()) {
      free_slots_.push_back(static_cast<std::int32_t>(trackers_.size()));
      trackers_.emplace_back();
      kept_.emplace_back();
    }
    const std::int32_t slot = free_slots_.back();
    free_slots_.pop_back();
    if (slot_of_.size() <= index_of(executor))
      slot_of_.resize(std::max(index_of(executor) + 1, slot_of_.size() * 2), no_slot);
    slot_of_[index_of(executor)] = slot;
    Tracker& tracker = trackers_[static_cast<std::size_t>(slot)];
    tracker.id = executor;
    tracker.digits = digits_of(executor.value);
    tracker.profile = profile;
    counts(profile).executors += 1;
    tracked_ += 1;
    return tracker;
  }
  if (known->profile < 0 && profile >= 0) {
    ProfileCounts& before = counts(-1);
    ProfileCounts& after = counts(profile);
    before.executors -= 1;
    after.executors += 1;
    before.pending_removal -= known->is_pending_removal ? 1 : 0;
    after.pending_removal += known->is_pending_removal ? 1 : 0;
    before.decommissioning -= known->is_decommissioning ? 1 : 0;
    after.decommissioning += known->is_decommissioning ? 1 : 0;
    known->profile = profile;
  }
  return *known;
}

void ExecutorMonitor::on_active(ExecutorId executor) {
  HEDDLE_ASSERT(!executor.is_none(), "executor without an id");
  if (is_active_.size() <= index_of(executor))
    is_active_.resize(std::max(index_of(executor) + 1, is_active_.size() * 2), 0);
  is_active_[index_of(executor)] = 1;
}

bool ExecutorMonitor::is_active(ExecutorId executor) const {
  return !executor.is_none() && index_of(executor) < is_active_.size() && is_active_[index_of(executor)] != 0;
}

void ExecutorMonitor::on_executor_added(Instant now, ExecutorId executor, ProfileId profile) {
  on_active(executor);
  change_running(now, ensure(executor, static_cast<std::int32_t>(profile.value)), 0);
}

std::optional<RemovalKind> ExecutorMonitor::on_executor_removed(ExecutorId executor, ExecutorEnd reason) {
  if (is_active(executor)) is_active_[index_of(executor)] = 0;
  Tracker* tracker = find(executor);
  if (tracker == nullptr) return std::nullopt;
  RemovalKind kind = RemovalKind::unexpected;
  if (reason == ExecutorEnd::decommission_finished) {
    kind = RemovalKind::graceful;
  } else if (tracker->is_decommissioning) {
    kind = RemovalKind::unfinished;
  } else if (tracker->is_pending_removal) {
    kind = RemovalKind::driver_killed;
  }
  ProfileCounts& count = counts(tracker->profile);
  count.executors -= 1;
  count.pending_removal -= tracker->is_pending_removal ? 1 : 0;
  count.decommissioning -= tracker->is_decommissioning ? 1 : 0;
  tracked_ -= 1;
  const std::int32_t slot = slot_of_[index_of(executor)];
  slot_of_[index_of(executor)] = no_slot;
  const bool was_parked = tracker->is_parked;
  *tracker = Tracker{};
  kept(*tracker) = Kept{};
  tracker->is_parked = was_parked;
  free_slots_.push_back(slot);
  next_timeout_ = at_once;
  return kind;
}

void ExecutorMonitor::on_task_started(Instant now, ExecutorId executor) {
  if (is_active(executor)) change_running(now, ensure(executor, -1), 1);
}

void ExecutorMonitor::on_task_ended(Instant now, StageId stage, ExecutorId executor, TaskEndReason reason) {
  Tracker* tracker = find(executor);
  if (tracker == nullptr) return;
  if (tracks_shuffles_ && reason == TaskEndReason::success) {
    const auto found = shuffle_of_stage_.find(stage);
    if (found != shuffle_of_stage_.end() && kept(*tracker).shuffles.insert(found->second).second)
      tracker->has_active_shuffle = tracker->has_shuffles = true;
  }
  change_running(now, *tracker, -1);
}

void ExecutorMonitor::on_block_updated(Instant, ExecutorId executor, std::int64_t dataset, std::int32_t partition,
                                       BlockLevel level) {
  if (!is_active(executor)) return;
  Tracker& tracker = ensure(executor, -1);
  const bool is_on_disk = level == BlockLevel::disk || level == BlockLevel::memory_and_disk;
  const bool is_served = settings_.shuffle_service && settings_.service_serves_blocks && is_on_disk;
  std::map<std::int64_t, IndexBits>& cached = kept(tracker).cached;
  if (level != BlockLevel::none && !is_served) {
    cached[dataset].insert(partition);
    if (!std::exchange(tracker.has_cached, true)) update_deadline(tracker);
    return;
  }
  const auto blocks = cached.find(dataset);
  if (blocks == cached.end()) return;
  blocks->second.erase(partition);
  if (!blocks->second.empty()) return;
  cached.erase(blocks);
  tracker.has_cached = !cached.empty();
  if (!tracker.has_cached) update_deadline(tracker);
}

void ExecutorMonitor::on_unpersisted(std::int64_t dataset) {
  for (Tracker& tracker : trackers_) {
    if (tracker.id.is_none()) continue;
    kept(tracker).cached.erase(dataset);
    tracker.has_cached = !kept(tracker).cached.empty();
    if (!tracker.has_cached) update_deadline(tracker);
  }
}

void ExecutorMonitor::on_shuffle_cleaned(ShuffleId shuffle) {
  if (!tracks_shuffles_) return;
  jobs_of_shuffle_.erase(shuffle);
  for (Tracker& tracker : trackers_) {
    if (tracker.id.is_none() || kept(tracker).shuffles.erase(shuffle) == 0 || !kept(tracker).shuffles.empty()) continue;
    tracker.has_active_shuffle = tracker.has_shuffles = false;
    update_deadline(tracker);
  }
}

void ExecutorMonitor::on_job_started(JobId job, const std::vector<JobStage>& stages) {
  if (!tracks_shuffles_) return;
  std::vector<ShuffleId> shuffles;
  std::vector<StageId>& own_stages = stages_of_job_[job];
  own_stages.clear();
  bool has_reused = false;
  for (const JobStage& stage : stages) {
    if (stage.shuffle.is_none()) continue;
    const auto [jobs, is_new] = jobs_of_shuffle_.try_emplace(stage.shuffle);
    has_reused = has_reused || !is_new;
    jobs->second.push_back(job);
    shuffles.push_back(stage.shuffle);
    shuffle_of_stage_[stage.stage] = stage.shuffle;
    own_stages.push_back(stage.stage);
  }
  if (!has_reused) return;
  bool has_activated = false;
  for (Tracker& tracker : trackers_) {
    if (tracker.id.is_none() || tracker.has_active_shuffle) continue;
    update_active_shuffles(tracker, shuffles);
    has_activated = has_activated || tracker.has_active_shuffle;
  }
  if (has_activated) next_timeout_ = at_once;
}

void ExecutorMonitor::on_job_ended(JobId job) {
  if (!tracks_shuffles_) return;
  std::vector<ShuffleId> active;
  bool has_idle = false;
  for (auto& [shuffle, jobs] : jobs_of_shuffle_) {
    const auto position = std::find(jobs.begin(), jobs.end(), job);
    if (position != jobs.end()) jobs.erase(position);
    if (jobs.empty()) {
      has_idle = true;
    } else {
      active.push_back(shuffle);
    }
  }
  if (has_idle) {
    for (Tracker& tracker : trackers_) {
      if (!tracker.id.is_none() && tracker.has_active_shuffle) update_active_shuffles(tracker, active);
    }
  }
  const auto stages = stages_of_job_.find(job);
  if (stages == stages_of_job_.end()) return;
  for (const StageId stage : stages->second) shuffle_of_stage_.erase(stage);
  stages_of_job_.erase(stages);
}

void ExecutorMonitor::on_killed(const std::vector<ExecutorId>& executors) {
  for (const ExecutorId executor : executors) {
    Tracker* tracker = find(executor);
    if (tracker == nullptr || tracker->is_pending_removal) continue;
    tracker->is_pending_removal = true;
    counts(tracker->profile).pending_removal += 1;
  }
  next_timeout_ = at_once;
}

void ExecutorMonitor::on_decommissioned(const std::vector<ExecutorId>& executors) {
  for (const ExecutorId executor : executors) {
    Tracker* tracker = find(executor);
    if (tracker == nullptr || tracker->is_decommissioning) continue;
    tracker->is_decommissioning = true;
    counts(tracker->profile).decommissioning += 1;
  }
  next_timeout_ = at_once;
}

void ExecutorMonitor::on_reset() {
  trackers_.clear();
  kept_.clear();
  free_slots_.clear();
  slot_of_.clear();
  tracked_ = 0;
  counts_.clear();
  queue_.clear();
  parked_.clear();
  timed_out_.clear();
  next_timeout_ = never;
}

// -- deadlines ---------------------------------------------------------------------

void ExecutorMonitor::change_running(Instant now, Tracker& tracker, std::int32_t change) {
  tracker.running = std::max(0, tracker.running + change);
  tracker.idle_start = tracker.running == 0 ? now.time_since_epoch().count() : -1;
  update_deadline(tracker);
}

void ExecutorMonitor::update_deadline(Tracker& tracker) {
  const Micros before = tracker.deadline;
  tracker.deadline = never;
  if (tracker.idle_start >= 0) {
    const auto micros = [](const std::optional<Duration>& timeout) { return timeout ? timeout->count() : never; };
    Micros timeout = settings_.idle_timeout.count();
    if (tracker.has_cached) timeout = std::max(timeout, micros(settings_.cached_timeout));
    if (tracker.has_shuffles) timeout = std::max(timeout, micros(settings_.shuffle_timeout));
    if (timeout <= never - tracker.idle_start) tracker.deadline = tracker.idle_start + timeout;
  }
  if (tracker.deadline > before && tracker.is_timed_out) {
    next_timeout_ = at_once;
  } else {
    next_timeout_ = std::min(next_timeout_, tracker.deadline);
  }
  if (tracker.deadline < tracker.queued_at) enqueue(tracker);
}

void ExecutorMonitor::update_active_shuffles(Tracker& tracker, const std::vector<ShuffleId>& active) {
  const bool was_active = tracker.has_active_shuffle;
  const auto holds = [&held = kept(tracker).shuffles](ShuffleId shuffle) { return held.contains(shuffle); };
  tracker.has_active_shuffle = std::any_of(active.begin(), active.end(), holds);
  if (was_active && !tracker.has_active_shuffle && tracker.idle_start >= 0) update_deadline(tracker);
}

void ExecutorMonitor::enqueue(Tracker& tracker) {
  tracker.queued_at = tracker.deadline;
  queue_.push_back({tracker.deadline, slot_of_[index_of(tracker.id)]});
  std::push_heap(queue_.begin(), queue_.end(), [](const Due& left, const Due& right) { return left.at > right.at; });
}

// -- questions -----------------------------------------------------------------------

std::optional<Instant> ExecutorMonitor::next_due() const {
  if (next_timeout_ == never) return std::nullopt;
  return Instant{Duration{std::max<Micros>(next_timeout_, 0)}};
}

std::int32_t ExecutorMonitor::executors(ProfileId profile) const {
  const auto found = counts_.find(static_cast<std::int32_t>(profile.value));
  return found == counts_.end() ? 0 : found->second.executors;
}

std::int32_t ExecutorMonitor::pending_removal(ProfileId profile) const {
  const auto found = counts_.find(static_cast<std::int32_t>(profile.value));
  return found == counts_.end() ? 0 : found->second.pending_removal;
}

std::int32_t ExecutorMonitor::decommissioning(ProfileId profile) const {
  const auto found = counts_.find(static_cast<std::int32_t>(profile.value));
  return found == counts_.end() ? 0 : found->second.decommissioning;
}

std::vector<ExecutorId> ExecutorMonitor::pending_removal() const {
  std::vector<ExecutorId> ids;
  for (const Tracker& tracker : trackers_) {
    if (!tracker.id.is_none() && tracker.is_pending_removal) ids.push_back(tracker.id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<ExecutorId> ExecutorMonitor::decommissioning() const {
  std::vector<ExecutorId> ids;
  for (const Tracker& tracker : trackers_) {
    if (!tracker.id.is_none() && tracker.is_decommissioning) ids.push_back(tracker.id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

bool ExecutorMonitor::is_idle(ExecutorId executor) const {
  const Tracker* tracker = find(executor);
  return tracker != nullptr && tracker->idle_start >= 0 && !tracker->has_active_shuffle;
}

std::optional<Instant> ExecutorMonitor::deadline(ExecutorId executor) const {
  const Tracker* tracker = find(executor);
  if (tracker == nullptr || tracker->deadline == never || tracker->has_active_shuffle) return std::nullopt;
  return Instant{Duration{tracker->deadline}};
}

void ExecutorMonitor::check_invariants() const {
  std::int32_t alive = 0;
  std::map<std::int32_t, ProfileCounts> counted;
  for (std::size_t slot = 0; slot < trackers_.size(); ++slot) {
    const Tracker& tracker = trackers_[slot];
    if (tracker.id.is_none()) continue;
    const std::string name = "executor " + to_string(tracker.id);
    alive += 1;
    counted[tracker.profile].executors += 1;
    counted[tracker.profile].pending_removal += tracker.is_pending_removal ? 1 : 0;
    counted[tracker.profile].decommissioning += tracker.is_decommissioning ? 1 : 0;
    HEDDLE_ASSERT(slot_of_[index_of(tracker.id)] == static_cast<std::int32_t>(slot),
                  name + " is not in the slot of its id");
    HEDDLE_ASSERT((tracker.running == 0) || tracker.idle_start < 0, name + " is idle but runs tasks");
    const bool is_found = tracker.is_parked || tracker.queued_at <= tracker.deadline;
    HEDDLE_ASSERT(is_found, name + " has a deadline without a queue entry");
  }
  HEDDLE_ASSERT(alive == tracked_, "number of executors");
  for (const auto& [profile, count] : counts_) {
    const ProfileCounts& right = counted[profile];
    const bool is_right = count.executors == right.executors && count.pending_removal == right.pending_removal &&
                          count.decommissioning == right.decommissioning;
    HEDDLE_ASSERT(is_right, "counts of profile " + std::to_string(profile));
  }
  HEDDLE_ASSERT(
      std::is_heap(queue_.begin(), queue_.end(), [](const Due& left, const Due& right) { return left.at > right.at; }),
      "the queue is no heap");
}

}  // namespace heddle::policies

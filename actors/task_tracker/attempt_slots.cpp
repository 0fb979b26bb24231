#include "actors/task_tracker/attempt_slots.hpp"

#include <algorithm>
#include <utility>

#include "model/assert.hpp"

namespace heddle::actors {

// -- attempts ------------------------------------------------------------------------------------------

SlotAttempt& AttemptSlots::add(const AttemptLaunch& launch) {
  SlotAttempt attempt;
  attempt.launch = launch;
  attempt.status.attempt = launch.attempt;
  attempt.status.state = launch.state;
  attempt.status.is_cleanup = launch.type == AttemptType::task_cleanup;
  waiting_.push_back(launch.attempt);
  return attempts_.insert_or_assign(launch.attempt, std::move(attempt)).first->second;
}

SlotAttempt* AttemptSlots::next_waiting(std::int32_t map_slots, std::int32_t reduce_slots) {
  std::erase_if(waiting_, [this](const TaskAttemptId& id) {
    const auto* attempt = find(id);
    return attempt == nullptr || !attempt->is_waiting();
  });
  if (waiting_.empty()) return nullptr;
  std::int32_t free[2] = {map_slots, reduce_slots};
  for (const auto& [id, attempt] : attempts_)
    if (!attempt.has_ended && !attempt.is_waiting()) --free[attempt.launch.uses_reduce_slot ? 1 : 0];
  for (const auto& id : waiting_)
    if (auto* attempt = find(id); free[attempt->launch.uses_reduce_slot ? 1 : 0] > 0) return attempt;
  return nullptr;
}

void AttemptSlots::give_child(SlotAttempt& attempt, const TrackerJob& job) {
  const auto& id = attempt.launch.attempt;
  auto* idle = find_idle(id.job, id.is_reduce, true);
  attempt.child = idle != nullptr ? idle->number : ++last_child_;
  auto& child = children_[attempt.child];
  child.number = attempt.child;
  child.attempt = id;
  child.application = job.application;
  child.token = job.token;
}

SlotAttempt* AttemptSlots::find(const TaskAttemptId& attempt) {
  const auto row = attempts_.find(attempt);
  return row == attempts_.end() ? nullptr : &row->second;
}

SlotAttempt* AttemptSlots::attempt_of(const HostedChild& child) {
  auto* attempt = find(child.attempt);
  return attempt == nullptr || attempt->child != child.number || attempt->has_ended ? nullptr : attempt;
}

void AttemptSlots::end(SlotAttempt& attempt, TaskAttemptState state, TaskOutcome outcome) {
  attempt.has_ended = true;
  attempt.reported = {};
  attempt.status.state = state;
  if (state == TaskAttemptState::succeeded) attempt.status.progress = 1;
  attempt.status.outcome = std::move(outcome);
}

std::vector<TaskAttemptId> AttemptSlots::attempts_of(JobId job) const {
  std::vector<TaskAttemptId> found;
  for (auto row = attempts_.lower_bound(TaskAttemptId{job, false, 0, 0}); row != attempts_.end(); ++row) {
    if (row->first.job != job) break;
    found.push_back(row->first);
  }
  return found;
}

std::vector<TaskAttemptStatus> AttemptSlots::statuses() const {
  std::vector<TaskAttemptStatus> statuses;
  for (const auto& [id, attempt] : attempts_) statuses.push_back(attempt.status);
  return statuses;
}

std::optional<TaskAttemptId> AttemptSlots::least_advanced() const {
  const auto rank = [](const SlotAttempt& attempt) {
    return std::pair{!attempt.launch.attempt.is_reduce, attempt.status.progress};
  };
  const SlotAttempt* found = nullptr;
  for (const auto& [id, attempt] : attempts_) {
    if (attempt.has_ended || attempt.is_waiting() || !attempt.is_work() || !attempt.kill_reason.empty()) continue;
    if (found == nullptr || rank(attempt) < rank(*found)) found = &attempt;
  }
  return found == nullptr ? std::nullopt : std::optional{found->launch.attempt};
}

std::vector<CompletionsWanted> AttemptSlots::completions_wanted() const {
  std::vector<CompletionsWanted> wanted;
  for (const auto& [id, attempt] : attempts_) {
    if (attempt.launch.type != AttemptType::reduce || attempt.has_ended) continue;
    if (!wanted.empty() && wanted.back().job == id.job) continue;
    if (const auto job = jobs_.find(id.job); job != jobs_.end())
      wanted.push_back({id.job, static_cast<std::int32_t>(job->second.completions.size())});
  }
  return wanted;
}

bool AttemptSlots::has_free_slot(std::int32_t map_slots, std::int32_t reduce_slots) const {
  std::int32_t maps = 0;
  std::int32_t reduces = 0;
  for (const auto& [id, attempt] : attempts_)
    if (!attempt.has_ended) ++(attempt.launch.uses_reduce_slot ? reduces : maps);
  return maps < map_slots || reduces < reduce_slots;
}

// -- children ------------------------------------------------------------------------------------------

HostedChild* AttemptSlots::find_child(std::int64_t number) {
  const auto row = children_.find(number);
  return row == children_.end() ? nullptr : &row->second;
}

HostedChild* AttemptSlots::find_idle(JobId job, bool is_reduce, bool is_of_job) {
  for (auto& [number, child] : children_)
    if (child.phase == HostedPhase::idle && child.attempt.is_reduce == is_reduce &&
        (child.attempt.job == job) == is_of_job)
      return &child;
  return nullptr;
}

HostedChild* AttemptSlots::find_process(std::int64_t process) {
  const auto row = child_of_process_.find(process);
  return row == child_of_process_.end() ? nullptr : find_child(row->second);
}

void AttemptSlots::set_process(HostedChild& child, std::int64_t process) {
  child.process = process;
  child_of_process_[process] = child.number;
}

void AttemptSlots::remove_child(std::int64_t number) {
  const auto row = children_.find(number);
  if (row == children_.end()) return;
  dues.remove(number);
  child_of_process_.erase(row->second.process);
  children_.erase(row);
}

bool AttemptSlots::has_children_of(const ApplicationId& application) const {
  return std::any_of(children_.begin(), children_.end(),
                     [&](const auto& row) { return row.second.application == application; });
}

// -- jobs ------------------------------------------------------------------------------------------------

HostedJob* AttemptSlots::find_job(JobId job) {
  const auto row = jobs_.find(job);
  return row == jobs_.end() ? nullptr : &row->second;
}

void AttemptSlots::check_invariants() const {
  for (const auto& [id, attempt] : attempts_) {
    HEDDLE_ASSERT(attempt.has_ended || attempt.is_waiting() || children_.contains(attempt.child),
                  to_string(id) + " runs without a child");
    HEDDLE_ASSERT(jobs_.contains(id.job), to_string(id) + " is of an unknown job");
  }
  for (const auto& [process, child] : child_of_process_)
    HEDDLE_ASSERT(children_.contains(child), "process " + std::to_string(process) + " is of an unknown child");
}

}  // namespace heddle::actors

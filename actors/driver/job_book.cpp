#include "actors/driver/job_book.hpp"

#include <algorithm>

#include "model/assert.hpp"
#include "model/due_heap.hpp"

namespace heddle::actors {
namespace {

bool is_legal(JobPhase from, JobPhase to) {
  const auto is_before_running = from == JobPhase::preparing || from == JobPhase::waiting;
  switch (to) {
    case JobPhase::preparing: return false;
    case JobPhase::waiting: return is_before_running;
    case JobPhase::running: return is_before_running;
    case JobPhase::stopping: return is_before_running || from == JobPhase::running;
    case JobPhase::committing: return from != JobPhase::committing && from != JobPhase::aborting;
    case JobPhase::aborting: return from == JobPhase::stopping;
  }
  return false;
}

}  // namespace

// -- jobs -----------------------------------------------------------------------------------

JobId JobBook::assign_id() {
  const auto id = next_id_;
  next_id_ = JobId{id.value + 1};
  return id;
}

JobRecord& JobBook::add(JobRecord job) {
  const auto id = job.id;
  return jobs_.emplace(id, std::move(job)).first->second;
}

JobRecord* JobBook::find(JobId id) {
  const auto position = jobs_.find(id);
  return position == jobs_.end() ? nullptr : &position->second;
}

std::vector<JobId> JobBook::ids() const {
  std::vector<JobId> found;
  for (const auto& [id, job] : jobs_) found.push_back(id);
  return found;
}

std::optional<JobId> JobBook::first() const {
  return jobs_.empty() ? std::nullopt : std::optional{jobs_.begin()->first};
}

void JobBook::remove(JobId id) {
  const auto position = jobs_.find(id);
  const auto& job = position->second;
  totals_.jobs += 1;
  totals_.tasks += job.totals.tasks;
  totals_.failed_attempts += job.totals.failed_attempts;
  for (const auto& [result_job, stage] : job.result_jobs) owners_.erase(result_job);
  if (!job.plan.shuffles().empty()) has_removable_shuffles_ = true;
  waiting_for_slots_.erase(id);
  stopping_.erase(id);
  jobs_.erase(position);
}

// -- phases -----------------------------------------------------------------------------------

void JobBook::enter(JobRecord& job, JobPhase next) {
  HEDDLE_ASSERT(is_legal(job.phase, next), "illegal transition between job phases");
  if (job.phase == JobPhase::waiting && next != JobPhase::waiting) waiting_for_slots_.erase(job.id);
  if (job.phase == JobPhase::stopping) {
    stopping_.erase(job.id);
    job.end_due.reset();
  }
  if (next == JobPhase::stopping) stopping_.insert(job.id);
  job.phase = next;
}

void JobBook::wait_for_slots(JobRecord& job, Instant due) {
  enter(job, JobPhase::waiting);
  job.barrier.slots_due = due;
  waiting_for_slots_.insert(job.id);
}

std::vector<JobId> JobBook::waiting() const {
  std::vector<JobId> found;
  for (const auto& [id, job] : jobs_)
    if (job.phase == JobPhase::waiting) found.push_back(id);
  return found;
}

void JobBook::stop(JobRecord& job, JobStatus status, std::string text, Instant end_due) {
  enter(job, JobPhase::stopping);
  job.end.status = status;
  if (job.end.text.empty()) job.end.text = std::move(text);
  job.end_due = end_due;
}

std::vector<JobId> JobBook::start_aborts(Instant now) {
  std::vector<JobId> found;
  for (const auto id : stopping_) {
    const auto& job = jobs_.at(id);
    if (!job.is_being_prepared && (job.live_sets.empty() || *job.end_due <= now)) found.push_back(id);
  }
  for (const auto id : found) enter(jobs_.at(id), JobPhase::aborting);
  return found;
}

std::optional<Instant> JobBook::next_due() const {
  std::optional<Instant> next;
  for (const auto id : stopping_)
    if (const auto& job = jobs_.at(id); !job.is_being_prepared) next = earlier(next, job.end_due);
  for (const auto id : waiting_for_slots_) next = earlier(next, jobs_.at(id).barrier.slots_due);
  return next;
}

// -- result jobs ----------------------------------------------------------------------------------

JobId JobBook::add_result_job(JobRecord& job, std::int32_t stage) {
  const auto id = assign_id();
  job.result_jobs.emplace(id, stage);
  owners_.emplace(id, job.id);
  return id;
}

JobRecord* JobBook::owner_of(JobId result_job) {
  const auto owner = owners_.find(result_job);
  return owner == owners_.end() ? nullptr : find(owner->second);
}

void JobBook::remove_result_job(JobId result_job) {
  if (auto* job = owner_of(result_job)) job->result_jobs.erase(result_job);
  owners_.erase(result_job);
}

// -- task sets ----------------------------------------------------------------------------------

TaskSetRecord& JobBook::add_set(JobRecord& job, TaskSetRecord set) {
  const policies::TaskSetKey key{set.key.stage, set.key.attempt};
  job.live_sets.insert(key);
  job.sets.push_back(key);
  return sets_.insert_or_assign(key, std::move(set)).first->second;
}

TaskSetRecord* JobBook::find_set(policies::TaskSetKey key) {
  const auto position = sets_.find(key);
  return position == sets_.end() ? nullptr : &position->second;
}

// -- shuffles -------------------------------------------------------------------------------------

void JobBook::number_shuffles(const policies::JobPlan& plan) {
  for (const auto& [shuffle, planned] : plan.shuffles())
    next_shuffle_ = std::max(next_shuffle_, ShuffleId{shuffle.value + 1});
}

RemoveShuffles JobBook::removable_shuffles(Epoch epoch) const {
  RemoveShuffles message{epoch, next_shuffle_, {}};
  for (const auto& [id, job] : jobs_)
    for (const auto& [shuffle, planned] : job.plan.shuffles()) message.except.push_back(shuffle);
  return message;
}

}  // namespace heddle::actors

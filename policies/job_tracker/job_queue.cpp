#include "policies/job_tracker/job_queue.hpp"

#include "model/assert.hpp"

namespace heddle::policies {
namespace {

JobQueue::Place place_of(const ClassicJob& job) { return {job.priority(), job.submitted(), job.number()}; }

JobQueue::Load load_of(const ClassicJob& job) {
  if (!job.is_running()) return {};
  return {job.maps() - job.counts(false).finished,
          reduces_may_start(job) ? job.reduces() - job.counts(true).finished : 0};
}

JobQueue::ReduceJobs reduce_jobs_of(const ClassicJob& job) {
  if (!job.is_running() || job.reduces() == 0) return {};
  return {1, job.maps(), job.reduces()};
}

}  // namespace

void JobQueue::add(ClassicJob& job) {
  rows_.emplace(place_of(job), Row{&job, {}, {}});
  recount(job);
}

bool JobQueue::remove(const ClassicJob& job) {
  const auto row = rows_.find(place_of(job));
  if (row == rows_.end()) return false;
  count(row->second, {}, {});
  rows_.erase(row);
  special_.erase(job.number());
  return true;
}

void JobQueue::recount(const ClassicJob& job) {
  const auto row = rows_.find(place_of(job));
  if (row == rows_.end()) return;
  count(row->second, load_of(job), reduce_jobs_of(job));
  if (job.may_launch_special()) special_.try_emplace(job.number(), row->second.job);
  else special_.erase(job.number());
}

void JobQueue::count(Row& row, const Load& load, const ReduceJobs& reduce_jobs) {
  load_.maps += load.maps - row.load.maps;
  load_.reduces += load.reduces - row.load.reduces;
  row.load = load;
  reduce_jobs_.jobs += reduce_jobs.jobs - row.reduce_jobs.jobs;
  reduce_jobs_.maps += reduce_jobs.maps - row.reduce_jobs.maps;
  reduce_jobs_.reduces += reduce_jobs.reduces - row.reduce_jobs.reduces;
  row.reduce_jobs = reduce_jobs;
}

void JobQueue::check_invariants() const {
  Load load;
  ReduceJobs reduce_jobs;
  std::size_t special = 0;
  for (const auto& [place, row] : rows_) {
    const auto text = "job " + to_string(row.job->number());
    HEDDLE_ASSERT(place == place_of(*row.job), "place of " + text);
    HEDDLE_ASSERT(row.load == load_of(*row.job), "load of " + text);
    HEDDLE_ASSERT(special_.contains(row.job->number()) == row.job->may_launch_special(), "special tasks of " + text);
    HEDDLE_ASSERT(row.reduce_jobs == reduce_jobs_of(*row.job), "tasks beside reduces of " + text);
    load.maps += row.load.maps;
    load.reduces += row.load.reduces;
    reduce_jobs.jobs += row.reduce_jobs.jobs;
    reduce_jobs.maps += row.reduce_jobs.maps;
    reduce_jobs.reduces += row.reduce_jobs.reduces;
    special += row.job->may_launch_special() ? 1 : 0;
  }
  HEDDLE_ASSERT(load == load_, "load of the queue");
  HEDDLE_ASSERT(reduce_jobs == reduce_jobs_, "jobs with reduces of the queue");
  HEDDLE_ASSERT(special == special_.size(), "jobs with special tasks");
}

}  // namespace heddle::policies

// Waits for the ends of jobs that were submitted together, with consecutive requests. One job is a batch of one.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/session/job_waiter.hpp"
#include "apps/session/session.hpp"

namespace heddle::apps {

/// What the wait for several jobs needs of its session, beside JobHooks.
struct ManyJobsHooks {
  JobHooks one;                                    // cancel with no job: none has been accepted yet
  std::function<void(std::size_t)> on_ended = {};  // the number of a job that has ended
};

struct ManyJobsEnd {
  std::vector<std::optional<JobFinished>> ended;  // by number
  std::optional<Error> over;                      // why the wait ended before its jobs; none: all have ended
  std::optional<Error> lost;                      // the cluster, while the Driver was to end the jobs
};

[[nodiscard]] ManyJobsEnd wait_for_jobs(JobWaiter& waiter, std::size_t count, const JobCallbacks& callbacks,
                                        const ManyJobsHooks& hooks);

/// The ends in order; an error if the wait was over before.
[[nodiscard]] Result<std::vector<JobFinished>> ends_of(ManyJobsEnd end);

/// The same for one job; words of other jobs are dropped. A job that failed because its cluster was lost is an error
/// with the reason of the loss.
[[nodiscard]] Result<JobFinished> wait_for_job(JobWaiter& waiter, const JobCallbacks& callbacks, const JobHooks& hooks);

}  // namespace heddle::apps

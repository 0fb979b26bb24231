// Waits for the ends of several jobs that were submitted together, with consecutive requests.
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
  std::string over;                               // why the wait ended before its jobs; empty: all have ended
};

[[nodiscard]] ManyJobsEnd wait_for_jobs(JobWaiter& waiter, std::size_t count, const JobCallbacks& callbacks,
                                        const ManyJobsHooks& hooks);

/// The ends in order; an error if the wait was over before.
[[nodiscard]] Result<std::vector<JobFinished>> ends_of(ManyJobsEnd end);

}  // namespace heddle::apps

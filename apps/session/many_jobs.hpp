// Waits for several jobs of one application that run at the same time.
#pragma once

#include <functional>
#include <vector>

#include "apps/session/job_waiter.hpp"
#include "apps/session/session.hpp"

namespace heddle::apps {

/// How each job ended, by its number (SubmitJob::request, from 0). `cancel` is called for each once the callbacks say so, `on_lost` when
/// the ResourceManager is lost: the Driver's jobs have to be ended then. An Error means that the application ended before them.
[[nodiscard]] Result<std::vector<JobFinished>> wait_for_jobs(JobWaiter& waiter, std::size_t count, const JobCallbacks& callbacks,
                                                             const std::function<void(JobId)>& cancel,
                                                             const std::function<void()>& on_lost);

}  // namespace heddle::apps

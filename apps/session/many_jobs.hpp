// Sends jobs to a Client and waits for their results. One job is a batch of one.
#pragma once

#include <vector>

#include "apps/session/job_waiter.hpp"
#include "apps/session/session.hpp"
#include "messages/client_role.hpp"

namespace heddle::apps {

/// Runs all jobs at the same time; returns their results in order. An Error if one of them has no result.
[[nodiscard]] Result<std::vector<JobFinished>> run_jobs(JobWaiter& waiter, const ClientRoleActor& client,
                                                        std::vector<SubmitJob> jobs, const JobCallbacks& callbacks);

/// Runs one job. An Error with the reason if the cluster was lost.
[[nodiscard]] Result<JobFinished> run_one_job(JobWaiter& waiter, const ClientRoleActor& client, SubmitJob job,
                                              const JobCallbacks& callbacks);

}  // namespace heddle::apps

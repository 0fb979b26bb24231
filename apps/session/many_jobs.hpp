// Gives jobs to a Client and waits for the end of each. One job is a batch of one.
#pragma once

#include <vector>

#include "apps/session/job_waiter.hpp"
#include "apps/session/session.hpp"
#include "messages/client_role.hpp"

namespace heddle::apps {

/// Runs all of them together; their ends in order. An Error where one of them has no end of its own.
[[nodiscard]] Result<std::vector<JobFinished>> run_jobs(JobWaiter& waiter, const ClientRoleActor& client,
                                                        std::vector<SubmitJob> jobs, const JobCallbacks& callbacks);

/// A job that failed because its cluster was lost is an Error with the reason of the loss.
[[nodiscard]] Result<JobFinished> run_one_job(JobWaiter& waiter, const ClientRoleActor& client, SubmitJob job,
                                              const JobCallbacks& callbacks);

}  // namespace heddle::apps

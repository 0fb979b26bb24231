// Runs one job of a cluster and lends it the terminal of this process.
#pragma once

#include "apps/session/job_waiter.hpp"
#include "config/table/settings.hpp"
#include "messages/client_role.hpp"

namespace heddle::apps {

/// As run_one_job(). Stages that pass standard streams through get those of this process.
[[nodiscard]] Result<JobFinished> run_job_with_terminal(JobWaiter& waiter, const ClientRoleActor& client, SubmitJob job,
                                                        const config::Settings& settings,
                                                        const JobCallbacks& callbacks);

}  // namespace heddle::apps

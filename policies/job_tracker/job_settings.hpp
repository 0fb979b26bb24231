// Keys of Hadoop that follow from the package of a job: for the settings file beside its history.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "policies/job_tracker/job_work.hpp"

namespace heddle::policies {

/// Keys and values. The last value of a key counts, as in Hadoop.
using JobSettings = std::vector<std::pair<std::string, std::string>>;

/// Adds the keys that its user gives, before all others: those in effect win. Adds name, user, queue, tasks, paths and
/// rules of the job.
void add_job_settings(JobSettings& settings, const JobWork& work, const std::string& user, const std::string& queue);

}  // namespace heddle::policies

// Values in the history of a job, in the words of Hadoop 1.2.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "actors/job_tracker/tracked_jobs.hpp"
#include "policies/job_tracker/job_settings.hpp"
#include "ports/job_history_events.hpp"

namespace heddle::actors {

/// Counts by "group\tname", with Hadoop's groups and names for people; those of users keep their names.
[[nodiscard]] history::Counters classic_counters(std::string name,
                                                 const std::vector<std::pair<std::string, std::int64_t>>& counts);
/// Of one attempt.
[[nodiscard]] history::Counters classic_counters(const AttemptCounters& counts);
/// "group\tname=value" for the event log, up to user_counter_bytes_max. Null: none.
[[nodiscard]] std::vector<std::string> counter_texts(const TaskOutcome* outcome);
/// The end with the numbers of tasks and attempts of these lines.
[[nodiscard]] history::JobSucceeded with_counts_of(const std::vector<history::Event>& lines, history::JobSucceeded end);
/// "VERY_HIGH" to "VERY_LOW".
[[nodiscard]] std::string priority_name(JobPriority priority);
/// Adds the rules with which the client has submitted the job.
void add_rule_settings(policies::JobSettings& settings, const JobRules& rules);
[[nodiscard]] history::AttemptName attempt_name(const TrackedJob& job, const TaskAttemptId& attempt);
/// What the attempt does: a map, a reduce, or a setup or cleanup of the job.
[[nodiscard]] AttemptType type_of(const TrackedJob& job, const TaskAttemptId& attempt);
/// What Hadoop shows as the state of an attempt that has succeeded: "/in:0+100" of a map.
[[nodiscard]] std::string state_text(const TrackedJob& job, const TaskAttemptId& attempt);

}  // namespace heddle::actors

// Converts the settings of the frameworks of MapReduce to parameters of their roles.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/job_tracker/job_tracker_settings.hpp"
#include "actors/map_reduce_master/master_start.hpp"
#include "config/table/settings.hpp"
#include "model/job_package.hpp"
#include "model/time.hpp"
#include "policies/map_reduce/shuffle_schedule_settings.hpp"
#include "work/shuffle/shuffle_client.hpp"

namespace heddle::apps {

/// Rules that a client submits with each of its jobs to a JobTracker.
[[nodiscard]] JobRules job_rules(const config::Settings& settings);
/// True if the setting of a client reaches the JobTracker with the client's jobs; others are those of its processes.
[[nodiscard]] bool is_submitted(std::string_view key);

/// All settings, with the keys of Hadoop too: content of the settings files beside job histories.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> settings_of_jobs(const config::Settings& settings);
[[nodiscard]] actors::JobTrackerSettings job_tracker_settings(const config::Settings& settings);

/// Of reduces that copy map outputs.
[[nodiscard]] policies::ShuffleScheduleSettings copy_rules(const config::Settings& settings);

/// Bytes of a reduce's container or slot.
[[nodiscard]] std::int64_t memory_of_reduce(const config::Settings& settings);
/// Limits of the copies of such a reduce, and their time-outs.
void limit_copies(const config::Settings& settings, work::ShuffleClientSettings& fetch);

/// The fields that follow from settings.
[[nodiscard]] actors::MapReduceMasterStart map_reduce_master_start(const config::Settings& settings);

/// Time without a sign of life after which an attempt has failed.
[[nodiscard]] Duration task_timeout(const config::Settings& settings);
/// Time between two reports of a task child.
[[nodiscard]] Duration progress_interval(const config::Settings& settings);
/// Settings text for the task children of a MapReduceMaster: they report each hundredth of the task time-out.
[[nodiscard]] std::string yarn_child_settings(config::Settings settings);

}  // namespace heddle::apps

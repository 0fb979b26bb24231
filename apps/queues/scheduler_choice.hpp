// Creates the cluster scheduler that the settings name, and reads its queue file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "actors/resource_manager/resource_manager.hpp"
#include "config/table/settings.hpp"
#include "model/result.hpp"

namespace heddle::apps {

/// Settings of the fair and of the capacity scheduler; their queues are in the queue file.
[[nodiscard]] policies::FairSchedulerSettings fair_settings(const config::Settings& settings);
[[nodiscard]] policies::CapacitySchedulerSettings capacity_settings(const config::Settings& settings);

/// Creates the scheduler of `heddle.resource_manager.scheduler` and reads its queue file. An error in the file has file
/// and line.
[[nodiscard]] Result<policies::ResourceScheduler> make_resource_scheduler(const config::Settings& settings,
                                                                          Instant now);

/// Parses a queue file of the chosen scheduler; Errc::usage if it has none.
[[nodiscard]] Result<policies::QueueFile> read_queues(const config::Settings& settings, const std::string& file,
                                                      const std::string& content);

/// Keys of the queue file that heddle ignores, each with file and line.
[[nodiscard]] std::vector<std::string> unread_queue_keys(const policies::ResourceScheduler& scheduler);

/// Access lists of the queue file; none if they are off or the scheduler has no queue file.
[[nodiscard]] Result<std::optional<policies::QueueAccess>> make_queue_access(const config::Settings& settings);

/// Settings of the ResourceManager; unset ones are derived from other settings.
[[nodiscard]] config::ResourceManagerSettings resource_manager_settings(const config::Settings& settings);

/// Groups of a user of this machine, the primary one first; empty for an unknown user.
[[nodiscard]] std::vector<std::string> groups_of_user(const std::string& user);

}  // namespace heddle::apps

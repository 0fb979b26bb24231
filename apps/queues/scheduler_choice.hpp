// Creates the cluster scheduler that the settings name, and reads its queue file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/table/settings.hpp"
#include "model/result.hpp"
#include "model/time.hpp"
#include "policies/cluster/queue_access.hpp"
#include "policies/cluster/queue_file.hpp"

namespace heddle::policies {
class ResourceScheduler;
struct CapacitySchedulerSettings;
struct FairSchedulerSettings;
}  // namespace heddle::policies

namespace heddle::apps {

using ResourceSchedulerPtr = std::shared_ptr<const policies::ResourceScheduler>;

/// Settings of the fair and of the capacity scheduler; their queues are in the queue file.
[[nodiscard]] policies::FairSchedulerSettings fair_settings(const config::Settings& settings);
[[nodiscard]] policies::CapacitySchedulerSettings capacity_settings(const config::Settings& settings);

/// Creates the scheduler of `heddle.resource_manager.scheduler` and reads its queue file. An error in the file has file
/// and line.
[[nodiscard]] Result<ResourceSchedulerPtr> make_resource_scheduler(const config::Settings& settings, Instant now);

/// Parses a queue file of the chosen scheduler; Errc::usage if it has none.
[[nodiscard]] Result<policies::QueueFile> read_queues(const config::Settings& settings, const std::string& file,
                                                      const std::string& content);

/// Keys of the queue file that heddle ignores, each with file and line.
[[nodiscard]] std::vector<std::string> unread_queue_keys(const policies::ResourceScheduler& scheduler);

/// Access lists of the queue file; none if they are off or the scheduler has no queue file.
[[nodiscard]] Result<std::optional<policies::QueueAccess>> make_queue_access(const config::Settings& settings);

}  // namespace heddle::apps

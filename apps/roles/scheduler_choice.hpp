// Which rules share a cluster, as the settings say: made here, with the reader of the queue file that belongs to them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "actors/resource_manager/resource_manager.hpp"
#include "config/table/settings.hpp"
#include "model/result.hpp"

namespace heddle::apps {

/// The scheduler of `heddle.resource_manager.scheduler` with its queue file, which is read here. A wrong file is an
/// error that names file and line.
[[nodiscard]] Result<policies::ResourceScheduler> make_resource_scheduler(const config::Settings& settings,
                                                                          Instant now);

/// Understands a queue file of the chosen scheduler; a usage error if it has none.
[[nodiscard]] Result<policies::QueueFile> read_queues(const config::Settings& settings, const std::string& file,
                                                      const std::string& content);

/// Keys of its queue file that nothing reads, each with its file and line.
[[nodiscard]] std::vector<std::string> unread_queue_keys(const policies::ResourceScheduler& scheduler);

/// The access lists of the queue file; none while they are off, or where the scheduler has no such file.
[[nodiscard]] Result<std::optional<policies::QueueAccess>> make_queue_access(const config::Settings& settings);

/// The section of the ResourceManager, with what follows from other settings while it is not set.
[[nodiscard]] config::ResourceManagerSettings resource_manager_settings(const config::Settings& settings);

/// The groups of a user of this machine, the primary one first; none for a user that it does not know.
[[nodiscard]] std::vector<std::string> groups_of_user(const std::string& user);

}  // namespace heddle::apps

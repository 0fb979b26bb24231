// Start parameters of the ResourceManager, besides its settings.
#pragma once

#include <caf/actor_system.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/table/sections.hpp"
#include "messages/handles.hpp"
#include "policies/cluster/queue_access.hpp"
#include "policies/cluster/queue_file.hpp"
#include "ports/user_groups.hpp"
#include "runtime/actor_tools.hpp"

namespace heddle::policies {
class ResourceScheduler;
}

namespace heddle::actors {

/// Ports must outlive the ResourceManager.
struct ResourceManagerStart {
  std::int64_t cluster_start = 0;  // wall clock in ms; first half of application ids
  std::string build_id;            // nodes with another build id are refused; empty: no check
  /// After this many nodes have registered, the largest node bounds the size of a container. 0: no bound.
  std::int32_t nodes_expected = 0;
  std::shared_ptr<const policies::ResourceScheduler> scheduler;  // the role decides with a copy
  /// Parses a queue file from its name and content. Empty: the scheduler has no queues to reload.
  std::function<Result<policies::QueueFile>(const std::string& file, const std::string& content)> read_queues = {};
  /// Unknown keys of the queue file, each with file and line; the first client gets a Notice about them.
  std::vector<std::string> unread_keys = {};
  /// Null: users have no groups.
  ports::UserGroups* groups = nullptr;
  /// Who may submit to which queue; replaced when the queue file is reloaded. Empty: everybody to every queue.
  std::optional<policies::QueueAccess> access = {};
  /// Makes an unpredictable token for one application. Empty: from the role's random stream (tests).
  std::function<std::string()> make_token = {};
};

/// The actor lives as long as the process.
[[nodiscard]] ResourceManagerActor spawn_resource_manager(caf::actor_system& system,
                                                          const config::ResourceManagerSettings& settings,
                                                          const runtime::ActorTools& tools,
                                                          const ResourceManagerStart& start);

}  // namespace heddle::actors

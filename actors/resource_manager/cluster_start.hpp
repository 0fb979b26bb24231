// Start parameters of the ResourceManager, besides its settings.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "policies/cluster/queue_access.hpp"
#include "policies/cluster/scheduler/resource_scheduler.hpp"
#include "ports/user_groups.hpp"

namespace heddle::actors {

/// Ports must outlive the ResourceManager.
struct ResourceManagerStart {
  std::int64_t cluster_start = 0;  // wall clock in ms; first half of application ids
  std::string build_id;            // nodes with another build id are refused; empty: no check
  /// After this many nodes have registered, the largest node bounds the size of a container. 0: no bound.
  std::int32_t nodes_expected = 0;
  policies::ResourceScheduler scheduler;
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

}  // namespace heddle::actors

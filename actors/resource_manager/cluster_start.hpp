// What a ResourceManager is handed beside its settings.
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

/// What a ResourceManager is apart from its settings.
struct ResourceManagerStart {
  std::int64_t cluster_start = 0;  // wall clock in ms; the first half of application ids
  std::string build_id;            // nodes of another build are refused; empty: all are taken
  std::int32_t nodes_expected =
      0;  // once so many have registered, the largest of them bounds what can be asked; 0: never
  policies::ResourceScheduler scheduler;
  /// Understands a queue file: its name and content. Empty: the scheduler has no queues that could change.
  std::function<Result<policies::QueueFile>(const std::string& file, const std::string& content)> read_queues = {};
  /// Keys of the queue file that nothing reads, each with its file and line; the first client is told.
  std::vector<std::string> unread_keys = {};
  /// Outlives the ResourceManager. None: no user has groups.
  ports::UserGroups* groups = nullptr;
  /// Who may submit where; read anew with the queue file. Empty: everybody everywhere.
  std::optional<policies::QueueAccess> access = {};
  /// A secret for one application, from which no other follows. Empty: from the actor's own stream of numbers.
  std::function<std::string()> make_token = {};
};

}  // namespace heddle::actors

// Containers as an application sees them: grants, exits, and whether an executor failed because of the application.
#pragma once

#include <cstdint>
#include <string>

#include "model/ids.hpp"
#include "model/resources.hpp"

namespace heddle {

/// Id of a profile: a size of executors and of their tasks. 0 is the default profile; ids are never reused. Also used
/// as the priority of the container requests for these executors.
using ProfileId = StrongId<struct ProfileIdTag>;

/// Exit statuses that YARN sets. Any other value is the exit code of the process: 128 + n if signal n killed it.
namespace container_exit_status {
inline constexpr std::int32_t success = 0;
inline constexpr std::int32_t invalid = -1000;
inline constexpr std::int32_t aborted = -100;
inline constexpr std::int32_t disks_failed = -101;
inline constexpr std::int32_t preempted = -102;
inline constexpr std::int32_t virtual_memory_exceeded = -103;
inline constexpr std::int32_t physical_memory_exceeded = -104;
inline constexpr std::int32_t killed_by_application_master = -105;
inline constexpr std::int32_t killed_by_resource_manager = -106;
inline constexpr std::int32_t killed_after_application = -107;
}  // namespace container_exit_status

/// Resources on one node that the ResourceManager granted to an application.
struct ContainerGrant {
  ContainerId container;
  std::string host;
  ProfileId profile;  // priority of the request
  Resource resource;
};

/// Exit of a container; `status`: see container_exit_status.
struct ContainerExit {
  ContainerId container;
  std::int32_t status = 0;
};

/// Why the Driver lost an executor. Its running tasks count as failed only if the application caused the exit.
struct ExecutorExit {
  std::int32_t status = 0;
  bool caused_by_application = false;
  bool operator==(const ExecutorExit&) const = default;
};

}  // namespace heddle

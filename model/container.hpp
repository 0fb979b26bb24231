// Containers as an application sees them: granted, ended, and what an end says about the executor inside.
#pragma once

#include <cstdint>
#include <string>

#include "model/ids.hpp"
#include "model/resources.hpp"

namespace heddle {

/// A kind of executor: its size and how many tasks fit. 0 is the default; numbers are never reused. Also YARN's request
/// priority.
using ProfileId = StrongId<struct ProfileIdTag>;

/// Exit statuses that YARN gives itself; all others are the process's own (128 + signal when killed).
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

/// Room on a node that the ResourceManager gave to an application.
struct ContainerGrant {
  ContainerId container;
  std::string host;
  ProfileId profile;  // the request's priority
  Resource resource;
};

/// A container that has ended.
struct ContainerExit {
  ContainerId container;
  std::int32_t status = 0;
};

/// Why an executor is gone, as the Driver needs it: tasks are charged with a failure only if the application caused the
/// end.
struct ExecutorExit {
  std::int32_t status = 0;
  bool caused_by_application = false;
  bool operator==(const ExecutorExit&) const = default;
};

}  // namespace heddle

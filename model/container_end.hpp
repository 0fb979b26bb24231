// How a container ended. The NodeManager makes this value once; ResourceManager, YarnAllocator and Driver pass it on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/ids.hpp"

namespace heddle {

/// Exit statuses that YARN sets. Any other value is the exit code of the process: 128 + n if signal n killed it.
namespace container_exit_status {
inline constexpr std::int32_t success = 0;
inline constexpr std::int32_t invalid = -1000;
inline constexpr std::int32_t aborted = -100;  // released, application removed, node lost
inline constexpr std::int32_t disks_failed = -101;
inline constexpr std::int32_t preempted = -102;  // for an application below its share
inline constexpr std::int32_t virtual_memory_exceeded = -103;
inline constexpr std::int32_t physical_memory_exceeded = -104;
inline constexpr std::int32_t killed_by_application_master = -105;
inline constexpr std::int32_t killed_by_resource_manager = -106;
inline constexpr std::int32_t killed_after_application = -107;
inline constexpr std::int32_t killed_by_container_scheduler = -108;
}  // namespace container_exit_status

/// Groups of exit statuses. Policies decide by group which ends count as failures, and of whom.
enum class ExitClass : std::uint8_t {
  success,
  platform,         // preempted, aborted, a faulty disk, killed by the ResourceManager
  requested,        // killed by the ApplicationMaster, or after the end of the application
  memory_exceeded,  // the container held more memory than it was granted
  failure           // any other status
};

[[nodiscard]] constexpr ExitClass classify_exit(std::int32_t exit_status) {
  switch (exit_status) {
    case container_exit_status::success: return ExitClass::success;
    case container_exit_status::aborted:
    case container_exit_status::disks_failed:
    case container_exit_status::preempted:
    case container_exit_status::killed_by_resource_manager: return ExitClass::platform;
    case container_exit_status::killed_by_application_master:
    case container_exit_status::killed_after_application: return ExitClass::requested;
    case container_exit_status::virtual_memory_exceeded:
    case container_exit_status::physical_memory_exceeded: return ExitClass::memory_exceeded;
    default: return ExitClass::failure;
  }
}

/// How a process ended. exit_code is 128 + n if signal n killed it, and -1 if the exit status is lost because other
/// code in this program reaped the process.
struct ProcessEnd {
  std::int32_t exit_code = 0;
  std::int32_t signal = 0;  // 0: the process exited
};

/// How a container ended. Decisions read `exit_status` only; the rest is for people.
struct ContainerEnd {
  std::int32_t exit_status = 0;            // see container_exit_status
  std::string diagnostics = {};            // reason of the platform; empty: the process ended without one
  std::optional<ProcessEnd> process = {};  // none: not started, or its node did not report its end
  std::string log_directory = {};          // of the process, on its node
};

/// The end of one container.
struct CompletedContainer {
  ContainerId container;
  ContainerEnd end = {};
};

/// For people, for example "it held 600 MiB of 512 MiB granted (killed by signal 9); its logs are in /logs/7".
[[nodiscard]] std::string describe(const ContainerEnd& end);

/// Why a process on `node` ends that cannot connect to the Driver, and the settings that help.
[[nodiscard]] std::string describe_unreachable_driver(const std::string& address, const std::string& node);

}  // namespace heddle

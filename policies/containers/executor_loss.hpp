// Who is to blame for the end of an executor's container, and the reason for the loss of the executor. After Spark's
// YarnAllocator (processCompletedContainers), but for executors of another build.
#pragma once

#include <string_view>

#include "model/executor_loss.hpp"

namespace heddle::policies {

enum class Blame : std::uint8_t { nobody, application, application_and_node };

[[nodiscard]] constexpr Blame blame_of(std::int32_t exit_status) {
  switch (classify_exit(exit_status)) {
    case ExitClass::success:
    case ExitClass::platform:
    case ExitClass::requested: return Blame::nobody;
    case ExitClass::memory_exceeded: return Blame::application;
    case ExitClass::failure: break;
  }
  return Blame::application_and_node;
}

/// Why the Driver refuses an executor of another build. Each later executor of the node would be one too.
inline constexpr std::string_view different_builds = "executor and driver are different builds";

/// True if the process of an executor that the Driver stops for this reason has failed: its container ends with an exit
/// status that counts.
[[nodiscard]] constexpr bool is_failure(std::string_view stop_reason) { return stop_reason == different_builds; }

/// What is known of a lost executor beside the exit status of its container.
struct LossCircumstances {
  bool is_kill_requested = false;  // by the Driver
  bool is_node_lost = false;
  bool has_failed_to_start = false;
};

[[nodiscard]] constexpr LossReason classify_loss(std::int32_t exit_status, bool by_application,
                                                 const LossCircumstances& circumstances = {}) {
  if (circumstances.is_kill_requested) return {LossKind::killed, false};
  if (circumstances.is_node_lost) return {LossKind::node_lost, by_application};
  if (circumstances.has_failed_to_start) return {LossKind::start_failed, by_application};
  if (exit_status == container_exit_status::killed_by_application_master ||
      exit_status == container_exit_status::killed_by_resource_manager ||
      exit_status == container_exit_status::preempted)
    return {LossKind::killed, false};
  return {LossKind::exited, by_application};
}

}  // namespace heddle::policies

// Messages to a YarnAllocator, beside those to any allocator (messages/allocator.hpp). The Driver sends the messages of
// ExecutorSourceActor to any source of executors.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "caf_compat/interface.hpp"
#include "messages/allocator.hpp"
#include "messages/nouns.hpp"
#include "model/container.hpp"

namespace heddle {

// -- from the Driver -------------------------------------------------------------------

/// Size and target total of the executors of one profile. The source knows the sizes of the default profile (0).
struct ProfileTarget {
  ProfileId profile{0};
  std::int32_t target_total = 0;
  std::int32_t locality_tasks = 0;                          // waiting tasks with a preferred host
  std::vector<std::pair<std::string, std::int32_t>> hosts;  // host, number of tasks that prefer it
  std::int32_t cores = 0;
  std::int64_t memory_mib = 0;  // of the executor, without overhead
  std::int32_t tasks_per_executor = 1;
};
HEDDLE_INSPECT(ProfileTarget, profile, target_total, locality_tasks, hosts, cores, memory_mib, tasks_per_executor)

/// Target totals of executors by profile. They replace earlier ones.
struct RequestExecutors {
  std::vector<ProfileTarget> profiles;  // ascending by profile
  std::vector<std::string> excluded_hosts;

  /// Sum over all profiles.
  [[nodiscard]] std::int32_t target_total() const {
    std::int32_t total = 0;
    for (const auto& of_profile : profiles) total += of_profile.target_total;
    return total;
  }
};
HEDDLE_MESSAGE(RequestExecutors, profiles, excluded_hosts)

/// Kill these executors; their RemoveExecutor has the reason killed.
struct KillExecutors {
  std::vector<ExecutorId> executors;
  std::string reason;
};
HEDDLE_MESSAGE(KillExecutors, executors, reason)

/// An executor has registered at the Driver. The YarnAllocator stops a container whose executor does not register in
/// time (heddle.allocator.executor_start_timeout).
struct ExecutorRegistered {
  ExecutorId executor;
};
HEDDLE_MESSAGE(ExecutorRegistered, executor)

/// The application ends and needs no executors. The YarnAllocator sends EndApplication to the ApplicationMaster.
struct StopAllocator {
  bool succeeded = true;
  std::string text;
};
HEDDLE_MESSAGE(StopAllocator, succeeded, text)

// -- timers ------------------------------------------------------------------------

/// Send the next AllocateRequest.
struct ReporterTick {
  std::uint64_t epoch = 0;
};
HEDDLE_MESSAGE(ReporterTick, epoch)

/// Interface of a source of executors, as the Driver uses it.
using ExecutorSourceActor =
    caf_compat::Interface<void(RequestExecutors), void(KillExecutors), void(ExecutorRegistered), void(StopAllocator)>;

/// The YarnAllocator's interface: the messages above, with those of messages/allocator.hpp before the timer.
using YarnAllocatorActor =
    caf_compat::Interface<void(RequestExecutors), void(KillExecutors), void(ExecutorRegistered), void(StopAllocator),
                          void(StartAllocating), void(AllocateResponse), void(AllocationAvailable),
                          void(ContainerStarted), void(ContainerNotStarted), void(ReporterTick)>;

}  // namespace heddle

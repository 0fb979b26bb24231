// What a YarnAllocator understands. The Driver speaks to any ExecutorSource in these words.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "caf_compat/interface.hpp"
#include "messages/nouns.hpp"
#include "messages/resource_manager.hpp"
#include "model/container.hpp"

namespace heddle {

// -- from the Driver -------------------------------------------------------------------

/// What executors of a profile are, and how many of them are wanted in all. The default profile's sizes are its
/// source's own.
struct ExecutorsOfProfile {
  ProfileId profile{0};
  std::int32_t target_total = 0;
  std::int32_t locality_tasks = 0;                          // waiting tasks that prefer some host
  std::vector<std::pair<std::string, std::int32_t>> hosts;  // host, tasks that prefer it
  std::int32_t cores = 0;
  std::int64_t memory_mib = 0;  // of the executor, without what its container needs beside
  std::int32_t tasks_per_executor = 1;
};
HEDDLE_INSPECT(ExecutorsOfProfile, profile, target_total, locality_tasks, hosts, cores, memory_mib, tasks_per_executor)

/// How many executors of each profile are wanted in all. Totals: they replace what was said before.
struct RequestExecutors {
  std::vector<ExecutorsOfProfile> profiles;  // ascending
  std::vector<std::string> excluded_hosts;

  /// Of all profiles.
  [[nodiscard]] std::int32_t target_total() const {
    std::int32_t total = 0;
    for (const auto& of_profile : profiles) total += of_profile.target_total;
    return total;
  }
};
HEDDLE_MESSAGE(RequestExecutors, profiles, excluded_hosts)

/// End these executors; their loss will carry the reason killed.
struct KillExecutors {
  std::vector<ExecutorId> executors;
  std::string reason;
};
HEDDLE_MESSAGE(KillExecutors, executors, reason)

/// An executor has registered, so it has started. Without this word its container is stopped after a while.
struct ExecutorRegistered {
  ExecutorId executor;
};
HEDDLE_MESSAGE(ExecutorRegistered, executor)

/// No executor is wanted any more; the application ends. The ApplicationMaster is told.
struct StopAllocator {
  bool succeeded = true;
  std::string text;
};
HEDDLE_MESSAGE(StopAllocator, succeeded, text)

// -- from the ApplicationMaster -----------------------------------------------------------

/// Registered: containers may be asked for.
struct StartAllocating {
  Resource maximum;
  std::string token;
  std::optional<ExtraResources> maximum_extras = {};  // as the ResourceManager said it
};
HEDDLE_MESSAGE(StartAllocating, maximum, token, maximum_extras)

// -- from the ResourceManager --------------------------------------------------------------

/// A container that was granted.
struct GrantedContainer {
  ContainerId container;
  NodeId node;
  std::string host;
  std::string node_address;  // of the NodeManager's process
  std::int32_t priority = 0;
  Resource resource;
};
HEDDLE_INSPECT(GrantedContainer, container, node, host, node_address, priority, resource)

/// A node that was lost, with the map outputs that it served.
struct LostNode {
  NodeId node;
  std::string host;
};
HEDDLE_INSPECT(LostNode, node, host)

/// Answers AllocateRequest. Grants are handled before ends.
struct AllocateResponse {
  std::int32_t response_id = 0;
  std::vector<GrantedContainer> allocated;
  std::vector<ContainerEnd> completed;
  std::vector<LostNode> lost_nodes;
  std::int32_t cluster_nodes = 0;
  bool resync = false;                                  // the ResourceManager does not know the attempt (any more)
  std::vector<std::string> decommissioning_hosts = {};  // whose nodes will go
};
HEDDLE_MESSAGE(AllocateResponse, response_id, allocated, completed, lost_nodes, cluster_nodes, resync,
               decommissioning_hosts)

/// Something waits for the next AllocateRequest: ask at once.
struct AllocateSoon {};
HEDDLE_MESSAGE_EMPTY(AllocateSoon)

// -- from node managers --------------------------------------------------------------------

/// Answers StartContainer: the process runs.
struct ContainerStarted {
  ContainerId container;
};
HEDDLE_MESSAGE(ContainerStarted, container)

/// Answers StartContainer: nothing was started, and why.
struct ContainerNotStarted {
  ContainerId container;
  std::string text;
};
HEDDLE_MESSAGE(ContainerNotStarted, container, text)

// -- timers ------------------------------------------------------------------------

/// The reporter's beat.
struct ReporterTick {
  std::uint64_t generation = 0;
};
HEDDLE_MESSAGE(ReporterTick, generation)

/// What the Driver needs of whoever gets it executors.
using ExecutorSourceActor =
    caf_compat::Interface<void(RequestExecutors), void(KillExecutors), void(ExecutorRegistered), void(StopAllocator)>;

/// The YarnAllocator's interface: one line per message above, in the same order.
using YarnAllocatorActor =
    caf_compat::Interface<void(RequestExecutors), void(KillExecutors), void(ExecutorRegistered), void(StopAllocator),
                          void(StartAllocating), void(AllocateResponse), void(AllocateSoon), void(ContainerStarted),
                          void(ContainerNotStarted), void(ReporterTick)>;

}  // namespace heddle

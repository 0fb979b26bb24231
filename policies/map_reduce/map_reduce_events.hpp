// Types of the MapReduceAllocator's inputs and effects: attempts, grants, ends of containers, counts, refusals.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/container_end.hpp"
#include "model/ids.hpp"
#include "model/node_condition.hpp"
#include "model/resources.hpp"
#include "policies/map_reduce/job_counters.hpp"

namespace heddle::policies {

/// One attempt of a map or a reduce.
struct MapReduceAttempt {
  bool is_reduce = false;
  std::int32_t index = 0;
  std::int32_t attempt = 0;
  auto operator<=>(const MapReduceAttempt&) const = default;
  static void visit_fields(auto& visit, auto& self) {
    visit("is_reduce", self.is_reduce);
    visit("task", self.index);
    visit("attempt", self.attempt);
  }
};

struct MapReduceGrant {
  ContainerId container;
  std::string host;
  std::int32_t priority = 0;
  Resource resource;
};

struct MapReduceAnswer {
  std::int32_t response_id = 0;
  Resource headroom;
  std::int32_t cluster_nodes = 0;
  std::vector<MapReduceGrant> granted;
  std::vector<CompletedContainer> completed;
  std::vector<NodeUpdate> updated_nodes;
};

// -- effects ------------------------------------------------------------------

struct AssignContainer {
  ContainerId container;
  MapReduceAttempt attempt;
  MapPlace place = MapPlace::other;  // of a map
};
/// The container of an attempt has ended. The diagnostic text is sent before it.
struct NotifyContainerEnded {
  MapReduceAttempt attempt;
  bool killed = false;  // ended by the cluster, so it is no failure
};
enum class AttemptKillReason : std::uint8_t {
  ramp_down,
  unusable_node,
  redundant,  // another attempt succeeded
  commits_elsewhere,
  task_failed,
  task_killed
};
/// Diagnostic text of the killed attempt.
[[nodiscard]] constexpr std::string_view diagnostic_text(AttemptKillReason reason) {
  switch (reason) {
    case AttemptKillReason::ramp_down: return "reduce attempt preempted to make room for waiting map attempts";
    case AttemptKillReason::unusable_node: return "attempt killed because its node is unusable";
    case AttemptKillReason::redundant: return "attempt killed because another attempt of the task succeeded";
    case AttemptKillReason::commits_elsewhere: return "attempt killed because another attempt of the task commits";
    case AttemptKillReason::task_failed: return "attempt killed because the task failed";
    case AttemptKillReason::task_killed: return "attempt killed because the task was killed";
  }
  return "";
}
struct KillMapReduceAttempt {
  MapReduceAttempt attempt;
  AttemptKillReason reason = AttemptKillReason::ramp_down;
  bool reschedule = false;
  bool operator==(const KillMapReduceAttempt&) const = default;
};
/// The job gets the changed nodes; completed maps on them may have to run again.
struct NotifyUpdatedNodes {};
/// No node of the cluster can hold a container of this size: the job fails with a diagnostic text.
struct KillJob {
  bool is_reduce = false;
  Resource wanted;
  Resource container_max;
};

using MapReduceEffect =
    std::variant<AssignContainer, NotifyContainerEnded, KillMapReduceAttempt, NotifyUpdatedNodes, KillJob>;
using MapReduceEffects = std::vector<MapReduceEffect>;

struct MapReduceCounts {
  std::int32_t pending_reduces = 0;
  std::int32_t scheduled_maps = 0;
  std::int32_t scheduled_reduces = 0;
  std::int32_t assigned_maps = 0;
  std::int32_t assigned_reduces = 0;
  std::int32_t preempting = 0;  // preempted reduces that still have a container
  bool reduce_started = false;
  bool operator==(const MapReduceCounts&) const = default;
};

/// Why an attempt has no container.
enum class MapReduceRefusal : std::uint8_t {
  unknown,
  has_container,
  waits_for_container,
  waits_for_slow_start,
  waits_for_maps
};

}  // namespace heddle::policies

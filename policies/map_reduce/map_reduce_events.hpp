// Types of the MapReduceAllocator's inputs and effects: attempts, grants, ends of containers, counts, refusals.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/ids.hpp"
#include "model/resources.hpp"

namespace heddle::policies {

/// One attempt of a map or a reduce.
struct MapReduceAttempt {
  bool is_reduce = false;
  std::int32_t index = 0;
  std::int32_t attempt = 0;
  auto operator<=>(const MapReduceAttempt&) const = default;
};

struct MapReduceGrant {
  ContainerId container;
  std::string host;
  std::int32_t priority = 0;
  Resource resource;
};

struct MapReduceContainerEnd {
  ContainerId container;
  std::int32_t status = 0;
};

enum class NodeCondition : std::uint8_t { usable, unusable };

struct NodeUpdate {
  std::string host;
  NodeCondition condition = NodeCondition::usable;
};

struct MapReduceAnswer {
  std::int32_t response_id = 0;
  Resource headroom;
  std::int32_t cluster_nodes = 0;
  std::vector<MapReduceGrant> granted;
  std::vector<MapReduceContainerEnd> completed;
  std::vector<NodeUpdate> updated_nodes;
};

// -- effects ------------------------------------------------------------------

enum class MapPlace : std::uint8_t { node, rack, other };

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
enum class AttemptKillReason : std::uint8_t { ramp_down, unusable_node };
/// Diagnostic text of the killed attempt.
[[nodiscard]] constexpr std::string_view diagnostic_text(AttemptKillReason reason) {
  switch (reason) {
    case AttemptKillReason::ramp_down: return "reduce attempt preempted to make room for waiting map attempts";
    case AttemptKillReason::unusable_node: return "attempt killed because its node is unusable";
  }
  return "";
}
struct KillMapReduceAttempt {
  MapReduceAttempt attempt;
  AttemptKillReason reason = AttemptKillReason::ramp_down;
  bool reschedule = false;
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

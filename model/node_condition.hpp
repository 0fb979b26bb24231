// The condition of a node, as the ResourceManager reports it to applications. After Hadoop's NodeState.
#pragma once

#include <cstdint>
#include <string>

#include "model/ids.hpp"

namespace heddle {

enum class NodeCondition : std::uint8_t { running, unhealthy, lost, decommissioning, decommissioned };

/// False if containers on the node are lost, and with them the map outputs that it served.
[[nodiscard]] constexpr bool is_usable(NodeCondition condition) {
  return condition == NodeCondition::running || condition == NodeCondition::decommissioning;
}

/// A node whose condition has changed.
struct NodeUpdate {
  NodeId node;
  std::string host;
  NodeCondition condition = NodeCondition::running;
  friend bool operator==(const NodeUpdate&, const NodeUpdate&) = default;
};

}  // namespace heddle

// From stages that name their parents to a graph where parents come first: what job files and JobBuilder have in
// common.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/job_graph.hpp"

namespace heddle::config {

/// A stage before its parents are numbers.
struct NamedStage {
  StageDescription description;
  std::vector<std::string> after;  // names of parents
};

/// Why stages are no graph, and which of them shows it.
struct StageOrderFault {
  enum class Kind : unsigned char { none, duplicate_name, unknown_parent, cycle };
  Kind kind = Kind::none;
  std::size_t stage = 0;  // index among those handed in
  std::string text;
};

/// Moves the stages into `ordered`, parents first, stages of equal standing in the order in which they were handed in,
/// and turns names into indices. With a fault `ordered` is not to be used.
[[nodiscard]] StageOrderFault order_stages(std::vector<NamedStage> stages, std::vector<StageDescription>& ordered);

}  // namespace heddle::config

// Orders stages so that parents come first, for job files and for JobBuilder.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/job_graph.hpp"

namespace heddle::config {

/// A stage with the names of its parents instead of their indices.
struct NamedStage {
  StageDescription description;
  std::vector<std::string> after;  // names of parents
};

/// Why the stages do not form a graph, and which stage is at fault.
struct StageOrderFault {
  enum class Kind : unsigned char { none, duplicate_name, unknown_parent, cycle };
  Kind kind = Kind::none;
  std::size_t stage = 0;  // index in the argument of order_stages
  std::string text;
};

/// Moves the stages into `ordered` with parents first and replaces names of parents by indices; otherwise the order is
/// kept. `ordered` is incomplete if there is a fault.
[[nodiscard]] StageOrderFault order_stages(std::vector<NamedStage> stages, std::vector<StageDescription>& ordered);

}  // namespace heddle::config

// Names of tasks, attempts, containers and node states in the recorded cases of MapReduce: "m0", "r2.a1", "c17",
// "LOST".
#pragma once

#include <string>
#include <vector>

#include "model/ids.hpp"
#include "model/node_condition.hpp"
#include "policies/map_reduce/map_reduce_state_effects.hpp"
#include "tests/conformance/json_fields.hpp"
#include "tests/conformance/kind.hpp"

namespace heddle::conformance {

[[nodiscard]] inline policies::MapReduceTaskId task_named(const std::string& name) {
  require(name.starts_with('m') || name.starts_with('r'), "'" + name + "' names no task");
  return {name[0] == 'r', std::stoi(name.substr(1))};
}

[[nodiscard]] inline policies::MapReduceAttempt attempt_named(const std::string& name) {
  const auto dot = name.find(".a");
  require(dot != std::string::npos, "'" + name + "' names no attempt");
  const auto task = task_named(name.substr(0, dot));
  return {task.is_reduce, task.index, std::stoi(name.substr(dot + 2))};
}

[[nodiscard]] inline std::vector<policies::MapReduceAttempt> attempts_named(const boost::json::value& names) {
  std::vector<policies::MapReduceAttempt> attempts;
  for (const auto& name : names.as_array()) attempts.push_back(attempt_named(text(name)));
  return attempts;
}

[[nodiscard]] inline ContainerId container_named(const std::string& name) {
  require(name.starts_with('c'), "'" + name + "' names no container");
  return ContainerId{std::stoll(name.substr(1))};
}

[[nodiscard]] inline NodeCondition node_condition_named(const std::string& state) {
  if (state == "UNHEALTHY") return NodeCondition::unhealthy;
  if (state == "LOST") return NodeCondition::lost;
  if (state == "DECOMMISSIONED") return NodeCondition::decommissioned;
  if (state == "DECOMMISSIONING") return NodeCondition::decommissioning;
  return NodeCondition::running;  // any other state is usable
}

[[nodiscard]] inline std::string name_of(policies::MapReduceTaskId task) {
  return (task.is_reduce ? "r" : "m") + std::to_string(task.index);
}
[[nodiscard]] inline std::string name_of(policies::MapReduceAttempt attempt) {
  return name_of(policies::task_of(attempt)) + ".a" + std::to_string(attempt.attempt);
}
[[nodiscard]] inline std::string name_of(ContainerId container) { return "c" + to_string(container); }

}  // namespace heddle::conformance

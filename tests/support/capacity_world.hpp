// A CapacityScheduler with its nodes and applications, in short words: nodes are h1, h2, ... in order of arrival,
// applications have the numbers that the test gives them, one attempt each, and masters that run elsewhere.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "policies/cluster/capacity/capacity_scheduler.hpp"

namespace heddle::policies {

using CapacityRows = std::vector<std::pair<std::string, std::string>>;

inline config::CapacitySchedulerFile file_of(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::vector<config::HadoopProperty> properties;
  for (const auto& [key, value] : rows) properties.push_back({"yarn.scheduler.capacity." + key, value, 0});
  auto file = config::read_capacity_properties(properties, "test");
  if (!file) throw std::runtime_error{file.error().text};
  return std::move(*file);
}

inline std::vector<std::pair<std::string, std::string>> two_queues(const std::string& a, const std::string& b) {
  return {{"root.queues", "a,b"},
          {"root.a.capacity", a},
          {"root.b.capacity", b},
          {"maximum-am-resource-percent", "1"},
          {"per-node-heartbeat.maximum-offswitch-assignments", "10"}};
}

struct CapacityWorld {
  CapacityScheduler scheduler;
  ResourceEffects effects;
  std::int64_t next_node = 1;

  explicit CapacityWorld(const std::vector<std::pair<std::string, std::string>>& rows,
                         const CapacitySchedulerSettings& settings = {})
      : scheduler{settings, file_of(rows)} {}
  static AttemptId attempt(std::int64_t number) { return {ApplicationId{1, number}, 1}; }
  NodeId add_node(std::int64_t memory, const std::string& rack = "/r1") {
    const NodeId id{next_node++};
    scheduler.on_node_added(Instant{}, {id, "h" + std::to_string(id.value), rack, {memory, 64}}, effects);
    return id;
  }
  bool submit(std::int64_t number, const std::string& queue, const std::string& user = "u") {
    if (!scheduler.on_application_added(Instant{}, {attempt(number).application, queue, user, 0, std::nullopt})
             .is_accepted)
      return false;
    scheduler.on_attempt_added(Instant{}, attempt(number), effects);
    return true;
  }
  Allocation ask(std::int64_t number, std::int32_t count, std::int64_t memory = 1024,
                 const std::vector<std::string>& hosts = {}) {
    AllocateRequest batch;
    batch.asks.push_back({1, "*", count, {memory, 1}, true});
    for (const std::string& host : hosts) batch.asks.push_back({1, host, 1, {memory, 1}, true});
    return scheduler.allocate(Instant{}, attempt(number), batch, effects);
  }
  std::size_t beat(NodeId node) {
    const std::size_t before = effects.size();
    scheduler.node_heartbeat(Instant{}, node, effects);
    scheduler.check_invariants();
    std::size_t assigned = 0;
    for (std::size_t i = before; i < effects.size(); ++i)
      assigned += std::holds_alternative<ContainerAssigned>(effects[i]) ? 1U : 0U;
    return assigned;
  }
  std::string reason(std::int64_t number) const { return scheduler.explain(attempt(number).application).reason; }
  const CapacityQueue& queue(const std::string& name) const {
    return scheduler.queues().at(scheduler.queues().find(name));
  }
};

}  // namespace heddle::policies

// A ResourceManager and its nodes in memory, for one MapReduce job: asks at any host, containers, releases, lost nodes.
// It keeps its last answer and repeats it for a repeated request, and it can restart without its asks.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/random_stream.hpp"
#include "policies/containers/response_id.hpp"
#include "policies/map_reduce/map_reduce_events.hpp"
#include "policies/map_reduce/map_reduce_requests.hpp"

namespace heddle::policies {

class ResourceManagerInMemory {
public:
  static constexpr std::int64_t container_mib = 1024;

  /// None: the application attempt is not registered.
  std::optional<MapReduceAnswer> allocate(const MapReduceCall& call, RandomStream& random) {
    if (!is_registered_) return std::nullopt;
    for (const auto& ask : call.asks)
      if (ask.name == "*") asked_[static_cast<std::int32_t>(ask.priority)] = ask.count;
    for (const auto& host : call.exclude) excluded_.insert(host);
    for (const auto& host : call.include) excluded_.erase(host);
    for (const ContainerId container : call.releases) end(container, container_exit_status::aborted);
    if (call.response_id != last_.response_id) return last_;  // a repeated request
    last_ = MapReduceAnswer{next_response_id(call.response_id), {}, 0, {}, std::exchange(ended_, {}),
                            std::exchange(updated_, {})};
    for (auto& [priority, count] : asked_)
      while (count > 0 && random.below(5) > 0 && grant(priority, random)) --count;
    for (const auto& node : nodes_) {
      last_.cluster_nodes += node.is_up ? 1 : 0;
      last_.headroom.memory_mib += node.is_up ? node.free * container_mib : 0;
      last_.headroom.cores += node.is_up ? node.free : 0;
    }
    return last_;
  }
  void register_attempt() { is_registered_ = true; }
  /// The next application attempt: the containers of the one before have ended, and its asks are gone.
  void begin_attempt() {
    for (const auto& [container, place] : running_) nodes_.at(place).free += 1;
    running_.clear();
    ended_.clear();
    asked_.clear();
    excluded_.clear();
    last_ = {};
    is_registered_ = true;
  }
  /// It forgets asks and exclusions; containers that the master knows run on. `was_read`: the master got the last
  /// answer.
  void restart(bool was_read) {
    is_registered_ = false;
    if (!was_read) {
      for (const auto& granted : last_.granted) {
        const auto row = running_.find(granted.container);
        if (row == running_.end()) continue;
        nodes_.at(row->second).free += 1;
        running_.erase(row);
      }
      ended_.insert(ended_.begin(), last_.completed.begin(), last_.completed.end());
      updated_.insert(updated_.begin(), last_.updated_nodes.begin(), last_.updated_nodes.end());
    }
    asked_.clear();
    excluded_.clear();
    last_ = {};
  }

  [[nodiscard]] bool runs(ContainerId container) const { return running_.contains(container); }
  void end(ContainerId container, std::int32_t exit_status) {
    const auto row = running_.find(container);
    if (row == running_.end()) return;
    nodes_.at(row->second).free += 1;
    running_.erase(row);
    ended_.push_back({container, {exit_status, {}, {}, {}}});
  }
  void lose_node(std::size_t number) {
    auto& node = nodes_.at(number);
    if (!node.is_up) return;
    std::vector<ContainerId> lost;
    for (const auto& [container, place] : running_)
      if (place == number) lost.push_back(container);
    for (const ContainerId container : lost) end(container, container_exit_status::aborted);
    node.is_up = false;
    updated_.push_back({NodeId{static_cast<std::int64_t>(number)}, name_of(number), NodeCondition::lost});
  }
  void return_nodes() {
    for (auto& node : nodes_) node.is_up = true;
  }
  [[nodiscard]] std::string describe() const {
    std::string text = "asked";
    for (const auto& [priority, count] : asked_) text += " " + std::to_string(priority) + ":" + std::to_string(count);
    text += ", running " + std::to_string(running_.size()) + ", excluded " + std::to_string(excluded_.size());
    return text;
  }
  [[nodiscard]] static std::size_t nodes() { return std::tuple_size_v<Nodes>; }
  [[nodiscard]] static std::string name_of(std::size_t node) { return "h" + std::to_string(node); }

private:
  struct Node {
    std::int32_t free = 2;
    bool is_up = true;
  };
  using Nodes = std::array<Node, 4>;

  bool grant(std::int32_t priority, RandomStream& random) {
    const auto first = static_cast<std::size_t>(random.below(nodes()));
    for (std::size_t i = 0; i < nodes(); ++i) {
      const std::size_t number = (first + i) % nodes();
      auto& node = nodes_.at(number);
      if (!node.is_up || node.free == 0 || excluded_.contains(name_of(number))) continue;
      node.free -= 1;
      const ContainerId container{++last_container_};
      running_.emplace(container, number);
      last_.granted.push_back({container, name_of(number), priority, {container_mib, 1}});
      return true;
    }
    return false;
  }

  Nodes nodes_;
  std::map<ContainerId, std::size_t> running_;
  std::map<std::int32_t, std::int32_t> asked_;  // containers at any host, by priority
  std::set<std::string> excluded_;
  std::vector<CompletedContainer> ended_;
  std::vector<NodeUpdate> updated_;
  MapReduceAnswer last_;
  std::int64_t last_container_ = 0;
  bool is_registered_ = true;
};

}  // namespace heddle::policies

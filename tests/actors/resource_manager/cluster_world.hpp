// A ResourceManager with FIFO rules and a fake client, node, master and allocator, in virtual time; its log is replayed
// at the end.
#pragma once

#include <boost/test/unit_test.hpp>

#include "actors/resource_manager/resource_manager.hpp"
#include "tests/actors/resource_manager/resource_manager_replay.hpp"
#include "tests/support/actor_world.hpp"

namespace heddle::actors {

using namespace std::chrono_literals;

/// Token of every application.
inline const std::string known_token(32, 't');

struct ClusterWorld : tests::ActorWorld {
  tests::Peer& client = peer("client:1");
  tests::Peer& node = peer("node:1");
  tests::Peer& master = peer("master:1");
  tests::Peer& allocator = peer("allocator:1");
  AttemptId attempt{{1000, 1}, 1};
  policies::ResourceScheduler rules{policies::FifoScheduler{{{1, 0}, {8192, 4}, 1}}};
  ResourceManagerActor cluster;

  explicit ClusterWorld(std::int32_t nodes_expected = 0) {
    config::ResourceManagerSettings settings;
    settings.node_timeout = 10s;
    settings.allocation_timeout = 20s;
    ResourceManagerStart start{1000, "build", nodes_expected,
                               std::make_shared<const policies::ResourceScheduler>(rules)};
    start.make_token = [] { return known_token; };
    cluster = adopt(spawn_resource_manager(system(), settings, tools(), start));
    settle();
  }
  /// Replays the log of the test: a new scheduler must return the same effects for every line.
  ~ClusterWorld() {
    tests::ResourceManagerReplay replay{rules};
    for (const auto& line : events().lines) replay.take(line);
    for (const auto& difference : replay.differences()) BOOST_ERROR(difference);
  }
  ClusterWorld(const ClusterWorld&) = delete;
  ClusterWorld& operator=(const ClusterWorld&) = delete;
  NodeId add_node(const tests::Peer& from, const std::string& host, std::int64_t memory_mib,
                  const ResourceAmounts& others = {}) {
    say(from, cluster, RegisterNode{host, "/r1", host + ":1", {memory_mib, 4, others}, "build", false});
    return from.last<NodeRegistered>().node;
  }
  void submit(std::int32_t attempts_max = 2) {
    say(client, cluster, SubmitApplication{"words", "default", "me", {512, 1}, attempts_max, {"", "/state", {}}});
  }
  void start(std::int64_t memory_mib = 4096) {
    add_node(node, "a", memory_mib);
    submit();
    say(master, cluster, RegisterApplicationMaster{attempt, "master:1", "", known_token});
  }
  AllocateResponse ask(std::int32_t response_id, std::int64_t count, const ResourceAmounts& others = {}) {
    AllocateRequest request;
    request.attempt = attempt;
    request.response_id = response_id;
    if (count > 0) request.asks = {{0, "*", {1024, 1, others}, count, true}};
    say(allocator, cluster, request);
    return allocator.last<AllocateResponse>();
  }
  void end(const tests::Peer& from, ContainerId container, std::int32_t status) {
    const auto registered = from.last<NodeRegistered>();
    say(from, cluster, ContainerExited{registered.node, registered.epoch, {container, {status, "why"}}});
  }
};

}  // namespace heddle::actors

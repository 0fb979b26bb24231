// A ResourceManager with FIFO rules and a fake client, node, master and allocator, in virtual time; its log is replayed
// at the end. Includes no decider, so that tests that only send messages are not compiled again when one changes.
#pragma once

#include <boost/test/unit_test.hpp>
#include <memory>

#include "actors/resource_manager/cluster_start.hpp"
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
  std::shared_ptr<const policies::ResourceScheduler> rules;
  ResourceManagerActor cluster;

  explicit ClusterWorld(std::int32_t nodes_expected = 0);
  /// Replays the log of the test: a new scheduler must return the same effects for every line.
  ~ClusterWorld();
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

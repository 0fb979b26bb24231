// A YarnAllocator with a fake Driver, ResourceManager, master and node, in virtual time; its log is replayed at the
// end. Includes no decider, so that tests that only send messages are not compiled again when one changes.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "actors/yarn_allocator/allocator_start.hpp"
#include "tests/support/actor_world.hpp"

namespace heddle::actors {

using namespace std::chrono_literals;

struct AllocatorWorld : tests::ActorWorld {
  tests::Peer& cluster = peer("rm:1");
  tests::Peer& driver = peer("driver:1");
  tests::Peer& master = peer("master");
  tests::Peer& node = peer("node:1");
  YarnAllocatorActor allocator;

  explicit AllocatorWorld(const config::YarnAllocatorSettings& settings = {}, const ResourceAmounts& others = {},
                          const ResourceAmounts& device_others = {}, std::int32_t failed_executors_per_node = 2) {
    YarnAllocatorStart start;
    start.attempt = {{1000, 1}, 1};
    start.resource_manager_address = "rm:1";
    start.driver_address = "driver:1";
    start.executor = {1024, 1};
    start.settings = "heddle.locality.wait=7s\n";
    start.log_directory = "/state";
    start.first_shuffle = 5;
    start.executor.others = others;
    start.device_others = device_others;
    start.failed_executors_per_node = failed_executors_per_node;
    allocator = adopt(spawn_yarn_allocator(system(), settings, tools(), start));
    settle();
  }
  /// Replays the log of the test: a new allocator must return the same effects for every line.
  ~AllocatorWorld();
  AllocatorWorld(const AllocatorWorld&) = delete;
  AllocatorWorld& operator=(const AllocatorWorld&) = delete;
  void begin() {
    say(master, allocator, StartAllocating{{8192, 4}, "secret"});
    respond(1, {});
  }
  void respond(std::int32_t id, std::vector<GrantedContainer> grants, std::vector<CompletedContainer> ends = {},
               std::vector<NodeUpdate> nodes = {}) {
    say(cluster, allocator, AllocateResponse{id, std::move(grants), std::move(ends), std::move(nodes), 2});
  }
  void want(std::int32_t total) { say(driver, allocator, RequestExecutors{{{ProfileId{0}, total, 0, {}}}, {}}); }
  static GrantedContainer grant(std::int64_t container, const std::string& address = "node:1") {
    return {ContainerId{container}, NodeId{5}, "a", address, 0, {1024, 1}};
  }
};

}  // namespace heddle::actors

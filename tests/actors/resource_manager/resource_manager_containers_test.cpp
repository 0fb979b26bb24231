// Goal: each requested container is granted once, within the resources of the nodes, and each end is reported to the
// allocator once. Method: random totals, releases and ends of processes between one allocator and one node, compared
// with plain sets.
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

#include "model/random_stream.hpp"
#include "tests/actors/resource_manager/cluster_world.hpp"

namespace heddle::actors {
namespace resource_manager_containers_test {
namespace {

struct PlainGrants {
  std::set<std::int64_t> held;
  std::set<std::int64_t> ever;
  std::set<std::int64_t> ended;
  std::int32_t response_id = 0;
};

void take(const AllocateResponse& response, PlainGrants& plain) {
  plain.response_id = response.response_id;
  for (const GrantedContainer& granted : response.allocated) {
    BOOST_REQUIRE(plain.ever.insert(granted.container.value).second);
    plain.held.insert(granted.container.value);
  }
  for (const CompletedContainer& end : response.completed) {
    BOOST_REQUIRE(plain.ever.contains(end.container.value));
    BOOST_REQUIRE(plain.ended.insert(end.container.value).second);
    plain.held.erase(end.container.value);
  }
}

BOOST_AUTO_TEST_CASE(random_requests_and_ends_are_answered_once_within_the_free_resources) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      RandomStream random{seed};
      ClusterWorld world;
      world.start(8192);
      PlainGrants plain;
      std::set<std::int64_t> gone_on_node;
      for (int step = 0; step < 80; ++step) {
        AllocateRequest request;
        request.attempt = world.attempt;
        request.response_id = plain.response_id;
        const std::uint64_t what = random.below(4);
        if (what == 0) request.asks = {{0, "*", {1024, 1}, static_cast<std::int64_t>(random.below(5)), true}};
        if (what == 1 && !plain.held.empty()) request.release = {ContainerId{*plain.held.begin()}};
        if (what == 2 && !plain.held.empty() && gone_on_node.insert(*plain.held.rbegin()).second)
          world.end(world.node, ContainerId{*plain.held.rbegin()}, static_cast<std::int32_t>(random.below(2)));
        world.say(world.allocator, world.cluster, request);
        take(world.allocator.last<AllocateResponse>(), plain);
        // The master has 512 MiB, rounded up; cores limit the other containers.
        BOOST_REQUIRE(plain.held.size() <= 7U);
      }
      AllocateRequest last;
      last.attempt = world.attempt;
      last.response_id = plain.response_id;
      last.asks = {{0, "*", {1024, 1}, 0, true}};
      for (const std::int64_t each : plain.held) last.release.emplace_back(each);
      world.say(world.allocator, world.cluster, last);
      take(world.allocator.last<AllocateResponse>(), plain);
      BOOST_TEST((plain.ended == plain.ever));
    }
  }
}

}  // namespace
}  // namespace resource_manager_containers_test
}  // namespace heddle::actors

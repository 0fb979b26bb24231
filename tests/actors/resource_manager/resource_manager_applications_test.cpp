// Goal: an accepted application ends once, has at most its limit of attempts, and leaves no state. Method: several
// applications with random events: masters register, finish, are killed by their user, or exit.
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

#include "model/random_stream.hpp"
#include "tests/actors/resource_manager/cluster_world.hpp"

namespace heddle::actors {
namespace resource_manager_applications_test {
namespace {

/// The started masters by application: the latest container and its attempt.
std::map<std::int64_t, StartContainer> masters(const ClusterWorld& world) {
  std::map<std::int64_t, StartContainer> latest;
  for (const StartContainer& each : world.node.all<StartContainer>())
    latest.insert_or_assign(each.attempt.application.number, each);
  return latest;
}

BOOST_AUTO_TEST_CASE(random_applications_end_once_within_their_attempt_limit) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      RandomStream random{seed};
      ClusterWorld world;
      world.add_node(world.node, "a", 65'536);
      constexpr std::int64_t applications = 4;
      for (std::int64_t i = 0; i < applications; ++i) world.submit(2);
      BOOST_TEST(world.client.count<ApplicationAccepted>() == applications);
      std::set<std::int64_t> containers_that_ended;
      const auto end_process = [&](const StartContainer& master, std::int32_t status) {
        if (containers_that_ended.insert(master.container.value).second)
          world.end(world.node, master.container, status);
      };
      for (int step = 0; step < 60; ++step) {
        const auto started = masters(world);
        if (started.empty()) break;
        const auto& master =
            std::next(started.begin(), static_cast<std::ptrdiff_t>(random.below(started.size())))->second;
        switch (random.below(6)) {
          case 0: end_process(master, 1); break;
          case 1: end_process(master, -102); break;
          case 2:
            world.say(world.client, world.cluster, KillApplication{master.attempt.application, "by its user"});
            break;
          case 3: world.say(world.master, world.cluster, FinishApplication{master.attempt, true, "done"}); break;
          default:
            world.say(world.master, world.cluster,
                      RegisterApplicationMaster{master.attempt, "master:1", "", known_token});
        }
        for (const StartContainer& each : world.node.all<StartContainer>()) BOOST_REQUIRE(each.attempt.attempt >= 1);
      }
      for (const auto& [number, master] : masters(world)) {
        world.say(world.client, world.cluster, KillApplication{master.attempt.application, "the test is over"});
        end_process(master, 143);
      }
      std::map<std::int64_t, int> ends;
      for (const ApplicationEnded& each : world.client.all<ApplicationEnded>()) ++ends[each.application.number];
      BOOST_TEST(ends.size() == static_cast<std::size_t>(applications));
      for (const auto& [number, count] : ends) BOOST_TEST(count == 1);
      std::set<std::int64_t> forgotten;
      for (const ForgetApplication& each : world.node.all<ForgetApplication>())
        forgotten.insert(each.application.number);
      BOOST_TEST(forgotten.size() == static_cast<std::size_t>(applications));
    }
  }
}

}  // namespace
}  // namespace resource_manager_applications_test
}  // namespace heddle::actors

// Goal: in any order of starts, stops and ends, a container runs at most once and its end is reported once. Method:
// random messages of the ResourceManager and random ends of processes, compared with a plain list of what must run.
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <map>
#include <set>

#include "model/random_stream.hpp"
#include "tests/actors/node_manager/node_world.hpp"
#include "tests/support/child_process.hpp"

namespace heddle::actors {
namespace node_manager_containers_test {
namespace {

struct PlainContainers {
  std::map<std::int64_t, std::int64_t> running;  // container, process
  std::set<std::int64_t> refused;                // started or stopped before
  std::map<std::int64_t, std::int32_t> status_of_stop;
};

void random_step(NodeWorld& world, PlainContainers& plain, RandomStream& random, std::int64_t& processes) {
  const auto id = static_cast<std::int64_t>(1 + random.below(30));
  switch (random.below(3)) {
    case 0:
      world.start(id);
      if (plain.refused.insert(id).second) plain.running[id] = ++processes;
      break;
    case 1:
      world.say(world.cluster, world.node, StopContainer{ContainerId{id}, -105, "not needed"});
      plain.refused.insert(id);
      if (plain.running.contains(id)) plain.status_of_stop[id] = -105;
      break;
    default: {
      if (plain.running.empty()) break;
      const auto row =
          std::next(plain.running.begin(), static_cast<std::ptrdiff_t>(random.below(plain.running.size())));
      const auto code = static_cast<std::int32_t>(random.below(3));
      const auto [container, process] = *row;
      plain.running.erase(row);
      const int before = world.cluster.count<ContainerExited>();
      world.end(process, code);
      BOOST_REQUIRE(world.cluster.count<ContainerExited>() == before + 1);
      const auto told = world.cluster.last<ContainerExited>().completed;
      BOOST_REQUIRE(told.container.value == container);
      const auto stop = plain.status_of_stop.find(container);
      BOOST_REQUIRE(told.end.exit_status == (stop == plain.status_of_stop.end() ? code : stop->second));
    }
  }
}

BOOST_AUTO_TEST_CASE(random_messages_start_each_container_once_and_report_each_end_once) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      RandomStream random{seed};
      NodeWorld world;
      PlainContainers plain;
      std::int64_t processes = 0;
      for (int step = 0; step < 120; ++step) {
        random_step(world, plain, random, processes);
        BOOST_REQUIRE(static_cast<std::int64_t>(world.launcher.contexts.size()) == processes);
      }
      world.advance(2s);
      std::set<std::int64_t> told;
      for (const ContainerId each : world.cluster.last<NodeHeartbeat>().running) told.insert(each.value);
      std::set<std::int64_t> expected;
      for (const auto& [container, process] : plain.running) expected.insert(container);
      BOOST_TEST((told == expected));
      for (const auto& [container, status] : plain.status_of_stop)
        if (const auto row = plain.running.find(container); row != plain.running.end())
          BOOST_TEST(world.launcher.stopped.contains(row->second));
    }
  }
}

/// A faulty launcher gives two processes the same number, so the table of containers contradicts itself.
void start_two_containers(bool checks_invariants) {
  NodeWorld world{checks_invariants};
  world.launcher.has_one_number = true;
  world.start(1);
  world.start(2);
  ::_exit(0);  // without destructors: the child has only the calling thread
}

BOOST_AUTO_TEST_CASE(a_contradiction_in_a_table_aborts_a_role_that_checks_invariants) {
  const auto found = tests::run_in_child([] { start_two_containers(true); });
  BOOST_TEST(found.signal == SIGABRT);
  BOOST_TEST(found.error.find("process 1 of container 1 is listed for another container") != std::string::npos,
             found.error);
  const auto unseen = tests::run_in_child([] { start_two_containers(false); });
  BOOST_TEST(unseen.signal == 0);
  BOOST_TEST(unseen.error == "");
}

}  // namespace
}  // namespace node_manager_containers_test
}  // namespace heddle::actors

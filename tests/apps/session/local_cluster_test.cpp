// Goal: the loss of all NodeManagers is reported once with their exits; shared nodes have memory for all master
// containers beside an executor.
// Method: exits reported by the test; settings and topologies as values.
#include "apps/session/local_cluster.hpp"

#include <boost/test/unit_test.hpp>

#include "apps/session/topology_hosts.hpp"

namespace heddle::apps {
namespace local_cluster_test {
namespace {

BOOST_AUTO_TEST_CASE(the_end_of_the_last_node_is_reported_with_the_exits_of_all) {
  NodeExits nodes{2};
  std::vector<std::string> reports;
  nodes.on_all_ended([&reports](const std::string& text) { reports.push_back(text); });
  nodes.add("a was killed by signal 9");
  BOOST_TEST(reports.empty());
  nodes.add("b ended with exit code 70");
  const std::string expected =
      "no NodeManager of the cluster is left: a was killed by signal 9; b ended with exit code 70";
  BOOST_TEST((reports == std::vector<std::string>{expected}));
  nodes.on_all_ended([&reports](const std::string& text) { reports.push_back("late: " + text); });
  BOOST_TEST(reports.back() == "late: " + expected);
}

BOOST_AUTO_TEST_CASE(nodes_that_the_cluster_stops_do_not_count_as_lost) {
  NodeExits nodes{1};
  int reports = 0;
  nodes.on_all_ended([&reports](const std::string&) { ++reports; });
  nodes.ignore_exits();
  nodes.add("a ended with exit code 0");
  BOOST_TEST(reports == 0);
}

struct Shared {
  SessionOptions cluster;
  Shared() {
    cluster.topology.hosts = {{"a", "/r1", {8192, 8}, 1.0}};
    BOOST_REQUIRE(
        cluster.settings.set("heddle.resource_manager.min_allocation_memory", "1m", config::Origin::derived, "")
            .has_value());
  }
  [[nodiscard]] config::Settings application(const std::string& executor, const std::string& master) const {
    auto settings = cluster.settings;
    for (const auto& [key, value] :
         {std::pair{"heddle.executor.memory", executor}, std::pair{"heddle.master.memory", master},
          std::pair{"heddle.executor.memory_overhead_factor", std::string{"0"}}})
      BOOST_REQUIRE(settings.set(key, value, config::Origin::command_line, "").has_value());
    return settings;
  }
  [[nodiscard]] std::int64_t memory(const std::vector<config::Settings>& applications) const {
    return shared_cluster_hosts(cluster, applications).front().resource.memory_mib;
  }
};

BOOST_AUTO_TEST_CASE(a_shared_node_has_memory_for_all_masters_and_the_largest_executor) {
  const Shared shared;
  const auto whole = shared.application("8g", "512m");
  BOOST_TEST(shared.memory({whole}) == 8192 + 512);
  BOOST_TEST(shared.memory({whole, whole, whole}) == 8192 + 3 * 512);
  BOOST_TEST(shared.memory({whole, shared.application("1g", "1g")}) == 8192 + 512 + 1024);
}

BOOST_AUTO_TEST_CASE(a_shared_node_is_unchanged_if_masters_fit_beside_executors) {
  const Shared shared;
  const auto small = shared.application("512m", "512m");
  BOOST_TEST(shared.memory({small, small, small}) == 8192 + 512);
  BOOST_TEST(shared.memory({shared.application("16g", "512m"), small}) == 8192 + 512);
}

}  // namespace
}  // namespace local_cluster_test
}  // namespace heddle::apps

// Goal: the processes of a local cluster get their hosts, sizes and slots. Method: launch specs as values.
#include "apps/session/cluster_processes.hpp"

#include <boost/test/unit_test.hpp>
#include <variant>

namespace heddle::apps {
namespace cluster_processes_test {
namespace {

const config::TopologyHost host{"a", "/r1", {2048, 3}, 0.5};

BOOST_AUTO_TEST_CASE(a_node_manager_gets_the_resources_of_its_host) {
  const auto processes = yarn_processes(1000, 2);
  const auto master = processes.master({"/ready"});
  BOOST_TEST((std::get<ResourceManagerLaunch>(master) == ResourceManagerLaunch{1000, 2, "/ready"}));
  const auto node = processes.node(host, "/files", "rm:1");
  BOOST_TEST((std::get<NodeManagerLaunch>(node) == NodeManagerLaunch{"rm:1", "a", "/r1", {2048, 3}, 200, "/files"}));
}

BOOST_AUTO_TEST_CASE(a_task_tracker_has_a_slot_per_core_unless_the_settings_name_a_number) {
  config::Settings settings;
  const auto by_cores = classic_processes(1000, settings, "owner");
  const auto master = by_cores.master({"/ready", "/jobs", "127.0.0.1:7", 2});
  BOOST_TEST(
      (std::get<JobTrackerLaunch>(master) == JobTrackerLaunch{1000, "/ready", "/jobs", "owner", "127.0.0.1:7", 2}));
  BOOST_TEST(by_cores.restarts_master);
  const auto node = by_cores.node(host, "/files", "jt:1");
  BOOST_TEST(
      (std::get<TaskTrackerLaunch>(node) == TaskTrackerLaunch{"jt:1", "a", "/r1", 3, 3, 200, "/files", "owner"}));
  BOOST_REQUIRE(
      settings.set("mapred.tasktracker.map.tasks.maximum", "5", config::Origin::command_line, "").has_value());
  const auto named = classic_processes(1000, settings, "owner").node(host, "/files", "jt:1");
  BOOST_TEST(std::get<TaskTrackerLaunch>(named).map_slots == 5);
  BOOST_TEST(std::get<TaskTrackerLaunch>(named).reduce_slots == 3);
  auto own = host;
  own.map_slots = 0;
  BOOST_TEST(slots_of(own, settings).maps == 0);
  BOOST_TEST(slots_of(own, settings).reduces == 3);
  BOOST_TEST(!settings.set("mapred.tasktracker.map.tasks.maximum", "0", config::Origin::command_line, "").has_value());
}

}  // namespace
}  // namespace cluster_processes_test
}  // namespace heddle::apps

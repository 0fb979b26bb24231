// Goal: the processes of a local cluster get their hosts, sizes and slots. Method: launch specs as values.
#include "apps/session/cluster_processes.hpp"

#include <boost/test/unit_test.hpp>
#include <variant>

#include "apps/session/topology_hosts.hpp"

namespace heddle::apps {
namespace cluster_processes_test {
namespace {

const config::TopologyHost host{"a", "/r1", {2048, 3}, 0.5, true, true};

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

BOOST_AUTO_TEST_CASE(a_task_tracker_of_a_topology_without_cores_has_two_slots_of_each_kind) {
  const auto file = config::parse_topology_file("t.toml",
                                                "[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\ncores = 1\n"
                                                "[[host]]\nname = \"c\"\nmap_slots = 3\n");
  BOOST_TEST_REQUIRE(file.has_value());
  config::Settings settings;
  BOOST_TEST(slots_of(file->hosts[0], settings).maps == 2);
  BOOST_TEST(slots_of(file->hosts[0], settings).reduces == 2);
  BOOST_TEST(slots_of(file->hosts[1], settings).maps == 1);
  BOOST_TEST(slots_of(file->hosts[1], settings).reduces == 1);
  BOOST_TEST(slots_of(file->hosts[2], settings).maps == 3);
  BOOST_TEST(slots_of(file->hosts[2], settings).reduces == 2);
  BOOST_REQUIRE(settings.set("mapred.tasktracker.reduce.tasks.maximum", "4", config::Origin::job_file, "").has_value());
  BOOST_TEST(slots_of(file->hosts[0], settings).reduces == 4);
  BOOST_TEST(slots_of(file->hosts[1], settings).reduces == 4);
}

BOOST_AUTO_TEST_CASE(a_task_tracker_of_a_local_cluster_has_a_slot_per_core) {
  SessionOptions options;
  options.master.nodes = 1;
  options.master.cores = 5;
  const auto hosts = cluster_hosts(options);
  BOOST_TEST_REQUIRE(hosts.size() == 1U);
  BOOST_TEST(slots_of(hosts[0], options.settings).maps == 5);
  BOOST_TEST(slots_of(hosts[0], options.settings).reduces == 5);
}

}  // namespace
}  // namespace cluster_processes_test
}  // namespace heddle::apps

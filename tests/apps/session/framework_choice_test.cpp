// Goal: the framework comes from its option or its setting, selects the default master, and is refused where it does
// not run. Method: requests of sessions; nothing is started.
#include "apps/session/framework_choice.hpp"

#include <boost/test/unit_test.hpp>

#include "apps/session/session_request.hpp"
#include "tests/support/scratch_folder.hpp"

namespace heddle::apps {
namespace framework_choice_test {
namespace {

SessionRequest map_reduce() {
  SessionRequest request;
  request.name = "words";
  request.is_map_reduce = true;
  return request;
}

SessionRequest classic() {
  auto request = map_reduce();
  request.framework = config::Framework::classic;
  return request;
}

BOOST_AUTO_TEST_CASE(classic_runs_on_a_local_cluster_without_a_master) {
  const auto prepared = prepare_session(classic());
  BOOST_TEST_REQUIRE(prepared.has_value());
  BOOST_TEST((prepared->options.framework == config::Framework::classic));
  BOOST_TEST((prepared->options.master.kind == config::MasterKind::local_cluster));
  BOOST_TEST(prepared->options.master.nodes == 2);
  BOOST_TEST(prepared->options.master.cores == 1);
  BOOST_TEST(prepared->options.settings.application().executor_memory_mib == 1024);
}

BOOST_AUTO_TEST_CASE(the_setting_of_roles_names_the_framework_that_an_option_or_the_topology_names) {
  const auto setting = [](const SessionRequest& request) {
    return prepare_session(request)->options.settings.map_reduce().framework;
  };
  BOOST_TEST(setting(classic()) == "classic");
  const work::ScratchFolder folder;
  SessionRequest by_topology;
  by_topology.topology = folder.write("t.toml", "framework = \"yarn\"\n[[host]]\nname = \"a\"\n");
  BOOST_TEST(setting(by_topology) == "yarn");
}

BOOST_AUTO_TEST_CASE(the_setting_is_the_default_of_the_option) {
  auto request = map_reduce();
  request.assignments = {"mapreduce.framework.name=classic"};
  const auto by_setting = prepare_session(request);
  BOOST_TEST_REQUIRE(by_setting.has_value());
  BOOST_TEST((by_setting->options.framework == config::Framework::classic));
  BOOST_TEST((by_setting->options.master == default_cluster()));
  BOOST_TEST(by_setting->options.settings.application().executor_memory_mib == 1024);
  request.framework = config::Framework::driver;
  const auto by_option = prepare_session(request);
  BOOST_TEST_REQUIRE(by_option.has_value());
  BOOST_TEST((by_option->options.framework == config::Framework::driver));
  BOOST_TEST((by_option->options.master.kind == config::MasterKind::local));
}

BOOST_AUTO_TEST_CASE(the_driver_uses_the_attempts_of_maps_or_reduces_for_all_tasks) {
  const auto failures = [](const std::vector<std::string>& assignments) {
    auto request = map_reduce();
    request.assignments = assignments;
    const auto prepared = prepare_session(request);
    BOOST_TEST_REQUIRE(prepared.has_value());
    return prepared->options.settings.task_scheduler().failures_max;
  };
  BOOST_TEST(failures({"mapreduce.map.maxattempts=2"}) == 2);
  BOOST_TEST(failures({"mapred.map.max.attempts=2", "mapreduce.reduce.maxattempts=3"}) == 3);
  BOOST_TEST(failures({"mapreduce.map.maxattempts=2", "heddle.task.max_failures=5"}) == 5);
  auto request = classic();
  request.assignments = {"mapreduce.map.maxattempts=2"};
  const auto section = prepare_session(request)->options.settings.map_reduce();
  BOOST_TEST(section.map_attempts_max == 2);
  BOOST_TEST(section.reduce_attempts_max == 4);
}

BOOST_AUTO_TEST_CASE(other_verbs_ignore_the_setting) {
  SessionRequest request;
  request.assignments = {"mapreduce.framework.name=classic"};
  const auto prepared = prepare_session(request);
  BOOST_TEST_REQUIRE(prepared.has_value());
  BOOST_TEST((prepared->options.framework == config::Framework::driver));
}

BOOST_AUTO_TEST_CASE(a_master_a_deploy_mode_and_a_queue_that_classic_lacks_are_refused) {
  auto local = classic();
  local.master = *config::parse_master("local[2]", 2);
  BOOST_TEST(prepare_session(local).error().text ==
             "--framework classic needs a local cluster: use --master local-cluster[n,c,m], or no --master");
  auto cluster_mode = classic();
  cluster_mode.is_cluster_deploy = true;
  BOOST_TEST(prepare_session(cluster_mode).error().text ==
             "--framework classic has no Driver: omit --deploy-mode cluster");
  auto queue = classic();
  queue.assignments = {"heddle.application.queue=night"};
  BOOST_TEST(prepare_session(queue).error().text ==
             "queue \"night\": --framework classic has the queue default only; omit the queue");
}

BOOST_AUTO_TEST_CASE(hadoop_is_refused_with_the_master_that_works_whichever_source_names_the_framework) {
  auto by_setting = map_reduce();
  by_setting.master = *config::parse_master("yarn", 2);
  by_setting.assignments = {"mapreduce.framework.name=classic"};
  BOOST_TEST(
      prepare_session(by_setting).error().text ==
      "--framework classic does not run on Hadoop: use --master local-cluster[n,c,m], or --framework driver with "
      "--master yarn");
  const work::ScratchFolder folder;
  for (const std::string framework : {"driver", "classic", "yarn"}) {
    SessionRequest by_topology;
    by_topology.master = by_setting.master;
    by_topology.topology = folder.write("t.toml", "framework = \"" + framework + "\"\n[[host]]\nname = \"a\"\n");
    BOOST_TEST(prepare_session(by_topology).error().text ==
               "--topology describes a local cluster: use --master local-cluster[n,c,m], or no --master; omit "
               "--topology with --master yarn");
  }
}

BOOST_AUTO_TEST_CASE(the_topology_selects_the_framework_unless_the_command_line_does) {
  const work::ScratchFolder folder;
  const auto path = folder.write("t.toml", "framework = \"classic\"\n[[host]]\nname = \"a\"\n");
  SessionRequest request;
  request.topology = path;
  BOOST_TEST((prepare_session(request)->options.framework == config::Framework::classic));
  auto by_setting = map_reduce();
  by_setting.topology = path;
  BOOST_TEST((prepare_session(by_setting)->options.framework == config::Framework::classic));
  by_setting.assignments = {"mapreduce.framework.name=yarn"};
  BOOST_TEST((prepare_session(by_setting)->options.framework == config::Framework::yarn));
  by_setting.framework = config::Framework::driver;
  BOOST_TEST((prepare_session(by_setting)->options.framework == config::Framework::driver));
}

SessionOptions cluster_of(const SessionRequest& request) {
  auto prepared = prepare_session(request);
  BOOST_TEST_REQUIRE(prepared.has_value());
  return prepared->options;
}

JobGraph map_and_reduce() {
  JobGraph graph;
  graph.name = "words";
  graph.stages.resize(2);
  graph.stages[1].parents = {0};
  graph.stages[1].shuffle = ShuffleDescription{};
  return graph;
}

BOOST_AUTO_TEST_CASE(a_job_without_a_slot_for_its_tasks_is_refused) {
  auto options = cluster_of(classic());
  options.topology.hosts = {{"a", "/r1", {1024, 2}, 1.0}, {"b", "/r1", {1024, 2}, 1.0}};
  BOOST_TEST(check_job(map_and_reduce(), options).has_value());
  for (auto& host : options.topology.hosts) host.reduce_slots = 0;
  BOOST_TEST(check_job(map_and_reduce(), options).error().text ==
             "job 'words' has reduces, but no TaskTracker has a reduce slot; set reduce_slots of a host");
  auto map_only = map_and_reduce();
  map_only.stages.pop_back();
  BOOST_TEST(check_job(map_only, options).has_value());
  for (auto& host : options.topology.hosts) host.map_slots = 0;
  BOOST_TEST((check_job(map_only, options).error().code == Errc::refused));
}

BOOST_AUTO_TEST_CASE(a_job_with_more_than_maps_and_reduces_is_refused_before_it_is_submitted) {
  auto graph = map_and_reduce();
  graph.stages.push_back(graph.stages[1]);
  graph.stages[2].parents = {1};
  for (const auto framework : {config::Framework::classic, config::Framework::yarn}) {
    auto request = map_reduce();
    request.framework = framework;
    const auto refused = check_job(graph, cluster_of(request));
    BOOST_TEST_REQUIRE(!refused.has_value());
    BOOST_TEST((refused.error().code == Errc::refused));
    BOOST_TEST(refused.error().text == "job 'words' cannot run with --framework " +
                                           std::string{config::to_string(framework)} +
                                           ": it has more than one shuffle; use --framework driver");
  }
  auto request = map_reduce();
  request.framework = config::Framework::driver;
  BOOST_TEST(check_job(graph, cluster_of(request)).has_value());
}

BOOST_AUTO_TEST_CASE(a_container_that_no_node_can_hold_is_refused) {
  auto request = map_reduce();
  request.framework = config::Framework::yarn;
  request.master = *config::parse_master("local-cluster[1,1,512]", 1);
  const auto options = cluster_of(request);
  auto graph = map_and_reduce();
  BOOST_TEST(check_job(graph, options).has_value());
  graph.stages[1].memory_mib = 1024;
  BOOST_TEST(check_job(graph, options).error().text ==
             "a reduce needs a container of 1024 MiB and 1 cores, but no node is that large: the largest have 512 MiB "
             "and 1 cores");
  request.assignments = {"mapreduce.map.memory.mb=9000"};
  BOOST_TEST(check_job(graph, cluster_of(request)).error().text.find("but a container has at most 8192 MiB") !=
             std::string::npos);
}

}  // namespace
}  // namespace framework_choice_test
}  // namespace heddle::apps

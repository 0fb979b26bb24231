// Goal: requests and responses keep their meaning. Method: one record of each kind.
#include "interop/yarn/yarn_records.hpp"

#include <boost/test/unit_test.hpp>

#include "interop/yarn/yarn_ids.hpp"

namespace heddle::interop {
namespace yarn_records_test {
namespace {

const AttemptId attempt{{1700000000000, 7}, 1};

void set_node(proto::NodeId& node, const char* host) {
  node.set_host(host);
  node.set_port(8041);
}

BOOST_AUTO_TEST_CASE(resources_keep_types_beside_memory_and_cores) {
  const Resource asked{1408, 2, {{"yarn.io/gpu", 1}}};
  BOOST_TEST((resource_of(to_proto(asked)) == asked));
  auto of_hadoop = to_proto(asked);  // Hadoop 3 names memory and cores twice
  for (const auto* name : {"memory-mb", "vcores"}) {
    auto* again = of_hadoop.add_resources();
    again->set_key(name);
    again->set_value(5);
  }
  BOOST_TEST((resource_of(of_hadoop) == asked));
}

BOOST_AUTO_TEST_CASE(an_application_is_submitted_with_its_master) {
  SubmitApplication submission{"words", "etl", "u", {512, 1}, 0, {}, "", 3};
  const auto request = submission_request(submission, {attempt.application, "HEDDLE", {"a", "b"}}, {});
  const auto& context = request.context();
  BOOST_TEST((application_of(context.application_id()) == attempt.application));
  BOOST_TEST(context.application_name() == "words");
  BOOST_TEST(context.queue() == "etl");
  BOOST_TEST(context.priority().priority() == 3);
  BOOST_TEST(!context.has_attempts_max());  // the limit of the cluster
  BOOST_TEST((resource_of(context.resource()) == Resource{512, 1}));
  BOOST_TEST(context.tags_size() == 2);
  BOOST_TEST(context.has_master_container());
  BOOST_TEST(!context.unmanaged_master());
  BOOST_TEST(
      submission_request(submission, {attempt.application, "HEDDLE", {}, true}, {}).context().unmanaged_master());
  submission.attempts_max = 1;
  BOOST_TEST(submission_request(submission, {}, {}).context().attempts_max() == 1);
}

BOOST_AUTO_TEST_CASE(an_end_has_the_words_of_the_report) {
  proto::ApplicationReport report;
  *report.mutable_application_id() = to_proto(attempt.application);
  report.set_state(proto::APPLICATION_FINISHED);
  report.set_final_status(proto::FINAL_SUCCEEDED);
  BOOST_TEST(ended_application(report).succeeded);
  BOOST_TEST((ended_application(report).application == attempt.application));
  report.set_final_status(proto::FINAL_FAILED);
  report.set_diagnostics("the disk is full\n");
  BOOST_TEST(!ended_application(report).succeeded);
  BOOST_TEST(ended_application(report).text == "the disk is full");
  report.set_state(proto::APPLICATION_KILLED);
  report.clear_diagnostics();
  BOOST_TEST(ended_application(report).text == "the application was killed");
}

/// What the NodeManager of Hadoop says about a container whose loader wrote `errors`.
std::string launch_failure(const std::string& errors) {
  return "[2026-01-02 03:04:05.006]Exception from container-launch.\nContainer id: container_1_0007_01_000002\nExit "
         "code: 1\n\nContainer exited with a non-zero exit code 1. Error file: prelaunch.err.\nLast 4096 bytes of "
         "prelaunch.err :\nLast 4096 bytes of stderr :\n" +
         errors + "\n\n";
}

std::string not_found(const std::string& version) {
  return "./heddle: /lib/x86_64-linux-gnu/libc.so.6: version `" + version + "' not found (required by ./heddle)\n";
}

BOOST_AUTO_TEST_CASE(a_node_with_an_old_glibc_is_named_with_the_version_that_is_needed) {
  const auto failure = launch_failure(not_found("GLIBC_2.4") + not_found("GLIBC_2.36") + not_found("GLIBC_2.34") +
                                      not_found("GLIBC_ABI_DT_RELR"));
  const std::string sentence = "the glibc of the node is too old: this build of heddle needs glibc 2.36; ";
  NodeNumbers nodes;
  proto::AllocateResponse response;
  response.add_completed()->set_diagnostics(failure);
  const auto of_executor = allocate_response(response, nodes).completed.at(0).end.diagnostics;
  BOOST_TEST(of_executor.starts_with(sentence), of_executor);
  BOOST_TEST(of_executor.ends_with("not found (required by ./heddle)"), of_executor);  // the reason stays
  proto::ApplicationReport report;
  report.set_state(proto::APPLICATION_FAILED);
  report.set_diagnostics("Application application_1_0007 failed 2 times.Diagnostics: " + failure);
  BOOST_TEST(ended_application(report).text.starts_with(sentence), ended_application(report).text);
}

BOOST_AUTO_TEST_CASE(other_failures_of_a_launch_keep_their_text) {
  for (const auto& errors :
       {std::string{"./heddle: error while loading shared libraries: libz.so.1: cannot open shared object file"},
        std::string{"./heddle: libstdc++.so.6: version `GLIBCXX_3.4.30' not found"}, std::string{"version `GLIBC_"},
        std::string{"version `GLIBC_2.36"}, std::string{"version `GLIBC_2.36' found"}, std::string{}}) {
    const auto failure = "Last 4096 bytes of stderr :\n" + errors;
    BOOST_TEST(explained_diagnostics(failure + "\n").find("glibc of the node") == std::string::npos, errors);
    BOOST_TEST(explained_diagnostics(failure + "\n").starts_with("Last 4096 bytes"), errors);
  }
  BOOST_TEST(explained_diagnostics(launch_failure(not_found("GLIBC_ABI_DT_RELR"))).find("glibc ABI_DT_RELR") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(states_before_acceptance_are_not_accepted) {
  for (const auto early : {proto::APPLICATION_NEW, proto::APPLICATION_NEW_SAVING, proto::APPLICATION_SUBMITTED}) {
    BOOST_TEST(!is_accepted(early));
    BOOST_TEST(!is_final(early));
  }
  BOOST_TEST(is_accepted(proto::APPLICATION_ACCEPTED));
  BOOST_TEST(!is_accepted(proto::APPLICATION_FAILED));  // a refused application goes there
  BOOST_TEST(is_final(proto::APPLICATION_KILLED));
}

BOOST_AUTO_TEST_CASE(a_registered_master_learns_the_limits) {
  proto::RegisterApplicationMasterResponse response;
  *response.mutable_capability_max() = to_proto(Resource{4096, 4});
  response.add_resource_types(proto::SCHEDULED_MEMORY);
  response.add_resource_types(proto::SCHEDULED_CPU);
  const auto registered = registered_master(response, "token");
  BOOST_TEST((registered.maximum == Resource{4096, 4}));
  BOOST_TEST(registered.token == "token");
  BOOST_TEST((registered.counted == ResourceKinds{ResourceKind::memory, ResourceKind::cores}));
  BOOST_TEST(registered.limits_others);
}

BOOST_AUTO_TEST_CASE(a_request_has_asks_releases_and_exclusions) {
  AllocateRequest request{attempt, 7, {{0, "*", {1408, 1}, 2, true}}, {ContainerId{3}}, {"bad"}, {"good"}, 0.5F};
  const auto made = to_proto(request);
  BOOST_TEST(made.response_id() == 7);
  BOOST_TEST(made.ask_size() == 1);
  BOOST_TEST(made.ask(0).resource_name() == "*");
  BOOST_TEST(made.ask(0).containers() == 2);
  BOOST_TEST(made.ask(0).relax_locality());
  BOOST_TEST(made.release(0).id() == 3);
  BOOST_TEST((attempt_of(made.release(0).attempt_id()) == attempt));
  BOOST_TEST(made.blacklist().additions(0) == "bad");
  BOOST_TEST(made.blacklist().removals(0) == "good");
  BOOST_TEST(made.progress() == 0.5F);
  BOOST_TEST(!to_proto(AllocateRequest{attempt, 0, {}, {}, {}, {}, 0}).has_blacklist());
}

BOOST_AUTO_TEST_CASE(a_response_has_grants_ends_and_lost_nodes) {
  proto::AllocateResponse response;
  response.set_response_id(8);
  response.set_nodes(3);
  auto* granted = response.add_allocated();
  *granted->mutable_id() = to_proto(ContainerId{2}, attempt);
  set_node(*granted->mutable_node_id(), "h1");
  *granted->mutable_resource() = to_proto(Resource{1536, 1});
  granted->mutable_priority()->set_priority(4);
  auto* ended = response.add_completed();
  *ended->mutable_container_id() = to_proto(ContainerId{9}, attempt);
  ended->set_exit_status(-102);
  ended->set_diagnostics("preempted");
  for (const auto state : {proto::NS_UNHEALTHY, proto::NS_DECOMMISSIONING, proto::NS_RUNNING}) {
    auto* node = response.add_updated_nodes();
    set_node(*node->mutable_node_id(), "h2");
    node->set_state(state);
  }
  NodeNumbers nodes;
  const auto made = allocate_response(response, nodes);
  BOOST_TEST((made.registration == AttemptRegistration::registered));
  BOOST_TEST(made.response_id == 8);
  BOOST_TEST(made.cluster_nodes == 3);
  BOOST_TEST((made.allocated.at(0).container == ContainerId{2}));
  BOOST_TEST(made.allocated.at(0).host == "h1");
  BOOST_TEST(made.allocated.at(0).node_address == "yarn-node:h1:8041");
  BOOST_TEST(made.allocated.at(0).priority == 4);
  BOOST_TEST((made.allocated.at(0).node == NodeId{0}));
  BOOST_TEST((made.completed.at(0).container == ContainerId{9}));
  BOOST_TEST(made.completed.at(0).end.exit_status == container_exit_status::preempted);
  BOOST_TEST(made.completed.at(0).end.diagnostics == "preempted");
  BOOST_TEST((made.updated_nodes.at(0) == NodeUpdate{NodeId{1}, "h2", NodeCondition::lost}));
  BOOST_TEST((made.updated_nodes.at(1).condition == NodeCondition::decommissioning));
  BOOST_TEST((made.updated_nodes.at(2).condition == NodeCondition::running));
}

BOOST_AUTO_TEST_CASE(commands_of_hadoop_2_end_the_registration) {
  NodeNumbers nodes;
  proto::AllocateResponse response;
  BOOST_TEST((allocate_response(response, nodes).registration == AttemptRegistration::registered));
  response.set_command(proto::MASTER_RESYNC);
  BOOST_TEST((allocate_response(response, nodes).registration == AttemptRegistration::not_registered));
  response.set_command(proto::MASTER_SHUTDOWN);
  BOOST_TEST((allocate_response(response, nodes).registration == AttemptRegistration::unknown_attempt));
}

BOOST_AUTO_TEST_CASE(a_node_keeps_its_number) {
  NodeNumbers nodes;
  BOOST_TEST((nodes.number("a:1") == NodeId{0}));
  BOOST_TEST((nodes.number("b:1") == NodeId{1}));
  BOOST_TEST((nodes.number("a:1") == NodeId{0}));
}

BOOST_AUTO_TEST_CASE(hosts_have_the_racks_of_their_nodes) {
  proto::GetClusterNodesResponse response;
  for (const auto* host : {"h1", "h2"}) {
    auto* node = response.add_nodes();
    set_node(*node->mutable_node_id(), host);
    if (host[1] == '1') node->set_rack("/rack1");
  }
  BOOST_TEST((racks_of(response) == std::map<std::string, std::string>{{"h1", "/rack1"}}));
}

}  // namespace
}  // namespace yarn_records_test
}  // namespace heddle::interop

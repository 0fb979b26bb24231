// Goal: a session refuses what the Hadoop cluster cannot run, before and after the submission. Method: a fake
// ResourceManager; no container is started.
#include "apps/session/yarn_session.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdlib>

#include "apps/session/session_request.hpp"
#include "interop/hadoop/proto/yarn_protocols.pb.h"
#include "interop/yarn/yarn_ids.hpp"
#include "interop/yarn/yarn_records.hpp"
#include "tests/support/fake_rpc_server.hpp"
#include "tests/support/scratch_folder.hpp"

namespace heddle::apps {
namespace yarn_session_test {
namespace {

using tests::answer_of;

const ApplicationId application{1700000000000, 7};

/// A cluster with one node of 8 GiB and containers of up to 4 GiB; it refuses applications to the queue "nosuch".
tests::FakeAnswer answer(const tests::FakeCall& call) {
  if (call.method == "getNewApplication") {
    interop::proto::GetNewApplicationResponse response;
    *response.mutable_application_id() = interop::to_proto(application);
    *response.mutable_capability_max() = interop::to_proto(Resource{4096, 4});
    return answer_of(response);
  }
  if (call.method == "getClusterNodes") {
    interop::proto::GetClusterNodesResponse response;
    auto& node = *response.add_nodes();
    node.mutable_node_id()->set_host("h1");
    node.set_rack("/r1");
    *node.mutable_capability() = interop::to_proto(Resource{8192, 2});
    return answer_of(response);
  }
  interop::proto::SubmitApplicationRequest request;
  if (call.method == "submitApplication" && request.ParseFromString(call.request) &&
      request.context().queue() == "nosuch")
    return tests::exception_of("org.apache.hadoop.yarn.exceptions.YarnException", "unknown queue: root.nosuch");
  return tests::exception_of("java.io.IOException", "unexpected call of " + call.method);
}

struct World {
  work::ScratchFolder folder;
  tests::FakeRpcServer server{answer};

  World() { configure(server.address()); }
  ~World() { ::unsetenv("HADOOP_CONF_DIR"); }
  void configure(const std::string& address) const {
    folder.write("yarn-site.xml",
                 "<configuration><property><name>yarn.resourcemanager.address</name><value>" + address +
                     "</value></property><property><name>yarn.resourcemanager.scheduler.address</name><value>" +
                     address + "</value></property></configuration>");
    ::setenv("HADOOP_CONF_DIR", folder.path().c_str(), 1);
  }
  [[nodiscard]] Result<std::unique_ptr<Session>> open(std::vector<std::string> assignments) const {
    SessionRequest request;
    request.name = "words";
    request.master = *config::parse_master("yarn", 2);
    request.assignments = std::move(assignments);
    for (const auto* each : {"heddle.yarn.staging_dir=local", "heddle.yarn.connect_wait=100ms"})
      request.assignments.emplace_back(each);
    request.assignments.push_back("heddle.event_log.dir=" + folder.path());
    const auto prepared = prepare_session(request);
    if (!prepared) return prepared.error();
    return Session::open(prepared->options);
  }
  [[nodiscard]] std::string refusal(std::vector<std::string> assignments) const {
    const auto session = open(std::move(assignments));
    return session ? std::string{} : session.error().text;
  }
};

BOOST_AUTO_TEST_CASE(containers_beyond_the_maximum_are_refused_with_the_calculation) {
  const World world;
  BOOST_TEST(world.refusal({"heddle.executor.memory=5g"}) ==
             "an executor needs 5120 MiB + 512 MiB overhead = 5632 MiB and 1 cores, but the ResourceManager grants at "
             "most 4096 MiB and 4 cores (yarn.scheduler.maximum-allocation-mb and -vcores)");
  BOOST_TEST(world.refusal({"heddle.master.memory=5g"}).find("the master container needs 5120 MiB") == 0U);
  BOOST_TEST(world.refusal({"heddle.executor.cores=3"}).find("no node is that large: the largest have 8192 MiB") !=
             std::string::npos);
  for (const auto& call : world.server.calls()) BOOST_TEST(call.method != "submitApplication");
}

BOOST_AUTO_TEST_CASE(a_refused_application_ends_its_jobs_with_the_words_of_the_resource_manager) {
  const World world;
  const auto session = world.open({"heddle.application.queue=nosuch"});
  BOOST_REQUIRE_MESSAGE(session.has_value(), (session ? "" : session.error().text));
  BOOST_TEST((*session)->application() == "application_1700000000000_0007");
  JobGraph graph;
  graph.name = "words";
  StageDescription stage;
  stage.name = "one";
  stage.partitions = 1;
  graph.stages.push_back(stage);
  const auto finished = (*session)->run(graph, {});
  const auto text = finished ? finished->text : finished.error().text;
  BOOST_TEST(text.find("unknown queue: root.nosuch") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(a_cluster_that_cannot_be_found_is_named) {
  const World world;
  world.configure("127.0.0.1:1");
  BOOST_TEST(world.refusal({}).find("127.0.0.1:1") != std::string::npos);
  ::unsetenv("HADOOP_CONF_DIR");
  ::unsetenv("YARN_CONF_DIR");
  BOOST_TEST(world.refusal({}).find("set HADOOP_CONF_DIR to the folder") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_hadoop_does_not_run_is_refused_by_name) {
  SessionRequest request;
  request.master = *config::parse_master("yarn", 2);
  request.framework = config::Framework::classic;
  request.is_map_reduce = true;
  BOOST_TEST(prepare_session(request).error().text.find("--framework classic does not run on Hadoop") == 0U);
  request.framework = config::Framework::driver;
  request.topology = "/nonexistent";
  BOOST_TEST(!prepare_session(request).has_value());
}

}  // namespace
}  // namespace yarn_session_test
}  // namespace heddle::apps

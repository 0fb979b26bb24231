// Goal: a session refuses what the Hadoop cluster cannot run, before and after the submission, and the nodes get the
// files of the client's host. Method: a fake ResourceManager; no container is started.
#include "apps/session/yarn_session.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "apps/roles/file_systems_of.hpp"
#include "apps/session/session_request.hpp"
#include "config/files/settings_text.hpp"
#include "interop/hadoop/proto/hdfs.pb.h"
#include "interop/hadoop/proto/yarn_protocols.pb.h"
#include "interop/hadoop/token_file.hpp"
#include "interop/yarn/launch_context.hpp"
#include "interop/yarn/yarn_ids.hpp"
#include "interop/yarn/yarn_records.hpp"
#include "tests/support/fake_rpc_server.hpp"
#include "tests/support/scratch_folder.hpp"

namespace heddle::apps {
namespace yarn_session_test {
namespace {

using tests::answer_of;

const ApplicationId application{1700000000000, 7};

/// Applications are in this state from their submission on.
std::atomic<interop::proto::ApplicationState> state{interop::proto::APPLICATION_RUNNING};

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
  if (call.method == "submitApplication" && request.ParseFromString(call.request))
    return request.context().queue() == "nosuch"
               ? tests::exception_of("org.apache.hadoop.yarn.exceptions.YarnException", "unknown queue: root.nosuch")
               : answer_of(interop::proto::Empty{});
  if (call.method == "getServerDefaults") {
    interop::proto::GetServerDefaultsResponse response;
    auto& defaults = *response.mutable_defaults();
    defaults.set_block_size(128U << 20U);
    defaults.set_bytes_per_checksum(512);
    defaults.set_write_packet_size(64U << 10U);
    defaults.set_replication(3);
    defaults.set_file_buffer_size(4096);
    return answer_of(response);
  }
  if (call.method == "getApplicationReport") {
    interop::proto::GetApplicationReportRequest asked;
    static_cast<void>(asked.ParseFromString(call.request));
    interop::proto::GetApplicationReportResponse response;
    auto& report = *response.mutable_report();
    *report.mutable_application_id() = asked.application_id();
    report.set_state(asked.application_id().id() == application.number ? state.load()
                                                                       : interop::proto::APPLICATION_FINISHED);
    report.set_queue("root.default");
    return answer_of(response);
  }
  return tests::exception_of("java.io.IOException", "unexpected call of " + call.method);
}

struct World {
  work::ScratchFolder folder;
  std::filesystem::path before = std::filesystem::current_path();
  tests::FakeRpcServer server{answer};

  World() {
    std::filesystem::current_path(folder.path());
    state = interop::proto::APPLICATION_RUNNING;
    configure(server.address());
  }
  ~World() {
    ::unsetenv("HADOOP_CONF_DIR");
    std::filesystem::current_path(before);
  }
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
  [[nodiscard]] LaunchSpec launched() const {
    for (const auto& call : server.calls()) {
      interop::proto::SubmitApplicationRequest request;
      if (call.method != "submitApplication" || !request.ParseFromString(call.request)) continue;
      const auto tokens = interop::parse_token_file("tokens", request.context().master_container().tokens());
      return *read_launch_spec(*tokens->secret(interop::launch_secret));
    }
    BOOST_FAIL("no application was submitted");
    return {};
  }
  [[nodiscard]] std::string staging(const std::string& name) const {
    return folder.path() + "/.heddle/applications/" + name;
  }
};

JobGraph graph_with_files(std::vector<std::string> files) {
  JobGraph graph;
  graph.name = "words";
  auto& stage = graph.stages.emplace_back();
  stage.name = "one";
  stage.partitions = 1;
  CommandBody command;
  command.arguments = {"true"};
  command.files = std::move(files);
  stage.bodies.emplace_back(std::move(command));
  return graph;
}

std::string content_of(const std::string& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

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

BOOST_AUTO_TEST_CASE(nodes_get_the_files_of_a_job_from_the_staging_folder_until_the_session_ends) {
  const World world;
  const auto ended = world.staging("application_1700000000000_0001");  // of a client that was killed
  std::filesystem::create_directories(ended);
  const auto script = world.folder.write("map", "#!/bin/sh\n");
  std::filesystem::create_directories(world.folder.path() + "/other");
  std::ofstream{world.folder.path() + "/other/map"} << "other";
  auto session = world.open({});
  BOOST_REQUIRE_MESSAGE(session.has_value(), (session ? "" : session.error().text));
  const auto folder = world.staging("application_1700000000000_0007");
  bool is_there = false;
  JobCallbacks callbacks;
  callbacks.is_cancelled = [&] {
    is_there = content_of(folder + "/files/1/map") == "#!/bin/sh\n";
    return true;
  };
  static_cast<void>((*session)->run(graph_with_files({script}), callbacks));
  BOOST_TEST(std::exchange(is_there, false));
  BOOST_TEST(!std::filesystem::exists(ended));
  callbacks.is_cancelled = [&] {
    is_there = content_of(folder + "/files/2/map") == "other";
    return true;
  };
  static_cast<void>((*session)->run_all({graph_with_files({"other/map"}), graph_with_files({script})}, callbacks));
  BOOST_TEST(is_there);
  BOOST_TEST(!std::filesystem::exists(folder + "/files/3"));
  BOOST_TEST(std::get<ApplicationMasterLaunch>(world.launched().role).staging_folder == folder);
  state = interop::proto::APPLICATION_FINISHED;
  session->reset();
  BOOST_TEST(!std::filesystem::exists(world.folder.path() + "/.heddle/applications"));
}

BOOST_AUTO_TEST_CASE(containers_use_hdfs_as_the_configuration_of_the_client_says) {
  const World world;
  world.folder.write("core-site.xml",
                     "<configuration><property><name>fs.permissions.umask-mode</name><value>027</value></property>"
                     "<property><name>fs.s3a.secret.key</name><value>other</value></property></configuration>");
  world.folder.write("hdfs-site.xml",
                     "<configuration><property><name>dfs.ha.namenodes.ns</name><value>\n a,\n b"
                     "</value></property><property><name>dfs.namenode.rpc-address.ns.a</name><value>" +
                         world.server.address() +
                         "</value></property><property><name>dfs.namenode.rpc-address.ns.b</name>"
                         "<value>${dfs.namenode.rpc-address.ns.a}</value></property><property>"
                         "<name>dfs.blocksize</name><value>1m</value></property><property>"
                         "<name>dfs.replication</name><value>2</value></property></configuration>");
  auto session = world.open({"heddle.hdfs.replication=1"});
  BOOST_REQUIRE_MESSAGE(session.has_value(), (session ? "" : session.error().text));
  state = interop::proto::APPLICATION_FINISHED;
  session->reset();
  ::unsetenv("HADOOP_CONF_DIR");  // as on a node without one
  const auto settings = config::read_settings(world.launched().settings);
  BOOST_REQUIRE(settings.has_value());
  BOOST_TEST(settings->hdfs_client().site.find("other") == std::string::npos);
  auto files = file_systems_of(*settings);
  const auto created = files.create("hdfs://ns/words", {});
  BOOST_TEST(!created.has_value());
  const auto calls = world.server.calls();
  interop::proto::CreateRequest request;
  BOOST_TEST_REQUIRE(calls.back().method == "create");
  BOOST_REQUIRE(request.ParseFromString(calls.back().request));
  BOOST_TEST(request.replication() == 1U);
  BOOST_TEST(request.block_size() == 1U << 20U);
  BOOST_TEST(request.masked().permission() == 0640U);
}

BOOST_AUTO_TEST_CASE(a_job_without_files_of_the_client_writes_no_staging_folder) {
  const World world;
  auto session = world.open({});
  BOOST_REQUIRE_MESSAGE(session.has_value(), (session ? "" : session.error().text));
  JobCallbacks callbacks;
  callbacks.is_cancelled = [] { return true; };
  static_cast<void>((*session)->run(graph_with_files({}), callbacks));
  BOOST_TEST(!std::filesystem::exists(world.folder.path() + "/.heddle"));
  state = interop::proto::APPLICATION_FINISHED;
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

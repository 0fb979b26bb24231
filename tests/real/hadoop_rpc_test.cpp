// Goal: the client speaks to the daemons of an unmodified Hadoop. `tests/real/hadoop start` starts one, and
// eval "$(tests/real/hadoop env)" names it to this program; without it the tests are skipped.
#include <utime.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "interop/hadoop/hadoop_site.hpp"
#include "interop/hadoop/proto/hdfs.pb.h"
#include "interop/hadoop/proto/yarn_protocols.pb.h"
#include "interop/hadoop/rpc_client.hpp"
#include "interop/hadoop/token_file.hpp"
#include "interop/yarn/launch_context.hpp"
#include "interop/yarn/yarn_records.hpp"

namespace heddle::interop {
namespace {

namespace unit_test = boost::unit_test;

boost::test_tools::assertion_result has_hadoop(unit_test::test_unit_id) {
  boost::test_tools::assertion_result answer{std::getenv("HEDDLE_REAL_RM") != nullptr};
  answer.message() << "no real Hadoop: HEDDLE_REAL_RM is not set";
  return answer;
}

HadoopSite site() {
  const auto read = read_hadoop_site(std::getenv("HADOOP_CONF_DIR"), {});
  BOOST_REQUIRE_MESSAGE(read.has_value(), (read ? "" : read.error().text));
  BOOST_TEST(check_security(*read).has_value());
  return *read;
}

RpcTarget resource_manager(ResourceManagerService service) {
  RpcTarget target;
  target.addresses = *resource_manager_addresses(site(), service);
  target.protocol =
      service == ResourceManagerService::client ? application_client_protocol : application_master_protocol;
  target.user = hadoop_user();
  return target;
}

RpcTarget name_node() {
  RpcTarget target;
  const auto uri = default_file_system(site());
  BOOST_REQUIRE(uri.starts_with("hdfs://"));
  target.addresses = *name_node_addresses(site(), uri.substr(7));
  target.protocol = hdfs_client_protocol;
  target.user = hadoop_user();
  return target;
}

constexpr RetryRules no_retries{.give_up_after_ms = 0};

}  // namespace

BOOST_AUTO_TEST_SUITE(real_hadoop_rpc, *unit_test::precondition(has_hadoop))

BOOST_AUTO_TEST_CASE(the_resource_manager_gives_application_ids_and_reports_its_nodes) {
  RpcThread thread;
  RpcClient client{thread, resource_manager(ResourceManagerService::client), no_retries};
  const auto first = client.call_and_wait<proto::GetNewApplicationResponse>("getNewApplication", proto::Empty{});
  BOOST_REQUIRE_MESSAGE(first.has_value(), (first ? "" : describe(first.fault(), "ResourceManager")));
  const auto second = client.call_and_wait<proto::GetNewApplicationResponse>("getNewApplication", proto::Empty{});
  BOOST_REQUIRE(second.has_value());
  BOOST_TEST(second->application_id().id() == first->application_id().id() + 1);
  BOOST_TEST(second->application_id().cluster_timestamp() == first->application_id().cluster_timestamp());
  BOOST_TEST(first->capability_max().memory() > 0);
  BOOST_TEST(first->capability_max().virtual_cores() > 0);

  proto::GetClusterNodesRequest request;
  request.add_states(proto::NS_RUNNING);
  const auto nodes = client.call_and_wait<proto::GetClusterNodesResponse>("getClusterNodes", request);
  BOOST_REQUIRE(nodes.has_value());
  BOOST_TEST(nodes->nodes_size() >= 1);
  for (const auto& node : nodes->nodes()) {
    BOOST_TEST(node.rack().starts_with("/rack"));
    BOOST_TEST(node.node_id().port() > 0);
    BOOST_TEST(node.capability().memory() > 0);
  }
  BOOST_TEST(client.local_host() == "127.0.0.1");
}

BOOST_AUTO_TEST_CASE(an_unknown_application_is_a_remote_exception) {
  RpcThread thread;
  RpcClient client{thread, resource_manager(ResourceManagerService::client)};
  proto::GetApplicationReportRequest request;
  request.mutable_application_id()->set_id(99);
  request.mutable_application_id()->set_cluster_timestamp(1);
  const auto report = client.call_and_wait<proto::GetApplicationReportResponse>("getApplicationReport", request);
  BOOST_REQUIRE(!report.has_value());
  BOOST_TEST(to_string(report.fault().kind) == "remote_exception");
  BOOST_TEST(report.fault().is("ApplicationNotFoundException"));
  BOOST_TEST(report.fault().text.find("\n") == std::string::npos);
  BOOST_TEST(report.fault().text.find("application_1_0099") != std::string::npos, report.fault().text);
}

BOOST_AUTO_TEST_CASE(the_scheduler_port_refuses_users_without_token) {
  RpcThread thread;
  RpcClient client{thread, resource_manager(ResourceManagerService::scheduler)};
  const auto answer =
      client.call_and_wait<proto::RegisterApplicationMasterResponse>("registerApplicationMaster", proto::Empty{});
  BOOST_REQUIRE(!answer.has_value());
  BOOST_TEST(to_string(answer.fault().kind) == "refused");
  BOOST_TEST(answer.fault().is("AccessControlException"));
  BOOST_TEST(answer.fault().text.find("TOKEN") != std::string::npos, answer.fault().text);
}

BOOST_AUTO_TEST_CASE(the_scheduler_port_refuses_an_unknown_token) {
  RpcThread thread;
  auto target = resource_manager(ResourceManagerService::scheduler);
  target.token = CredentialToken{std::string{"\x0a\x08\x0a\x04\x08\x01\x10\x01\x10\x01\x10\x05", 12}, "password",
                                 "YARN_AM_RM_TOKEN", ""};
  RpcClient client{thread, target, no_retries};
  const auto answer =
      client.call_and_wait<proto::RegisterApplicationMasterResponse>("registerApplicationMaster", proto::Empty{});
  BOOST_REQUIRE(!answer.has_value());
  BOOST_TEST(to_string(answer.fault().kind) == "refused", describe(answer.fault(), "ResourceManager"));
}

BOOST_AUTO_TEST_CASE(the_name_node_describes_its_root_folder) {
  RpcThread thread;
  RpcClient client{thread, name_node()};
  proto::GetFileInfoRequest request;
  request.set_source("/");
  const auto info = client.call_and_wait<proto::GetFileInfoResponse>("getFileInfo", request);
  BOOST_REQUIRE_MESSAGE(info.has_value(), (info ? "" : describe(info.fault(), "NameNode")));
  BOOST_TEST((info->status().file_type() == proto::HdfsFileStatus::IS_DIR));
  request.set_source("/no/such/path");
  const auto missing = client.call_and_wait<proto::GetFileInfoResponse>("getFileInfo", request);
  BOOST_REQUIRE(missing.has_value());
  BOOST_TEST(!missing->has_status());
}

BOOST_AUTO_TEST_CASE(a_web_port_is_named_as_such) {
  RpcThread thread;
  auto target = resource_manager(ResourceManagerService::client);
  const std::string web = std::getenv("HEDDLE_REAL_RM_WEB");
  target.addresses = {web.substr(web.find("//") + 2)};
  RpcClient client{thread, target};
  const auto answer =
      client.call_and_wait<proto::GetNewApplicationResponse>("getNewApplication", proto::Empty{}, {.timeout_ms = 5000});
  BOOST_REQUIRE(!answer.has_value());
  BOOST_TEST(to_string(answer.fault().kind) == "protocol", describe(answer.fault(), "ResourceManager"));
  BOOST_TEST(answer.fault().text.find("HTTP") != std::string::npos, answer.fault().text);
}

/// For the replay of a recorded conversation: README.md.
void keep_token(const std::string& end_of_name, const CredentialToken& token) {
  if (const char* path = std::getenv("HEDDLE_REAL_TOKEN_FILE"))
    std::ofstream{path + end_of_name, std::ios::binary} << write_token_file({{{"", token}}, {}});
}

/// Submits an unmanaged application. Returns how its master reaches the scheduler: the token is in the report of the
/// application.
RpcTarget scheduler_of_new_application(RpcThread& thread) {
  RpcClient client{thread, resource_manager(ResourceManagerService::client)};
  const auto made = client.call_and_wait<proto::GetNewApplicationResponse>("getNewApplication", proto::Empty{});
  BOOST_REQUIRE(made.has_value());
  proto::SubmitApplicationRequest submission;
  auto& context = *submission.mutable_context();
  *context.mutable_application_id() = made->application_id();
  context.set_application_name("rpc test");
  context.set_queue("default");
  context.set_unmanaged_master(true);
  context.set_attempts_max(1);
  context.set_application_type("HEDDLE");
  context.mutable_master_container();
  context.mutable_resource()->set_memory(128);
  context.mutable_resource()->set_virtual_cores(1);
  const auto submitted = client.call_and_wait<proto::Empty>("submitApplication", submission);
  BOOST_REQUIRE_MESSAGE(submitted.has_value(), (submitted ? "" : describe(submitted.fault(), "ResourceManager")));

  proto::GetApplicationReportRequest ask;
  *ask.mutable_application_id() = made->application_id();
  proto::Token token;
  for (int i = 0; i < 500 && token.identifier().empty(); ++i) {
    const auto report = client.call_and_wait<proto::GetApplicationReportResponse>("getApplicationReport", ask);
    BOOST_REQUIRE(report.has_value());
    token = report->report().master_token();
  }
  BOOST_REQUIRE(!token.identifier().empty());
  auto target = resource_manager(ResourceManagerService::scheduler);
  target.token = token_of(token);
  keep_token("", *target.token);
  return target;
}

void register_master(RpcClient& master) {
  proto::RegisterApplicationMasterRequest registration;
  registration.set_host("127.0.0.1");
  registration.set_rpc_port(0);
  const auto registered =
      master.call_and_wait<proto::RegisterApplicationMasterResponse>("registerApplicationMaster", registration);
  BOOST_REQUIRE_MESSAGE(registered.has_value(), (registered ? "" : describe(registered.fault(), "ResourceManager")));
  BOOST_TEST(registered->capability_max().memory() > 0);
}

void finish_master(RpcClient& master) {
  proto::FinishApplicationMasterRequest finish;
  finish.set_final_status(proto::FINAL_SUCCEEDED);
  bool is_unregistered = false;
  for (int i = 0; i < 500 && !is_unregistered; ++i) {
    const auto finished =
        master.call_and_wait<proto::FinishApplicationMasterResponse>("finishApplicationMaster", finish);
    BOOST_REQUIRE(finished.has_value());
    is_unregistered = finished->is_unregistered();
  }
  BOOST_TEST(is_unregistered);
}

/// YARN tells a master nothing by itself: masters and this test ask again after a pause.
void pause() { std::this_thread::sleep_for(std::chrono::milliseconds{100}); }

/// One container of the smallest size, granted after some heartbeats, with the token of its NodeManager.
proto::AllocateResponse granted_container(RpcClient& master) {
  proto::AllocateRequest request;
  auto& ask = *request.add_ask();
  ask.mutable_priority()->set_priority(1);
  ask.set_resource_name("*");
  ask.mutable_capability()->set_memory(128);
  ask.mutable_capability()->set_virtual_cores(1);
  ask.set_containers(1);
  proto::AllocateResponse response;
  for (int i = 0; i < 300 && response.allocated_size() == 0; ++i) {
    if (i > 0) pause();
    const auto answer = master.call_and_wait<proto::AllocateResponse>("allocate", request);
    BOOST_REQUIRE_MESSAGE(answer.has_value(), (answer ? "" : describe(answer.fault(), "ResourceManager")));
    response = *answer;
    request.set_response_id(response.response_id());
    request.clear_ask();
  }
  BOOST_REQUIRE(response.allocated_size() == 1);
  BOOST_REQUIRE(response.node_tokens_size() == 1);
  return response;
}

BOOST_AUTO_TEST_CASE(a_master_registers_with_its_token_and_finishes) {
  RpcThread thread;
  const auto target = scheduler_of_new_application(thread);
  auto wrong = target;
  wrong.token->password += "x";
  RpcClient impostor{thread, wrong};
  const auto refused = impostor.call_and_wait<proto::RegisterApplicationMasterResponse>(
      "registerApplicationMaster", proto::RegisterApplicationMasterRequest{});
  BOOST_REQUIRE(!refused.has_value());
  BOOST_TEST(to_string(refused.fault().kind) == "refused", describe(refused.fault(), "ResourceManager"));

  RpcClient master{thread, target};
  register_master(master);
  finish_master(master);
}

/// A program in the place of heddle, with the files, the environment, the command and the secrets of an executor.
proto::ContainerLaunchContext context_of_program_that_exits_with(int code) {
  const std::string path = std::string{std::getenv("HEDDLE_REAL_DIR")} + "/tmp/program";
  const auto text =
      "#!/bin/sh\ntest \"$1 $2 $3\" = 'heddle-role container executor' && exit " + std::to_string(code) + '\n';
  std::ofstream{path} << text;
  constexpr std::int64_t modified_s = 1'700'000'000;
  const utimbuf times{modified_s, modified_s};
  BOOST_TEST_REQUIRE(::utime(path.c_str(), &times) == 0);
  const auto program = program_context(
      {{std::string{program_name}, "file://" + path, static_cast<std::int64_t>(text.size()), modified_s * 1000}},
      "ann");
  BOOST_TEST_REQUIRE(program.has_value());
  LaunchSpec spec;
  ExecutorLaunch executor;
  executor.executor = ExecutorId{1};
  spec.role = executor;
  return launch_context(*program, spec, {});
}

BOOST_AUTO_TEST_CASE(a_master_starts_the_container_that_it_was_granted) {
  RpcThread thread;
  RpcClient master{thread, scheduler_of_new_application(thread)};
  register_master(master);
  const auto granted = granted_container(master);
  const auto& container = granted.allocated(0);
  RpcTarget node;
  const char* relay = std::getenv("HEDDLE_REAL_NODE_RELAY");
  node.addresses = {relay != nullptr ? relay : address_of(container.node_id())};
  node.protocol = container_management_protocol;
  node.token = token_of(granted.node_tokens(0).token());
  keep_token(".node", *node.token);
  RpcClient node_manager{thread, node};
  proto::StartContainersRequest start;
  auto& request = *start.add_requests();
  *request.mutable_launch_context() = context_of_program_that_exits_with(3);
  *request.mutable_container_token() = container.container_token();
  const auto started = node_manager.call_and_wait<proto::StartContainersResponse>("startContainers", start);
  BOOST_REQUIRE_MESSAGE(started.has_value(), (started ? "" : describe(started.fault(), "NodeManager")));
  BOOST_TEST(started->succeeded_size() == 1);
  BOOST_TEST(started->failed_size() == 0);
  proto::GetContainerStatusesRequest look;
  *look.add_containers() = container.id();
  proto::ContainerStatus status;
  for (int i = 0; i < 300 && status.state() != proto::C_COMPLETE; ++i) {
    if (i > 0) pause();
    const auto answer = node_manager.call_and_wait<proto::GetContainerStatusesResponse>("getContainerStatuses", look);
    BOOST_REQUIRE(answer.has_value());
    BOOST_REQUIRE(answer->statuses_size() == 1);
    status = answer->statuses(0);
  }
  BOOST_TEST(status.exit_status() == 3);
  finish_master(master);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heddle::interop

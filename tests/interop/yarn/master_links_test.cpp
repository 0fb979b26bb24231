// Goal: a master gets containers from Hadoop's ResourceManager and starts them at its NodeManagers. Method: fake
// daemons.
#include <algorithm>

#include "interop/yarn/launch_context.hpp"
#include "interop/yarn/resource_manager_link.hpp"
#include "interop/yarn/yarn_connector.hpp"
#include "interop/yarn/yarn_ids.hpp"
#include "tests/interop/yarn/link_world.hpp"

namespace heddle::interop {
namespace master_links_test {
namespace {

using tests::answer_of;
using tests::exception_of;

const AttemptId attempt{{1700000000000, 7}, 1};
const ContainerId container{2};
const CredentialToken attempt_token{"attempt", "password", "YARN_AM_RM_TOKEN", ""};
const CredentialToken rolled_token{"attempt, next key", "password 2", "YARN_AM_RM_TOKEN", ""};
const CredentialToken node_token{"node", "password 3", "NMToken", "n"};
const CredentialToken container_token{"container", "password 4", "ContainerToken", "n"};
const std::string exceptions = "org.apache.hadoop.yarn.exceptions.";

proto::Token to_proto(const CredentialToken& token) {
  proto::Token made;
  made.set_identifier(token.identifier);
  made.set_password(token.password);
  made.set_kind(token.kind);
  made.set_service(token.service);
  return made;
}

/// ResourceManager and NodeManagers at one address.
struct World : LinkWorld {
  NodeManagerLinkActor nodes;
  ResourceManagerLinkActor link;

  static tests::FakeServerSettings with_tokens() {
    tests::FakeServerSettings settings;
    settings.tokens = {attempt_token, rolled_token, node_token};
    return settings;
  }
  explicit World(const RetryRules& retries = quick_retries) : LinkWorld{with_tokens()} {
    NodeManagerLinkSettings of_nodes;
    of_nodes.program = program_context({}, "ann")->SerializeAsString();
    of_nodes.credentials.tokens.emplace_back("", attempt_token);
    of_nodes.retries = retries;
    nodes = keep(spawn_node_manager_link(*system, of_nodes, tools(), &thread));
    ResourceManagerLinkSettings settings;
    settings.addresses = {server.address()};
    settings.token = attempt_token;
    settings.retries = retries;
    settings.user = "ann";
    link = keep(spawn_resource_manager_link(*system, settings, tools(), &thread, nodes));
  }
  void set_node(proto::NodeId& node) const {
    node.set_host("127.0.0.1");
    node.set_port(server.port());
  }
  /// Grants the container with its credentials.
  [[nodiscard]] proto::AllocateResponse grant() const {
    proto::AllocateResponse response;
    response.set_response_id(1);
    auto& granted = *response.add_allocated();
    *granted.mutable_id() = interop::to_proto(container, attempt);
    set_node(*granted.mutable_node_id());
    granted.set_node_http_address("node7:8042");
    *granted.mutable_container_token() = to_proto(container_token);
    auto& of_node = *response.add_node_tokens();
    set_node(*of_node.mutable_node_id());
    *of_node.mutable_token() = to_proto(node_token);
    return response;
  }
  void get_container() {
    answers.add("allocate", answer_of(grant()));
    (*self)->send(link, AllocateRequest{attempt, 0, {}, {}, {}, {}, 0});
    BOOST_TEST(next<AllocateResponse>().allocated.size() == 1U);
  }
  void start() {
    StartContainer message{container, attempt, {1408, 1}, "secret", {}};
    ExecutorLaunch executor;
    executor.executor = ExecutorId{1};
    message.launch.role = executor;
    (*self)->send(nodes, message);
  }
};

proto::StartContainersResponse started(const std::string& failure = {}) {
  proto::StartContainersResponse response;
  if (failure.empty()) {
    *response.add_succeeded() = interop::to_proto(container, attempt);
  } else {
    auto& failed = *response.add_failed();
    *failed.mutable_container_id() = interop::to_proto(container, attempt);
    failed.mutable_exception()->set_message(failure);
  }
  return response;
}

BOOST_AUTO_TEST_CASE(a_master_registers_and_ends_the_application) {
  World world;
  proto::RegisterApplicationMasterResponse registered;
  *registered.mutable_capability_max() = interop::to_proto(Resource{4096, 4});
  world.answers.add("registerApplicationMaster", answer_of(registered));
  (*world.self)->send(world.link, RegisterApplicationMaster{attempt, "", "h1:4000", "secret"});
  const auto answer = world.next<RegisteredApplicationMaster>();
  BOOST_TEST((answer.maximum == Resource{4096, 4}));
  BOOST_TEST(answer.token == "secret");
  BOOST_TEST(world.server.calls().front().user == "attempt");
  const auto request = world.request<proto::RegisterApplicationMasterRequest>("registerApplicationMaster");
  BOOST_TEST(request.host() == "h1");
  BOOST_TEST(request.rpc_port() == 4000);

  proto::FinishApplicationMasterResponse end;
  end.set_is_unregistered(false);
  world.answers.add("finishApplicationMaster", answer_of(end));
  end.set_is_unregistered(true);
  world.answers.add("finishApplicationMaster", answer_of(end));
  (*world.self)->send(world.link, FinishApplication{attempt, false, "the disk is full"});
  static_cast<void>(world.next<FinishedApplication>());
  const auto finish = world.request<proto::FinishApplicationMasterRequest>("finishApplicationMaster", 1);
  BOOST_TEST(finish.final_status() == proto::FINAL_FAILED);
  BOOST_TEST(finish.diagnostics() == "the disk is full");
}

BOOST_AUTO_TEST_CASE(an_attempt_that_the_resource_manager_does_not_know_has_not_ended_the_application) {
  World world;
  world.answers.add("finishApplicationMaster",
                    tests::exception_of("org.apache.hadoop.yarn.exceptions.ApplicationAttemptNotFoundException",
                                        "Application attempt appattempt_1_0007_000001 doesn't exist"));
  (*world.self)->send(world.link, FinishApplication{attempt, true, ""});
  BOOST_TEST(world.next<FinishedApplication>().is_unknown);
}

BOOST_AUTO_TEST_CASE(a_master_without_driver_names_no_port) {
  World world;
  world.answers.add("registerApplicationMaster", answer_of(proto::RegisterApplicationMasterResponse{}));
  (*world.self)->send(world.link, RegisterApplicationMaster{attempt, "", "", "secret"});
  static_cast<void>(world.next<RegisteredApplicationMaster>());
  BOOST_TEST(world.request<proto::RegisterApplicationMasterRequest>("registerApplicationMaster").rpc_port() == -1);
}

BOOST_AUTO_TEST_CASE(a_lost_answer_to_the_registration_does_not_end_the_attempt) {
  World world;
  world.answers.add("registerApplicationMaster",
                    exception_of(exceptions + "InvalidApplicationMasterRequestException",
                                 "Application Master is already registered : application_1700000000000_0007"));
  (*world.self)->send(world.link, RegisterApplicationMaster{attempt, "", "", "secret"});
  const auto answer = world.next<RegisteredApplicationMaster>();
  BOOST_TEST(answer.token == "secret");
  BOOST_TEST(answer.maximum.memory_mib > 1'000'000);
}

BOOST_AUTO_TEST_CASE(an_attempt_that_the_resource_manager_does_not_know_is_told_so) {
  World world;
  world.answers.add("allocate", exception_of(exceptions + "ApplicationMasterNotRegisteredException", "restarted"));
  world.answers.add("allocate", exception_of(exceptions + "ApplicationAttemptNotFoundException", "gone"));
  world.answers.add("finishApplicationMaster",
                    exception_of(exceptions + "ApplicationMasterNotRegisteredException", "restarted"));
  const AllocateRequest request{attempt, 3, {}, {}, {}, {}, 0};
  (*world.self)->send(world.link, request);
  BOOST_TEST((world.next<AllocateResponse>().registration == AttemptRegistration::not_registered));
  (*world.self)->send(world.link, request);
  BOOST_TEST((world.next<AllocateResponse>().registration == AttemptRegistration::unknown_attempt));
  (*world.self)->send(world.link, FinishApplication{attempt, true, ""});
  BOOST_TEST(world.next<ApplicationMasterNotRegistered>().text.find("restarted") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(any_other_fault_ends_the_link) {
  World world{no_retries};
  world.answers.add("allocate", exception_of(exceptions + "InvalidResourceRequestException", "too large"));
  (*world.self)->monitor(world.link);
  (*world.self)->send(world.link, AllocateRequest{attempt, 0, {}, {}, {}, {}, 0});
  BOOST_TEST((world.next<caf::down_msg>().source == world.link.address()));
}

BOOST_AUTO_TEST_CASE(a_lost_answer_is_asked_for_again_with_the_same_response_id) {
  World world;
  auto response = world.grant();
  auto lost = answer_of(response);
  lost.delivery = tests::FakeAnswer::Delivery::lost;
  world.answers.add("allocate", lost).add("allocate", answer_of(response));
  (*world.self)->send(world.link, AllocateRequest{attempt, 0, {}, {}, {}, {}, 0});
  BOOST_TEST(world.next<AllocateResponse>().allocated.size() == 1U);
  BOOST_TEST(world.request<proto::AllocateRequest>("allocate", 1).response_id() == 0);
}

BOOST_AUTO_TEST_CASE(the_next_connection_uses_the_rolled_token) {
  World world;
  proto::AllocateResponse response;
  response.set_response_id(1);
  *response.mutable_master_token() = to_proto(rolled_token);
  world.answers.add("allocate", answer_of(response)).add("allocate", answer_of(proto::AllocateResponse{}));
  (*world.self)->send(world.link, AllocateRequest{attempt, 0, {}, {}, {}, {}, 0});
  BOOST_TEST(world.next<AllocateResponse>().response_id == 1);
  world.server.drop_connections();
  (*world.self)->send(world.link, AllocateRequest{attempt, 1, {}, {}, {}, {}, 0});
  BOOST_TEST(world.next<AllocateResponse>().response_id == 0);
  BOOST_TEST(world.server.calls().back().user == rolled_token.identifier);
}

BOOST_AUTO_TEST_CASE(a_container_is_started_with_its_token_and_stopped) {
  World world;
  world.get_container();
  world.answers.add("startContainers", answer_of(started()));
  world.start();
  BOOST_TEST((world.next<ContainerStarted>().container == container));
  BOOST_TEST(world.server.calls().back().user == node_token.identifier);
  const auto request = world.request<proto::StartContainersRequest>("startContainers");
  BOOST_REQUIRE(request.requests_size() == 1);
  BOOST_TEST(request.requests(0).container_token().identifier() == container_token.identifier);
  const auto tokens = parse_token_file("tokens", request.requests(0).launch_context().tokens());
  BOOST_REQUIRE(tokens.has_value());
  BOOST_TEST(tokens->tokens.empty());  // not that of the attempt
  const auto spec = read_launch_spec(*tokens->secret(launch_secret));
  BOOST_REQUIRE(spec.has_value());
  BOOST_TEST(spec->container.token == "secret");
  BOOST_TEST((spec->container.node == NodeId{0}));
  BOOST_TEST((std::get<ExecutorLaunch>(spec->role).executor == ExecutorId{1}));

  world.answers.add("stopContainers", answer_of(proto::StopContainersResponse{}));
  (*world.self)->send(world.nodes, StopContainer{container, 1, "too slow"});
  BOOST_TEST(world.server.wait_for_calls(3));
  const auto stop = world.request<proto::StopContainersRequest>("stopContainers");
  BOOST_TEST((container_of(stop.containers(0)) == container));
  BOOST_TEST((attempt_of(stop.containers(0).attempt_id()) == attempt));
}

BOOST_AUTO_TEST_CASE(a_container_that_does_not_start_is_reported_with_the_reason) {
  World world;
  world.get_container();
  world.answers.add("startContainers", answer_of(started("This token is expired")));
  world.answers.add("startContainers", answer_of(started("Container container_1 already is running on this node!!")));
  world.start();
  BOOST_TEST(world.next<ContainerNotStarted>().text == "This token is expired");
  world.start();  // the answer to the first request was lost
  BOOST_TEST((world.next<ContainerStarted>().container == container));
}

BOOST_AUTO_TEST_CASE(a_container_that_has_ended_is_not_started) {
  World world;
  world.start();
  BOOST_TEST((world.next<ContainerNotStarted>().container == container));
  world.get_container();
  auto ended = world.grant();
  ended.clear_allocated();
  *ended.add_completed()->mutable_container_id() = interop::to_proto(container, attempt);
  world.answers.add("allocate", answer_of(ended));
  (*world.self)->send(world.link, AllocateRequest{attempt, 1, {}, {}, {}, {}, 0});
  BOOST_TEST(world.next<AllocateResponse>().allocated.size() == 1U);  // the script repeats the grant once
  (*world.self)->send(world.link, AllocateRequest{attempt, 2, {}, {}, {}, {}, 0});
  BOOST_TEST(world.next<AllocateResponse>().completed.size() == 1U);
  world.start();
  BOOST_TEST((world.next<ContainerNotStarted>().container == container));
  BOOST_TEST(world.server.calls().size() == 3U);
}

BOOST_AUTO_TEST_CASE(an_ended_container_names_the_page_with_its_logs) {
  World world;
  world.get_container();
  proto::AllocateResponse ended;
  for (const auto each : {container, ContainerId{container.value + 1}})  // the second was granted by nobody
    *ended.add_completed()->mutable_container_id() = interop::to_proto(each, attempt);
  ended.mutable_completed(0)->set_diagnostics("Exit code is 137\n");
  world.answers.add("allocate", answer_of(ended));
  (*world.self)->send(world.link, AllocateRequest{attempt, 1, {}, {}, {}, {}, 0});
  static_cast<void>(world.next<AllocateResponse>());  // the script repeats the grant once
  (*world.self)->send(world.link, AllocateRequest{attempt, 2, {}, {}, {}, {}, 0});
  const auto answer = world.next<AllocateResponse>();
  BOOST_TEST_REQUIRE(answer.completed.size() == 2U);
  BOOST_TEST(answer.completed[0].end.log_directory ==
             "http://node7:8042/node/containerlogs/" + container_name(interop::to_proto(container, attempt)) + "/ann");
  BOOST_TEST(answer.completed[0].end.diagnostics == "Exit code is 137");
  BOOST_TEST(answer.completed[1].end.log_directory.empty());
}

BOOST_AUTO_TEST_CASE(a_silent_node_does_not_start_the_container) {
  World world{no_retries};
  world.get_container();
  auto lost = answer_of(started());
  lost.delivery = tests::FakeAnswer::Delivery::lost;
  world.answers.add("startContainers", lost);
  world.start();
  BOOST_TEST(world.next<ContainerNotStarted>().text.find("NodeManager") != std::string::npos);
}

// -- a server that repeats, cuts and lies ----------------------------------------------------------

using Delivery = tests::FakeAnswer::Delivery;

tests::FakeAnswer delivered(tests::FakeAnswer answer, Delivery delivery) {
  answer.delivery = delivery;
  return answer;
}

proto::AllocateResponse numbered(std::int32_t response_id) {
  proto::AllocateResponse response;
  response.set_response_id(response_id);
  return response;
}

std::size_t calls_of(const World& world, const std::string& method) {
  const auto calls = world.server.calls();
  return static_cast<std::size_t>(
      std::count_if(calls.begin(), calls.end(), [&](const auto& call) { return call.method == method; }));
}

BOOST_AUTO_TEST_CASE(an_answer_that_comes_twice_or_after_a_foreign_one_is_used_once) {
  for (const auto delivery : {Delivery::twice, Delivery::wrong_id}) {
    World world;
    world.answers.add("allocate", delivered(answer_of(world.grant()), delivery));
    world.answers.add("allocate", answer_of(numbered(2)));
    (*world.self)->send(world.link, AllocateRequest{attempt, 0, {}, {}, {}, {}, 0});
    const auto first = world.next<AllocateResponse>();
    BOOST_TEST(first.response_id == 1);
    BOOST_TEST(first.allocated.size() == 1U);
    (*world.self)->send(world.link, AllocateRequest{attempt, 1, {}, {}, {}, {}, 0});
    BOOST_TEST(world.next<AllocateResponse>().response_id == 2);  // a second first answer would come before
    BOOST_TEST(calls_of(world, "allocate") == 2U);

    world.answers.add("startContainers", delivered(answer_of(started()), delivery));
    world.answers.add("startContainers", answer_of(started("This token is expired")));
    world.start();
    BOOST_TEST((world.next<ContainerStarted>().container == container));
    world.start();
    BOOST_TEST(world.next<ContainerNotStarted>().text == "This token is expired");
    (*world.self)
        ->receive([](const ContainerStarted&) { BOOST_ERROR("the container is reported as started twice"); },
                  caf::after(std::chrono::seconds{0}) >> [] {});
    BOOST_TEST(calls_of(world, "startContainers") == 2U);
  }
}

BOOST_AUTO_TEST_CASE(an_answer_that_breaks_off_is_asked_for_again) {
  World world;
  world.answers.add("allocate", delivered(answer_of(world.grant()), Delivery::cut));
  world.answers.add("allocate", answer_of(world.grant()));
  (*world.self)->send(world.link, AllocateRequest{attempt, 0, {}, {}, {}, {}, 0});
  BOOST_TEST(world.next<AllocateResponse>().allocated.size() == 1U);
  BOOST_TEST(world.request<proto::AllocateRequest>("allocate", 1).response_id() == 0);

  world.answers.add("startContainers", delivered(answer_of(started()), Delivery::cut));
  world.answers.add("startContainers", answer_of(started("Container container_1 already is running on this node!!")));
  world.start();
  BOOST_TEST((world.next<ContainerStarted>().container == container));
  BOOST_TEST(calls_of(world, "startContainers") == 2U);
}

BOOST_AUTO_TEST_CASE(an_answer_that_is_no_message_ends_the_link_to_the_resource_manager) {
  World world;
  world.answers.add("allocate", delivered({}, Delivery::malformed));
  (*world.self)->monitor(world.link);
  (*world.self)->send(world.link, AllocateRequest{attempt, 0, {}, {}, {}, {}, 0});
  const auto end = world.next<caf::down_msg>();
  BOOST_TEST((end.source == world.link.address()));
  BOOST_TEST(to_string(end.reason).find("the response to allocate is malformed") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_answer_that_is_no_message_or_about_another_container_does_not_start_it) {
  World world;
  world.get_container();
  proto::StartContainersResponse of_another;
  *of_another.add_succeeded() = interop::to_proto(ContainerId{9}, attempt);
  world.answers.add("startContainers", delivered({}, Delivery::malformed));
  world.answers.add("startContainers", answer_of(of_another));
  world.answers.add("startContainers", answer_of(proto::StartContainersResponse{}));
  world.start();
  BOOST_TEST(world.next<ContainerNotStarted>().text.find("the response to startContainers is malformed") !=
             std::string::npos);
  for (int i = 0; i < 2; ++i) {
    world.start();
    BOOST_TEST(world.next<ContainerNotStarted>().text == "the NodeManager answered about another container");
  }
}

BOOST_AUTO_TEST_CASE(addresses_of_yarn_lead_to_links) {
  World world;
  caf::scoped_actor other{*world.system};
  const auto inner = world.system->spawn(
      [](PeerConnectorActor::pointer, const caf::strong_actor_ptr& answer) -> PeerConnectorActor::behavior_type {
        return {[answer](const ConnectPeer&) -> caf::result<caf::strong_actor_ptr> { return answer; },
                [](const RetryConnect&) {}};
      },
      caf::actor_cast<caf::strong_actor_ptr>(other));
  world.keep(inner);
  const auto connector = world.keep(
      spawn_yarn_connector(*world.system, inner,
                           {{std::string{scheduler_scheme}, caf::actor_cast<caf::strong_actor_ptr>(world.link)},
                            {std::string{node_scheme}, caf::actor_cast<caf::strong_actor_ptr>(world.nodes)}}));
  const auto found = [&](const std::string& address) {
    caf::strong_actor_ptr answer;
    (*world.self)
        ->request(connector, std::chrono::seconds{20}, ConnectPeer{address, 1000})
        .receive([&](const caf::strong_actor_ptr& peer) { answer = peer; },
                 [](const caf::error&) { BOOST_FAIL("no answer"); });
    return caf::actor_cast<caf::actor_addr>(answer);
  };
  BOOST_TEST((found("yarn-scheduler:h:8030,i:8030") == world.link.address()));
  BOOST_TEST((found("yarn-node:h:8041") == world.nodes.address()));
  BOOST_TEST((found("127.0.0.1:4000") == other->address()));
}

}  // namespace
}  // namespace master_links_test
}  // namespace heddle::interop

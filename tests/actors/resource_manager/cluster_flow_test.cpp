// Goal: the flows push messages and connection effects in the right order. Method: plain calls; no actor, no clock.
#include <boost/test/unit_test.hpp>
#include <limits>
#include <string>

#include "actors/resource_manager/allocate_flow.hpp"
#include "actors/resource_manager/application_flow.hpp"
#include "actors/resource_manager/end_flow.hpp"
#include "actors/resource_manager/node_flow.hpp"

namespace heddle::actors {
namespace cluster_flow_test {
namespace {

/// One word per effect; the number is the index of its message in the variant.
struct Name {
  static std::string numbered(const char* what, std::size_t index) { return what + std::to_string(index); }
  std::string operator()(const AddNode&) const { return "add_node"; }
  std::string operator()(const DropNode&) const { return "drop_node"; }
  std::string operator()(const SendToNode& effect) const { return numbered("node", effect.message.index()); }
  std::string operator()(const ReplyToNode&) const { return "reply_node"; }
  std::string operator()(const AddClient&) const { return "add_client"; }
  std::string operator()(const AddMaster&) const { return "add_master"; }
  std::string operator()(const AddAllocator&) const { return "add_allocator"; }
  std::string operator()(const DropApplication&) const { return "drop_application"; }
  std::string operator()(const SendToApplicant& effect) const { return numbered("client", effect.message.index()); }
  std::string operator()(const SendToMaster&) const { return "master"; }
  std::string operator()(const ReplyToMaster& effect) const { return numbered("reply_master", effect.message.index()); }
  std::string operator()(const SendToAllocator& effect) const { return numbered("allocator", effect.message.index()); }
  std::string operator()(const ReplyToAllocator&) const { return "reply_allocator"; }
  std::string operator()(const LookUpGroups& effect) const { return "groups:" + effect.user; }
};

struct Fixture {
  ClusterState state{{}, {}, start()};
  AttemptId attempt{{1000, 1}, 1};

  static ResourceManagerStart start() {
    ResourceManagerStart start{
        1000, "", 0,
        std::make_shared<const policies::ResourceScheduler>(policies::FifoScheduler{{{1, 0}, {8192, 4}, 1}})};
    start.make_token = [] { return std::string(32, 't'); };
    return start;
  }
  /// The effects of one message.
  template <class Flow, class... Arguments>
  std::string effects_of(Flow flow, const Arguments&... arguments) {
    ClusterEffects effects;
    ClusterTurn turn{state, effects, Instant{}};
    flow(turn, arguments...);
    state.check_invariants();
    std::string words;
    for (const auto& effect : effects) words += (words.empty() ? "" : " ") + std::visit(Name{}, effect);
    return words;
  }
  std::string add_node(const std::string& host) {
    return effects_of(register_node, RegisterNode{host, "/r", host + ":1", {4096, 4}, "", false});
  }
  std::string submit() {
    return effects_of(submit_application, SubmitApplication{"words", "default", "me", {512, 1}, 1, {"", "/state", {}}},
                      true);
  }
};

BOOST_AUTO_TEST_CASE(an_application_is_accepted_and_its_master_starts_on_a_free_node) {
  Fixture fixture;
  BOOST_TEST(fixture.add_node("a") == "add_node node0");
  BOOST_TEST(fixture.submit() == "add_client client0 node1");
  BOOST_TEST(fixture.effects_of(register_master,
                                RegisterApplicationMaster{fixture.attempt, "m:1", "d:1", std::string(32, 't')}) ==
             "add_master client1 reply_master0");
  BOOST_TEST(fixture.effects_of(finish_application, FinishApplication{fixture.attempt, true, "done"}) ==
             "reply_master1 client3");
}

BOOST_AUTO_TEST_CASE(a_lost_node_is_dropped_before_the_next_attempt_starts_elsewhere) {
  Fixture fixture;
  static_cast<void>(fixture.add_node("a"));
  static_cast<void>(fixture.submit());
  static_cast<void>(fixture.add_node("b"));
  BOOST_TEST(fixture.effects_of(lose_node, NodeId{1}, std::string{"its connection broke"}) ==
             "drop_node client2 node1");
}

BOOST_AUTO_TEST_CASE(an_unknown_sender_only_gets_an_answer) {
  Fixture fixture;
  BOOST_TEST(fixture.effects_of(handle_node_heartbeat, NodeHeartbeat{NodeId{9}, Epoch{1}, {}}) == "reply_node");
  AllocateRequest request;
  request.attempt = fixture.attempt;
  BOOST_TEST(fixture.effects_of(handle_allocate_request, request) == "reply_allocator");
}

BOOST_AUTO_TEST_CASE(a_heartbeat_has_effects_only_if_its_containers_are_not_those_that_are_known_to_run) {
  Fixture fixture;
  static_cast<void>(fixture.add_node("a"));
  static_cast<void>(fixture.submit());
  const Node& node = *fixture.state.nodes.find(NodeId{1});
  const auto master = fixture.state.applications.find(fixture.attempt.application)->master_container;
  const auto heartbeat = [&](std::vector<ContainerId> running) {
    return fixture.effects_of(handle_node_heartbeat, NodeHeartbeat{node.id, node.epoch, std::move(running)});
  };
  BOOST_TEST(heartbeat({}).empty());  // the master was granted, and has not started
  BOOST_TEST(node.running.empty());
  BOOST_TEST(heartbeat({master}).empty());
  BOOST_TEST((node.running == std::vector{master}));
  BOOST_TEST(heartbeat({master, master}).empty());
  const ContainerId unknown{master.value + 7};
  for (int repeated = 0; repeated < 2; ++repeated) BOOST_TEST(heartbeat({unknown, master}) == "node2");
  BOOST_TEST((node.running == std::vector{master}));
  BOOST_TEST(heartbeat({}) == "client2 node1");  // the container has ended: the next attempt starts
  BOOST_TEST(node.running.empty());
}

BOOST_AUTO_TEST_CASE(a_registered_master_that_no_heartbeat_lists_has_ended) {
  Fixture fixture;
  static_cast<void>(fixture.add_node("a"));
  static_cast<void>(fixture.submit());
  const Node& node = *fixture.state.nodes.find(NodeId{1});
  BOOST_TEST(fixture.effects_of(handle_node_heartbeat, NodeHeartbeat{node.id, node.epoch, {}}).empty());
  static_cast<void>(
      fixture.effects_of(register_master, RegisterApplicationMaster{fixture.attempt, "m:1", "", std::string(32, 't')}));
  BOOST_TEST(node.running.size() == 1U);
  BOOST_TEST(fixture.effects_of(handle_node_heartbeat, NodeHeartbeat{node.id, node.epoch, {}}) ==
             "master client2 node1");
  BOOST_TEST(node.running.empty());
}

// C-Y-134.
BOOST_AUTO_TEST_CASE(a_reported_progress_is_kept_between_0_and_1) {
  using Limits = std::numeric_limits<float>;
  Fixture fixture;
  static_cast<void>(fixture.add_node("a"));
  static_cast<void>(fixture.submit());
  static_cast<void>(
      fixture.effects_of(register_master, RegisterApplicationMaster{fixture.attempt, "m:1", "", std::string(32, 't')}));
  AllocateRequest request;
  request.attempt = fixture.attempt;
  const std::vector<std::pair<float, float>> rows{{Limits::infinity(), 1.0F},
                                                  {Limits::quiet_NaN(), 0.0F},
                                                  {9.0F, 1.0F},
                                                  {-Limits::infinity(), 0.0F},
                                                  {0.5F, 0.5F},
                                                  {-1.0F, 0.0F}};
  for (const auto& [reported, kept] : rows) {
    request.progress = reported;
    static_cast<void>(fixture.effects_of(handle_allocate_request, request));
    ++request.response_id;
    BOOST_TEST(fixture.state.applications.find(fixture.attempt.application)->progress == kept);
  }
}

BOOST_AUTO_TEST_CASE(the_reported_end_of_the_last_master_container_ends_the_application) {
  Fixture fixture;
  static_cast<void>(fixture.add_node("a"));
  static_cast<void>(fixture.submit());
  const auto master = fixture.state.applications.find(fixture.attempt.application)->master_container;
  const Node& node = *fixture.state.nodes.find(NodeId{1});
  BOOST_TEST(fixture.effects_of(handle_container_exited, ContainerExited{node.id, node.epoch, {master, {1, "gone"}}}) ==
             "client3 node3");
}

}  // namespace
}  // namespace cluster_flow_test
}  // namespace heddle::actors

// Goal: the flows push messages, connections and timers in the right order. Method: plain calls; no actor, no clock.
#include <boost/test/unit_test.hpp>
#include <string>

#include "actors/yarn_allocator/container_flow.hpp"
#include "actors/yarn_allocator/request_flow.hpp"

namespace heddle::actors {
namespace allocator_flow_test {
namespace {

struct Name {
  std::string operator()(const SendToDriver& effect) const {
    return "driver:" + std::to_string(effect.message.index());
  }
  std::string operator()(const SendAllocateRequest& effect) const {
    return "request:" + std::to_string(effect.request.response_id);
  }
  std::string operator()(const ArmReporterTick&) const { return "arm"; }
  std::string operator()(const CancelReporterTick&) const { return "cancel"; }
  std::string operator()(const OpenNodeConnection& effect) const { return "connect:" + effect.address; }
  std::string operator()(const SendToNodeManager& effect) const {
    return (effect.message.index() == 0 ? "start:" : "stop:") + effect.address;
  }
  std::string operator()(const ConnectMaster&) const { return "master"; }
  std::string operator()(const RegisterMasterAgain&) const { return "register again"; }
  std::string operator()(const LeaveApplication& effect) const { return "leave:" + effect.end.text; }
};

AllocateResponse answer(std::int32_t response_id) {
  AllocateResponse response;
  response.response_id = response_id;
  return response;
}

struct Fixture {
  AllocatorState state{{}, {}, start(), {}};

  static YarnAllocatorStart start() {
    YarnAllocatorStart start;
    start.attempt = {{1000, 1}, 1};
    start.host = "node3";
    start.driver_address = "laptop:7000";
    start.executor = {1024, 1};
    return start;
  }
  /// The effects of one message, each as a word.
  template <class Flow, class... Arguments>
  std::string effects_of(Flow flow, Duration at, const Arguments&... arguments) {
    AllocatorEffects effects;
    AllocatorTurn turn{state, effects, Instant{at}};
    flow(turn, arguments...);
    std::string words;
    for (const auto& effect : effects) words += (words.empty() ? "" : " ") + std::visit(Name{}, effect);
    return words;
  }
  void begin() {
    static_cast<void>(effects_of(connect_driver, Duration{0}));
    static_cast<void>(effects_of(connect_resource_manager, Duration{0}));
    static_cast<void>(effects_of(start_allocating, Duration{0}, StartAllocating{{8192, 4}, "secret"}));
  }
};

BOOST_AUTO_TEST_CASE(the_first_request_follows_the_last_of_three_connections) {
  Fixture fixture;
  BOOST_TEST(fixture.effects_of(connect_driver, Duration{0}) == "");
  BOOST_TEST(fixture.effects_of(start_allocating, Duration{0}, StartAllocating{{8192, 4}, "secret"}) == "master");
  BOOST_TEST(fixture.effects_of(connect_resource_manager, Duration{0}) == "driver:0 request:0 arm");
}

BOOST_AUTO_TEST_CASE(a_grant_waits_for_the_connection_to_its_node) {
  Fixture fixture;
  fixture.begin();
  static_cast<void>(
      fixture.effects_of(request_executors, Duration{0}, RequestExecutors{{{ProfileId{0}, 2, 0, {}}}, {}}));
  BOOST_TEST(fixture.effects_of(handle_allocate_response, Duration{1}, answer(1)) == "arm request:1 arm");
  AllocateResponse granted = answer(2);
  for (const std::int64_t id : {7, 8})
    granted.allocated.push_back({ContainerId{id}, NodeId{5}, "a", "a:1", 0, {1024, 1}});
  BOOST_TEST(fixture.effects_of(handle_allocate_response, Duration{2}, granted) == "connect:a:1 arm");
  BOOST_TEST(fixture.effects_of(node_connected, Duration{3}, std::string{"a:1"}) == "start:a:1 start:a:1");
  const auto late = fixture.state.settings.executor_start_timeout + Duration{4};
  BOOST_TEST(fixture.effects_of(run_reporter_tick, late) == "stop:a:1 stop:a:1 request:2 arm");
}

BOOST_AUTO_TEST_CASE(the_end_is_kept_until_the_master_has_connected) {
  Fixture fixture;
  BOOST_TEST(fixture.effects_of(stop_allocator, Duration{0}, StopAllocator{true, "done"}) == "cancel");
  BOOST_TEST(fixture.effects_of(start_allocating, Duration{0}, StartAllocating{}) == "master leave:done");
}

BOOST_AUTO_TEST_CASE(a_driver_that_cannot_be_reached_ends_the_application_with_its_address_and_the_node) {
  Fixture fixture;
  static_cast<void>(fixture.effects_of(start_allocating, Duration{0}, StartAllocating{{8192, 4}, "secret"}));
  BOOST_TEST(fixture.effects_of(fail_driver_connection, Duration{0})
                 .find("leave:the Driver at laptop:7000 cannot be reached from node node3; in client mode set "
                       "heddle.driver.host") != std::string::npos);
}

}  // namespace
}  // namespace allocator_flow_test
}  // namespace heddle::actors

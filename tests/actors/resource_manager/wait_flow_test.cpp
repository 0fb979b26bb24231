// Goal: a client is told why its application waits: after the wait that is explained, once, and only if it is
// connected. Method: plain calls at chosen instants; no actor.
#include "actors/resource_manager/wait_flow.hpp"

#include <boost/test/unit_test.hpp>

#include "actors/resource_manager/application_flow.hpp"
#include "actors/resource_manager/node_flow.hpp"

namespace heddle::actors {
namespace wait_flow_test {
namespace {

using namespace std::chrono_literals;

struct Fixture {
  ClusterState state{{}, {}, start()};

  static ResourceManagerStart start() {
    ResourceManagerStart start{
        1000, "", 0,
        std::make_shared<const policies::ResourceScheduler>(policies::FifoScheduler{{{1, 0}, {8192, 4}, 1}})};
    start.make_token = [] { return std::string(32, 't'); };
    return start;
  }
  template <class Flow, class... Arguments>
  ClusterEffects effects_of(Instant now, Flow flow, const Arguments&... arguments) {
    ClusterEffects effects;
    ClusterTurn turn{state, effects, now};
    flow(turn, arguments...);
    return effects;
  }
  void add_node(const std::string& host, std::int64_t memory_mib) {
    effects_of(Instant{}, register_node, RegisterNode{host, "/r", host + ":1", {memory_mib, 4}, "", false});
  }
  ApplicationId submit(std::int64_t memory_mib, bool has_client = true) {
    effects_of(Instant{}, submit_application,
               SubmitApplication{"words", "default", "me", {memory_mib, 1}, 1, {"", "/state", {}}}, has_client);
    return {1000, ++submitted_};
  }
  /// The texts of the notices; the client must be that of the application.
  std::vector<std::string> explained(const ApplicationId& id, Instant now) {
    ClusterEffects effects;
    ClusterTurn turn{state, effects, now};
    explain_wait(turn, *state.applications.find(id));
    std::vector<std::string> texts;
    for (const auto& effect : effects) {
      const auto& sent = std::get<SendToApplicant>(effect);
      BOOST_TEST((sent.application == id));
      texts.push_back(std::get<Notice>(sent.message).text);
    }
    return texts;
  }

private:
  std::int32_t submitted_ = 0;
};

BOOST_AUTO_TEST_CASE(a_wait_for_a_master_is_explained_once_it_has_lasted_and_not_again) {
  Fixture f;
  f.add_node("a", 1024);
  f.add_node("b", 900);
  f.submit(700);
  f.submit(700);
  const auto third = f.submit(700);
  BOOST_TEST(f.explained(third, Instant{explained_wait - 1us}).empty());
  const auto texts = f.explained(third, Instant{explained_wait});
  BOOST_REQUIRE(texts.size() == 1U);
  BOOST_TEST(texts.front().starts_with("the application waits in default: "), texts.front());
  BOOST_TEST(
      texts.front().ends_with("It needs 700 MiB of memory; the most that is free is 324 of 1024 MiB, on node a."),
      texts.front());
  BOOST_TEST(f.explained(third, Instant{1h}).empty());
}

BOOST_AUTO_TEST_CASE(who_has_a_master_or_no_client_is_told_nothing) {
  Fixture f;
  f.add_node("a", 1024);
  const auto first = f.submit(700);
  const auto second = f.submit(700, false);
  BOOST_TEST(f.explained(first, Instant{1h}).empty());
  BOOST_TEST(f.explained(second, Instant{1h}).empty());
}

BOOST_AUTO_TEST_CASE(a_wait_for_containers_counts_from_its_first_ask) {
  Fixture f;
  f.add_node("a", 1024);
  const auto id = f.submit(700);
  auto& application = *f.state.applications.find(id);
  application.phase = ApplicationPhase::running;
  application.waits.containers_since = Instant{10s};
  application.waits.asked = {512, 1};
  BOOST_TEST(f.explained(id, Instant{14s}).empty());
  BOOST_TEST(application.waits.containers_since.has_value());
  // Nothing is asked of the scheduler, so it has nothing to explain; the wait is over with that.
  BOOST_TEST(f.explained(id, Instant{15s}).empty());
  BOOST_TEST(!application.waits.containers_since.has_value());
}

}  // namespace
}  // namespace wait_flow_test
}  // namespace heddle::actors

// Goal: an attempt registers, starts, reports its end once and exits. Method: plain calls; effects compared by type.
#include "actors/application_master/attempt_protocol.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::actors {
namespace attempt_protocol_test {
namespace {

template <class... Effects>
bool are(const AttemptEffectList& effects) {
  const std::vector<std::size_t> expected{AttemptEffect{Effects{}}.index()...};
  std::vector<std::size_t> kinds;
  for (const AttemptEffect& effect : effects) kinds.push_back(effect.index());
  return kinds == expected;
}

AttemptProtocol running() {
  AttemptProtocol protocol{2};
  BOOST_TEST(are<RegisterAttempt>(protocol.on_connected()));
  BOOST_TEST((are<StopWaiting, RecordRegistered, BeginAllocating>(protocol.on_registered())));
  return protocol;
}

BOOST_AUTO_TEST_CASE(a_registered_attempt_starts_and_reports_its_end_once) {
  AttemptProtocol protocol = running();
  BOOST_TEST((protocol.phase() == MasterPhase::running));
  BOOST_TEST(are<RecordStale>(protocol.on_registered()));
  const auto effects = protocol.on_end({true, "done"});
  BOOST_TEST_REQUIRE(are<FinishAttempt>(effects));
  BOOST_TEST(std::get<FinishAttempt>(effects.front()).end.text == "done");
  BOOST_TEST(are<RecordStale>(protocol.on_end({false, "again"})));
  const auto left = protocol.on_finished(false);
  BOOST_TEST_REQUIRE(are<LeaveProcess>(left));
  BOOST_TEST(std::get<LeaveProcess>(left.front()).why == application_finished);
  const auto replaced = protocol.on_finished(true);
  BOOST_TEST_REQUIRE(are<LeaveProcess>(replaced));
  BOOST_TEST(std::get<LeaveProcess>(replaced.front()).why != application_finished);
}

BOOST_AUTO_TEST_CASE(an_end_before_the_registration_is_reported_after_it) {
  AttemptProtocol protocol{2};
  BOOST_TEST(protocol.on_end({false, "early"}).empty());
  BOOST_TEST(are<RegisterAttempt>(protocol.on_connected()));
  BOOST_TEST((are<StopWaiting, RecordRegistered, FinishAttempt>(protocol.on_registered())));
  BOOST_TEST((protocol.phase() == MasterPhase::finishing));
}

BOOST_AUTO_TEST_CASE(an_unknown_attempt_that_finishes_registers_and_finishes_again) {
  AttemptProtocol protocol = running();
  BOOST_TEST(are<RecordStale>(protocol.on_attempt_unknown()));
  static_cast<void>(protocol.on_end({true, ""}));
  BOOST_TEST((are<RecordRegistersAgain, RegisterAttempt>(protocol.on_attempt_unknown())));
  BOOST_TEST(are<FinishAttempt>(protocol.on_registered()));
}

BOOST_AUTO_TEST_CASE(exits_after_too_many_consecutive_timeouts) {
  AttemptProtocol protocol{2};
  static_cast<void>(protocol.on_connected());
  for (int i = 0; i < 2; ++i) BOOST_TEST(are<RegisterAttempt>(protocol.on_answer_timeout()));
  static_cast<void>(protocol.on_registered());
  static_cast<void>(protocol.on_end({true, ""}));
  for (int i = 0; i < 2; ++i) BOOST_TEST(are<FinishAttempt>(protocol.on_answer_timeout()));
  BOOST_TEST(are<LeaveProcess>(protocol.on_answer_timeout()));
}

BOOST_AUTO_TEST_CASE(exits_with_its_peers_unless_its_end_is_confirmed) {
  AttemptProtocol protocol = running();
  BOOST_TEST(are<LeaveProcess>(protocol.on_resource_manager_lost()));
  BOOST_TEST(are<LeaveProcess>(protocol.on_allocator_lost()));
  static_cast<void>(protocol.on_end({true, ""}));
  BOOST_TEST(protocol.on_allocator_lost().empty());
}

}  // namespace
}  // namespace attempt_protocol_test
}  // namespace heddle::actors

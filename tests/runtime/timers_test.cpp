// Goal: timers whose exact instant decides nothing share instants, keep their period, and are never late. A timer for
// deadlines has at most one current message, for the earliest deadline.
// Method: a table of instants, and sequences of periods; a stand-in for an actor that keeps its delayed messages.
#include "runtime/timers.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <optional>
#include <vector>

namespace heddle::runtime {
namespace timers_test {
namespace {

Instant at(std::int64_t us) { return Instant{Duration{us}}; }

BOOST_AUTO_TEST_CASE(a_shared_instant_is_the_last_one_of_the_grid_before_the_delay_ends) {
  struct Row {
    std::int64_t now;
    std::int64_t delay;
    std::int64_t expected;
  };
  const std::vector<Row> table{
      {2'503'000, 1'000'000, 3'500'000},  // a grid of 100 ms
      {2'500'000, 1'000'000, 3'500'000},
      {2'499'999, 1'000'000, 3'400'000},
      {2'499'999, 800'000, 3'200'000},
      {2'499'999, 799'999, 3'250'000},  // 50 ms: at most 1/8 of the delay
      {0, 10'000'000, 10'000'000},
      {123'456, 3'600'000'000, 3'600'100'000},  // 100 ms for each longer delay
      {1'000'777, 1'000, 1'001'719},            // 97 us
      {777, 8, 785},                            // 1 us
      {777, 7, 784},                            // no grid
      {777, 0, 777},
  };
  for (const auto& row : table)
    BOOST_TEST(shared_instant(at(row.now), Duration{row.delay}).time_since_epoch().count() == row.expected);
}

BOOST_AUTO_TEST_CASE(a_timer_that_is_armed_again_a_moment_late_keeps_its_period) {
  const Duration period = std::chrono::seconds{1};
  auto due = shared_instant(at(2'523'000), period);
  for (int turn = 0; turn < 1'000; ++turn) {
    const auto next = shared_instant(due + Duration{1 + turn * 97 % 5'000}, period);
    BOOST_TEST((next - due == period));
    due = next;
  }
}

BOOST_AUTO_TEST_CASE(timers_of_many_actors_use_ten_instants_per_second) {
  std::vector<std::int64_t> instants;
  for (int actor = 0; actor < 1'000; ++actor)
    instants.push_back(shared_instant(at(actor * 997), std::chrono::seconds{1}).time_since_epoch().count());
  std::sort(instants.begin(), instants.end());
  instants.erase(std::unique(instants.begin(), instants.end()), instants.end());
  BOOST_TEST(instants.size() == 10U);
}

struct Tick {
  std::uint64_t epoch = 0;
};

/// Stands in for the actor of a timer.
struct SelfSender {
  struct Row {
    std::int64_t delay;
    std::uint64_t epoch;
  };
  void delayed_send(const SelfSender*, Duration delay, Tick tick) { sent.push_back({delay.count(), tick.epoch}); }
  std::vector<Row> sent;
};

/// Instants are in us.
struct DeadlineFixture {
  void arm(std::int64_t now, std::int64_t due) { timer.arm<Tick>(&self, at(now), at(due)); }
  bool accept(std::size_t message) { return timer.accept(self.sent.at(message).epoch); }

  SelfSender self;
  DeadlineTimer timer;
};

BOOST_FIXTURE_TEST_CASE(a_deadline_sends_one_message_at_its_instant, DeadlineFixture) {
  arm(10, 12);
  BOOST_REQUIRE(self.sent.size() == 1U);
  BOOST_TEST(self.sent[0].delay == 2);
  BOOST_TEST(accept(0));
  BOOST_TEST(!accept(0));
}

BOOST_FIXTURE_TEST_CASE(a_message_for_an_earlier_instant_stays, DeadlineFixture) {
  arm(10, 12);
  arm(11, 12);
  arm(11, 15);
  BOOST_REQUIRE(self.sent.size() == 1U);
  BOOST_TEST(accept(0));
}

BOOST_FIXTURE_TEST_CASE(a_later_deadline_is_armed_after_the_earlier_message_was_accepted, DeadlineFixture) {
  arm(10, 12);
  BOOST_REQUIRE(accept(0));
  arm(12, 15);
  BOOST_REQUIRE(self.sent.size() == 2U);
  BOOST_TEST(self.sent[1].delay == 3);
  BOOST_TEST(accept(1));
}

BOOST_FIXTURE_TEST_CASE(an_earlier_deadline_replaces_a_later_one, DeadlineFixture) {
  arm(10, 15);
  arm(11, 12);
  BOOST_REQUIRE(self.sent.size() == 2U);
  BOOST_TEST(self.sent[1].delay == 1);
  BOOST_TEST(!accept(0));
  BOOST_TEST(accept(1));
}

BOOST_FIXTURE_TEST_CASE(no_deadline_cancels_the_message, DeadlineFixture) {
  arm(10, 12);
  timer.arm<Tick>(&self, at(11), std::nullopt);
  BOOST_TEST(!accept(0));
  arm(11, 20);
  BOOST_REQUIRE(self.sent.size() == 2U);
  BOOST_TEST(self.sent[1].delay == 9);
  BOOST_TEST(accept(1));
}

BOOST_FIXTURE_TEST_CASE(a_deadline_in_the_past_is_sent_at_once, DeadlineFixture) {
  arm(10, 7);
  BOOST_REQUIRE(self.sent.size() == 1U);
  BOOST_TEST(self.sent[0].delay == 0);
  BOOST_TEST(accept(0));
}

BOOST_FIXTURE_TEST_CASE(a_timer_knows_until_when_its_message_arrives, DeadlineFixture) {
  BOOST_TEST(!timer.is_armed_until(at(12)));
  arm(10, 12);
  BOOST_TEST(!timer.is_armed_until(at(11)));
  BOOST_TEST(timer.is_armed_until(at(12)));
  BOOST_REQUIRE(accept(0));
  BOOST_TEST(!timer.is_armed_until(at(12)));
}

}  // namespace
}  // namespace timers_test
}  // namespace heddle::runtime

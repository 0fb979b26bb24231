// Goal: timers whose exact instant decides nothing share instants, keep their period, and are never late.
// Method: a table of instants, and sequences of periods.
#include "runtime/timers.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
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

}  // namespace
}  // namespace timers_test
}  // namespace heddle::runtime

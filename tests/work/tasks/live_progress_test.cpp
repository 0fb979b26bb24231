// Goal: counters of a running attempt are sums over its commands, within their limits, and any thread may read them.
// Method: calls in order; then a reader beside two writers.
#include "work/tasks/live_progress.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace heddle::work {
namespace live_progress_test {
namespace {

using UserCounters = std::vector<std::pair<std::string, std::int64_t>>;

BOOST_AUTO_TEST_CASE(amounts_of_one_counter_are_added_up_as_in_java) {
  LiveProgress progress;
  progress.clear(2);
  progress.add_counter("g\tn", 2);
  progress.add_counter("g\ta", -1);
  progress.add_counter("g\tn", std::numeric_limits<std::int64_t>::max());
  BOOST_TEST((progress.snapshot().counters.user ==
              UserCounters{{"g\ta", -1}, {"g\tn", std::numeric_limits<std::int64_t>::min() + 1}}));
}

BOOST_AUTO_TEST_CASE(counters_beyond_their_number_or_their_bytes_are_not_kept) {
  LiveProgress progress;
  progress.clear(1);
  progress.add_counter("g\tn", 1);
  progress.add_counter("g\tother", 1);
  progress.add_counter("g\tn", 1);
  BOOST_TEST((progress.snapshot().counters.user == UserCounters{{"g\tn", 2}}));
  progress.clear(10'000);
  const std::string name(1016, 'x');  // 1024 bytes with its value
  for (int i = 1000; i < 1100; ++i) progress.add_counter(name.substr(4) + std::to_string(i), 1);
  BOOST_TEST(progress.snapshot().counters.user.size() == user_counter_bytes_max / 1024);
}

BOOST_AUTO_TEST_CASE(the_next_attempt_begins_without_counters) {
  LiveProgress progress;
  progress.clear(1);
  progress.add_counter("g\tn", 1);
  progress.set_status("busy");
  progress.clear(1);
  BOOST_TEST(progress.snapshot().counters.user.empty());
  BOOST_TEST(progress.snapshot().status.empty());
  progress.add_counter("g\tother", 1);
  BOOST_TEST(progress.snapshot().counters.user.size() == 1U);
}

BOOST_AUTO_TEST_CASE(other_threads_read_while_commands_count) {
  constexpr std::int64_t rounds = 10'000;
  LiveProgress progress;
  progress.clear(1);
  std::vector<std::thread> writers;
  for (int i = 0; i < 2; ++i)
    writers.emplace_back([&progress] {
      for (std::int64_t round = 0; round < rounds; ++round) progress.add_counter("g\tn", 1);
    });
  std::int64_t seen = 0;
  while (seen < 2 * rounds) {
    const auto user = progress.snapshot().counters.user;
    const auto now = user.empty() ? 0 : user.front().second;
    BOOST_REQUIRE(now >= seen);
    seen = now;
  }
  for (auto& writer : writers) writer.join();
}

}  // namespace
}  // namespace live_progress_test
}  // namespace heddle::work

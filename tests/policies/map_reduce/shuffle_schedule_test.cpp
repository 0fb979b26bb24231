// Successful and failed copies in a reduce: the numbered cases of the specification (E3-14 to E3-17, E3-22) and its
// rules SH-3 to SH-5, then random copies compared with plain counts.
#include "policies/map_reduce/shuffle_schedule.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace shuffle_schedule_test {
namespace {

Instant at(std::int64_t seconds) { return Instant{std::chrono::seconds{seconds}}; }

ShuffleSchedule reduce_of(std::int32_t maps) {
  ShuffleScheduleSettings settings;
  settings.maps = maps;
  return ShuffleSchedule{settings, at(0)};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(shuffle_schedule)

// C-E3-14.
BOOST_AUTO_TEST_CASE(maps_that_gave_up_count_as_done) {
  ShuffleSchedule shuffle = reduce_of(2);
  shuffle.on_map_abandoned(1);
  BOOST_TEST(shuffle.progress() == 0.5F);
  BOOST_TEST(!shuffle.is_done());
  shuffle.on_map_abandoned(0);
  BOOST_TEST(shuffle.progress() == 1.0F);
  BOOST_TEST(shuffle.is_done());
}

// C-E3-15: two copies of map 0 and one of map 1.
BOOST_AUTO_TEST_CASE(the_first_copy_of_a_map_counts) {
  ShuffleSchedule shuffle = reduce_of(2);
  BOOST_TEST((shuffle.on_copied(at(1), 0, "h1") == CopyFate::commit));
  BOOST_TEST((shuffle.on_copied(at(2), 0, "h2") == CopyFate::abort));
  BOOST_TEST(!shuffle.is_done());
  BOOST_TEST((shuffle.on_copied(at(3), 1, "h1") == CopyFate::commit));
  BOOST_TEST(shuffle.is_done());
}

// C-E3-16: spans overlap, touch and cover each other; bytes are summed, and time with several copies counts once.
BOOST_AUTO_TEST_CASE(the_rate_counts_time_with_copies_once) {
  const struct {
    int from;  // seconds
    int to;
    std::int64_t megabytes;
    float rate;     // MB/s of all copies so far
    int copy_time;  // seconds of all copies so far
  } copies[] = {{60, 100, 40, 1, 40},   {0, 50, 50, 1, 90},     {25, 80, 110, 2, 100},  {100, 300, 100, 1, 300},
                {350, 400, 50, 1, 350}, {450, 500, 50, 1, 400}, {320, 340, 20, 1, 420}, {290, 350, 30, 1, 450},
                {400, 450, 50, 1, 500}, {0, 500, 500, 2, 500}};
  CopyTime time;
  std::int64_t bytes = 0;
  for (const auto& copy : copies) {
    time.add(at(copy.from), at(copy.to));
    bytes += copy.megabytes * 1024 * 1024;
    BOOST_TEST_CONTEXT("copy from " << copy.from << " s to " << copy.to << " s") {
      BOOST_TEST(time.rate(bytes) == copy.rate);
      BOOST_TEST((time.total() == std::chrono::seconds{copy.copy_time}));
    }
  }
}

// C-E3-17: a success cleared the host's count before the copy of another map fails.
BOOST_AUTO_TEST_CASE(a_failure_after_a_success_counts_from_the_start) {
  ShuffleSchedule shuffle = reduce_of(3);
  for (int i = 0; i < 7; ++i) shuffle.on_host_failed("h1");
  BOOST_TEST((shuffle.on_copied(at(1), 0, "h1") == CopyFate::commit));
  const CopyFailure failure = shuffle.on_copy_failed(at(2), 1, "h1", CopyError::other);
  BOOST_TEST((failure == CopyFailure{false, false, false, std::chrono::seconds{13}}));
  for (int i = 0; i < 5; ++i) shuffle.on_host_failed("h1");
  BOOST_TEST(shuffle.on_copy_failed(at(3), 2, "h1", CopyError::other).report_to_master);
}

// C-E3-22.
BOOST_AUTO_TEST_CASE(a_host_is_left_alone_longer_with_each_failure) {
  const auto penalty = [](std::int32_t failures) {
    return to_milliseconds(host_penalty(failures, std::chrono::seconds{10}, std::chrono::seconds{60}));
  };
  BOOST_TEST(penalty(1) == 13000);
  BOOST_TEST(penalty(2) == 16900);
  BOOST_TEST(penalty(3) == 21970);
  BOOST_TEST(penalty(7) == 60000);
  BOOST_TEST(penalty(2'000'000'000) == 60000);
  BOOST_TEST(to_milliseconds(host_penalty(2, std::chrono::seconds{1}, std::chrono::seconds{60})) == 1690);
}

// SH-5: a reduce is not stalled while it waits for less than half of the time of the longest map.
BOOST_AUTO_TEST_CASE(a_long_map_lets_a_reduce_wait_longer_for_the_others) {
  for (const std::int64_t longest : {0, 1000}) {
    ShuffleSchedule shuffle = reduce_of(100);
    for (std::int32_t map = 0; map < 95; ++map) (void)shuffle.on_copied(at(1), map, "good");
    shuffle.on_longest_map(std::chrono::seconds{longest});
    bool is_unhealthy = false;
    for (int i = 0; i < 100; ++i)
      is_unhealthy = shuffle.on_copy_failed(at(60), 95 + i % 5, "bad", CopyError::other).is_unhealthy;
    BOOST_TEST(is_unhealthy == (longest == 0));
  }
}

BOOST_AUTO_TEST_CASE(a_reduce_gives_up_for_one_map_or_for_many) {
  ShuffleSchedule one_bad = reduce_of(100);
  for (std::int32_t map = 1; map < 90; ++map) (void)one_bad.on_copied(at(map), map, "good");
  for (int i = 1; i < 30; ++i)
    BOOST_TEST(!one_bad.on_copy_failed(at(90), 0, "bad", CopyError::other).map_failed_too_often);
  BOOST_TEST(one_bad.on_copy_failed(at(90), 0, "bad", CopyError::other).map_failed_too_often);

  ShuffleSchedule all_bad = reduce_of(100);
  for (std::int32_t map = 0; map < 4; ++map)
    BOOST_TEST(!all_bad.on_copy_failed(at(1), map, "bad", CopyError::connect).is_unhealthy);
  BOOST_TEST(all_bad.on_copy_failed(at(1), 4, "bad", CopyError::connect).is_unhealthy);
}

BOOST_AUTO_TEST_CASE(random_copies_leave_the_count_of_a_plain_set) {
  RandomStream random{3};
  for (int round = 0; round < 50; ++round) {
    ShuffleSchedule shuffle = reduce_of(40);
    std::vector<bool> done(40);
    for (int step = 0; step < 150; ++step) {
      const auto map = static_cast<std::int32_t>(random.below(40));
      const bool was_done = done[static_cast<std::size_t>(map)];
      const std::string host = "h" + std::to_string(random.below(4));
      switch (random.below(4)) {
        case 0: shuffle.on_map_abandoned(map); break;
        case 1: (void)shuffle.on_copy_failed(at(step), map, host, CopyError::read); continue;
        default: BOOST_REQUIRE((shuffle.on_copied(at(step), map, host) == CopyFate::abort) == was_done);
      }
      done[static_cast<std::size_t>(map)] = true;
      const auto count = std::count(done.begin(), done.end(), true);
      BOOST_REQUIRE(shuffle.progress() == static_cast<float>(count) / 40.0F);
      BOOST_REQUIRE(shuffle.is_done() == (count == 40));
    }
  }
}

BOOST_AUTO_TEST_CASE(random_spans_count_each_second_once) {
  RandomStream random{4};
  for (int round = 0; round < 100; ++round) {
    CopyTime time;
    std::vector<bool> busy(200);
    for (int step = 0; step < 30; ++step) {
      const auto from = static_cast<std::int64_t>(random.below(180));
      const auto to = from + static_cast<std::int64_t>(random.below(20));
      time.add(at(from), at(to));
      for (std::int64_t second = from; second < to; ++second) busy[static_cast<std::size_t>(second)] = true;
      BOOST_REQUIRE((time.total() == std::chrono::seconds{std::count(busy.begin(), busy.end(), true)}));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace shuffle_schedule_test
}  // namespace heddle::policies

// Idle executors: since when, and until when. C-MON-nn are numbered cases of the specification.
#include "policies/executors/executor_monitor.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace executor_monitor_test {

namespace {

using Ids = std::vector<std::int64_t>;

/// Idle 60 s, cached 120 s, shuffle 240 s.
struct Monitor {
  explicit Monitor(ExecutorMonitorSettings settings = usual()) : it{settings} {}
  static ExecutorMonitorSettings usual() {
    ExecutorMonitorSettings settings;
    settings.idle_timeout = std::chrono::seconds{60};
    settings.cached_timeout = std::chrono::seconds{120};
    settings.shuffle_timeout = std::chrono::seconds{240};
    return settings;
  }
  ExecutorMonitor it;
  Instant now{};

  void at(std::int64_t seconds) { now = Instant{} + std::chrono::seconds{seconds}; }
  void add(std::int64_t id, std::int32_t profile = 0) { it.on_executor_added(now, ExecutorId{id}, ProfileId{profile}); }
  void start(std::int64_t id) { it.on_task_started(now, ExecutorId{id}); }
  void end(std::int64_t id, std::int64_t stage = 1, TaskEndReason reason = TaskEndReason::success) {
    it.on_task_ended(now, StageId{stage}, ExecutorId{id}, reason);
  }
  void block(std::int64_t id, std::int64_t dataset, std::int32_t split, BlockLevel level = BlockLevel::memory) {
    it.on_block_updated(now, ExecutorId{id}, dataset, split, level);
  }
  /// Seconds; -1 for never.
  [[nodiscard]] std::int64_t deadline(std::int64_t id) const {
    const auto when = it.deadline(ExecutorId{id});
    return when ? to_milliseconds(when->time_since_epoch()) / 1'000 : -1;
  }
  [[nodiscard]] Ids timed_out(std::int64_t seconds) {
    it.check_invariants();
    Ids ids;
    for (const auto& due : it.timed_out(Instant{} + std::chrono::seconds{seconds})) ids.push_back(due.executor.value);
    it.check_invariants();
    return ids;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(executor_monitor)

BOOST_AUTO_TEST_CASE(any_number_of_executors_is_in_the_order_of_the_names) {
  RandomStream random{11};
  for (const std::uint64_t bound : {10U, 130U, 1'000U, 10'001U, 3'000'000U}) {
    Monitor monitor;
    Ids ids;
    for (int i = 0; i < 1'500; ++i) {
      const auto id = static_cast<std::int64_t>(random.below(bound));
      if (monitor.it.is_known(ExecutorId{id})) continue;
      monitor.add(id);
      ids.push_back(id);
    }
    std::sort(ids.begin(), ids.end(),
              [](std::int64_t left, std::int64_t right) { return std::to_string(left) < std::to_string(right); });
    BOOST_TEST(monitor.timed_out(60) == ids);
  }
}

// C-MON-01, C-MON-07
BOOST_AUTO_TEST_CASE(idle_executors_time_out_in_the_order_of_their_names) {
  Monitor monitor;
  for (const std::int64_t id : {2, 10, 1, 100, 0}) monitor.add(id);
  BOOST_TEST(monitor.timed_out(59).empty());
  BOOST_TEST((monitor.timed_out(60) == Ids{0, 1, 10, 100, 2}));
  BOOST_TEST(monitor.it.executors(ProfileId{0}) == 5);
}

// C-MON-02, C-MON-13
BOOST_AUTO_TEST_CASE(late_events_of_executors_that_are_not_active_are_ignored) {
  Monitor monitor;
  monitor.it.on_active(ExecutorId{1});
  monitor.start(1);
  BOOST_TEST(monitor.it.executors() == 1);
  BOOST_TEST(monitor.it.executors(ProfileId{0}) == 0);
  monitor.add(1);
  BOOST_TEST(monitor.it.executors(ProfileId{0}) == 1);
  monitor.add(2);
  monitor.it.on_executor_removed(ExecutorId{2}, LossKind::process_lost);
  monitor.start(2);
  monitor.block(2, 1, 0);
  BOOST_TEST(monitor.it.executors() == 1);
}

// C-MON-03
BOOST_AUTO_TEST_CASE(an_executor_is_busy_until_its_last_task_ends) {
  Monitor monitor;
  monitor.add(1);
  monitor.start(1);
  for (int task = 0; task < 9; ++task) {
    monitor.start(1);
    monitor.end(1);
  }
  BOOST_TEST(!monitor.it.is_idle(ExecutorId{1}));
  BOOST_TEST(monitor.deadline(1) == -1);
  monitor.at(10);
  monitor.end(1);
  BOOST_TEST(monitor.deadline(1) == 70);
  BOOST_TEST((monitor.timed_out(70) == Ids{1}));
}

// C-MON-04, C-MON-05
BOOST_AUTO_TEST_CASE(cached_blocks_prolong_until_the_last_is_dropped) {
  Monitor monitor;
  monitor.add(1);
  monitor.block(1, 1, 0);
  monitor.block(1, 1, 1);
  monitor.block(1, 2, 0);
  BOOST_TEST(monitor.deadline(1) == 120);
  monitor.block(1, 1, 1, BlockLevel::none);
  BOOST_TEST(monitor.deadline(1) == 120);
  monitor.it.on_unpersisted(1);
  BOOST_TEST(monitor.deadline(1) == 120);
  BOOST_TEST(monitor.timed_out(60).empty());
  monitor.at(60);
  monitor.it.on_unpersisted(2);
  BOOST_TEST((monitor.timed_out(60) == Ids{1}));
}

// C-MON-06
BOOST_AUTO_TEST_CASE(executors_time_out_one_by_one) {
  Monitor monitor;
  monitor.add(1);
  monitor.at(30);
  monitor.add(2);
  monitor.block(2, 1, 0);
  monitor.at(60);
  monitor.add(3);
  BOOST_TEST((monitor.timed_out(60) == Ids{1}));
  monitor.block(3, 1, 1);
  monitor.at(140);
  monitor.block(3, 1, 1, BlockLevel::none);
  BOOST_TEST((monitor.timed_out(140) == Ids{1, 3}));
  BOOST_TEST((monitor.timed_out(150) == Ids{1, 2, 3}));
}

// C-MON-08
BOOST_AUTO_TEST_CASE(blocks_on_disk_do_not_hold_an_executor_that_a_service_can_replace) {
  for (const bool is_served : {false, true}) {
    ExecutorMonitorSettings settings = Monitor::usual();
    settings.shuffle_service = true;
    settings.service_serves_blocks = is_served;
    Monitor monitor{settings};
    monitor.add(1);
    monitor.block(1, 1, 0, BlockLevel::disk);
    BOOST_TEST(monitor.deadline(1) == (is_served ? 60 : 120));
    monitor.block(1, 1, 0);
    BOOST_TEST(monitor.deadline(1) == 120);
    monitor.block(1, 1, 0, BlockLevel::memory_and_disk);
    BOOST_TEST(monitor.deadline(1) == (is_served ? 60 : 120));
  }
}

// C-MON-09
BOOST_AUTO_TEST_CASE(an_executor_on_its_way_out_is_not_offered_again) {
  Monitor monitor;
  monitor.add(1);
  monitor.add(2);
  monitor.add(3, 1);
  BOOST_TEST((monitor.timed_out(60) == Ids{1, 2, 3}));
  monitor.it.on_killed({ExecutorId{1}});
  BOOST_TEST((monitor.timed_out(60) == Ids{2, 3}));
  BOOST_TEST(monitor.it.pending_removal(ProfileId{0}) == 1);
  monitor.at(61);
  monitor.start(2);
  BOOST_TEST((monitor.timed_out(61) == Ids{3}));
  monitor.it.on_killed({ExecutorId{3}});
  BOOST_TEST(monitor.timed_out(61).empty());
  monitor.end(2);
  BOOST_TEST(monitor.timed_out(61).empty());
  BOOST_TEST((monitor.timed_out(121) == Ids{2}));
}

// C-MON-10
BOOST_AUTO_TEST_CASE(map_outputs_hold_an_executor_while_a_job_needs_them) {
  Monitor monitor;
  monitor.add(1);
  monitor.it.on_job_started(JobId{1}, {{StageId{1}, ShuffleId{0}}, {StageId{2}, ShuffleId{}}});
  monitor.it.on_job_started(JobId{2}, {{StageId{3}, ShuffleId{1}}});
  monitor.start(1);
  monitor.end(1, 1, TaskEndReason::failed);
  BOOST_TEST(monitor.deadline(1) == 60);
  monitor.start(1);
  monitor.end(1, 1);
  monitor.start(1);
  monitor.end(1, 3);
  BOOST_TEST(!monitor.it.is_idle(ExecutorId{1}));
  monitor.it.on_job_ended(JobId{1});
  BOOST_TEST(!monitor.it.is_idle(ExecutorId{1}));
  monitor.it.on_job_ended(JobId{2});
  BOOST_TEST(monitor.deadline(1) == 240);
  BOOST_TEST(monitor.timed_out(239).empty());
  BOOST_TEST((monitor.timed_out(240) == Ids{1}));
  monitor.it.on_job_started(JobId{3}, {{StageId{5}, ShuffleId{1}}});
  BOOST_TEST(monitor.timed_out(240).empty());
  monitor.it.on_job_ended(JobId{3});
  BOOST_TEST((monitor.timed_out(240) == Ids{1}));
  monitor.it.on_shuffle_cleaned(ShuffleId{0});
  BOOST_TEST(monitor.deadline(1) == 240);
  monitor.it.on_shuffle_cleaned(ShuffleId{1});
  BOOST_TEST(monitor.deadline(1) == 60);
}

// C-MON-11
BOOST_AUTO_TEST_CASE(concurrent_jobs_hold_their_own_executors) {
  Monitor monitor;
  monitor.add(1);
  monitor.add(2);
  monitor.it.on_job_started(JobId{1}, {{StageId{1}, ShuffleId{0}}});
  monitor.it.on_job_started(JobId{2}, {{StageId{2}, ShuffleId{1}}});
  monitor.start(1);
  monitor.end(1, 1);
  BOOST_TEST((monitor.timed_out(60) == Ids{2}));
  monitor.start(2);
  monitor.end(2, 2);
  BOOST_TEST(monitor.timed_out(60).empty());
  monitor.it.on_job_ended(JobId{1});
  BOOST_TEST(monitor.it.is_idle(ExecutorId{1}));
  BOOST_TEST(!monitor.it.is_idle(ExecutorId{2}));
  monitor.it.on_job_ended(JobId{2});
  BOOST_TEST(monitor.deadline(2) == 240);
  monitor.it.on_shuffle_cleaned(ShuffleId{0});
  monitor.it.on_shuffle_cleaned(ShuffleId{1});
  BOOST_TEST((monitor.timed_out(60) == Ids{1, 2}));
}

// C-MON-12, C-MON-14, C-MON-15, C-MON-16
BOOST_AUTO_TEST_CASE(the_longest_of_the_timeouts_that_apply_counts) {
  struct Row {
    std::int64_t idle;
    std::optional<Duration> shuffle;
    bool tracks;
    bool has_service;
    std::int64_t deadline;
  };
  const Row rows[] = {{60, std::chrono::seconds{240}, true, false, 240},
                      {60, std::chrono::seconds{240}, false, false, 120},
                      {60, std::chrono::seconds{240}, true, true, 120},
                      {600, std::chrono::seconds{240}, false, false, 600},
                      {60, std::nullopt, true, false, -1},
                      {60, Duration::max(), true, false, -1}};
  for (const Row& row : rows) {
    ExecutorMonitorSettings settings = Monitor::usual();
    settings.idle_timeout = std::chrono::seconds{row.idle};
    settings.shuffle_timeout = row.shuffle;
    settings.shuffle_tracking = row.tracks;
    settings.shuffle_service = row.has_service;
    Monitor monitor{settings};
    monitor.add(1);
    monitor.it.on_job_started(JobId{1}, {{StageId{1}, ShuffleId{0}}});
    monitor.start(1);
    monitor.end(1, 1);
    monitor.it.on_job_ended(JobId{1});
    monitor.block(1, 1, 0);
    BOOST_TEST(monitor.deadline(1) == row.deadline);
  }
}

/// The lazy queue gives the same answers as a check of every executor.
BOOST_AUTO_TEST_CASE(random_events_time_out_exactly_those_whose_deadline_is_over) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random{seed};
    ExecutorMonitorSettings settings = Monitor::usual();
    settings.idle_timeout = std::chrono::seconds{5 + static_cast<std::int64_t>(random.below(20))};
    Monitor monitor{settings};
    const std::int64_t count = random.chance(1, 2) ? 12 : 150;
    std::int64_t seconds = 0;
    monitor.it.on_job_started(JobId{1}, {{StageId{1}, ShuffleId{0}}});
    std::set<std::int64_t> leaving;
    for (int step = 0; step < 1'500; ++step) {
      seconds += random.chance(1, 20) ? static_cast<std::int64_t>(random.below(40)) : 0;
      monitor.at(seconds);
      const auto id = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(count)));
      switch (random.below(8)) {
        case 0: monitor.add(id); break;
        case 1: monitor.start(id); break;
        case 2: monitor.end(id, random.chance(1, 9) ? 1 : 2); break;
        case 3: monitor.block(id, 1, 0, random.chance(1, 2) ? BlockLevel::memory : BlockLevel::none); break;
        case 4:
          if (random.chance(1, 4)) leaving.erase(id);
          if (!leaving.contains(id)) monitor.it.on_executor_removed(ExecutorId{id}, LossKind::process_lost);
          break;
        case 5:
          if (random.chance(1, 10) && monitor.it.is_known(ExecutorId{id})) {
            monitor.it.on_killed({ExecutorId{id}});
            leaving.insert(id);
          }
          break;
        case 6:
          if (random.chance(1, 30)) monitor.it.on_unpersisted(1);
          break;
        default:
          if (random.chance(1, 60)) monitor.it.on_job_ended(JobId{1});
      }
      std::vector<std::string> expected;
      const auto pending = monitor.it.pending_removal();
      for (std::int64_t other = 0; other < count; ++other) {
        const bool goes = std::find(pending.begin(), pending.end(), ExecutorId{other}) != pending.end();
        const std::int64_t deadline = monitor.deadline(other);
        if (!goes && deadline >= 0 && deadline <= seconds) expected.push_back(std::to_string(other));
      }
      std::sort(expected.begin(), expected.end());
      std::vector<std::string> got;
      for (const std::int64_t due : monitor.timed_out(seconds)) got.push_back(std::to_string(due));
      BOOST_REQUIRE_EQUAL_COLLECTIONS(got.begin(), got.end(), expected.begin(), expected.end());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace executor_monitor_test
}  // namespace heddle::policies

// Goal: trackers get the right tasks in the right order, and jobs follow their reports. Method: the numbered cases of
// the specification on small clusters, then random clusters on which every job must end.
#include "policies/job_tracker/job_queue_scheduler.hpp"

#include <boost/test/unit_test.hpp>
#include <set>

#include "model/random_stream.hpp"

namespace job_queue_scheduler_test {

using namespace heddle;
using namespace heddle::policies;

namespace {

/// A cluster whose trackers run their tasks until the test ends them.
struct World {
  explicit World(JobQueueSettings settings = {false, 0.01F}) : scheduler{settings} {}

  void trackers(std::int32_t count, std::int32_t maps = 2, std::int32_t reduces = 2) {
    for (std::int32_t i = 1; i <= count; ++i)
      scheduler.on_tracker(now, "t" + std::to_string(i), "h" + std::to_string(i), "/r" + std::to_string((i + 1) / 2),
                           maps, reduces);
  }
  ClassicJobDescription job(std::int32_t maps, std::int32_t reduces) {
    ClassicJobDescription description;
    description.job = JobId{next_job++};
    description.splits.resize(static_cast<std::size_t>(maps));
    description.reduces = reduces;
    description.slow_start = 0;
    return description;
  }
  ClassicJobDescription local_job(std::int32_t maps, std::int32_t reduces, const std::string& host) {
    auto description = job(maps, reduces);
    for (auto& split : description.splits) split = {host};
    return description;
  }
  TrackerOrders beat(const std::string& tracker, TaskAttemptState state = TaskAttemptState::running,
                     float progress = 0) {
    TrackerReport heartbeat;
    heartbeat.tracker = tracker;
    for (const auto& attempt : runs[tracker]) heartbeat.reports.push_back({attempt, state, progress, -1, false, -1});
    if (state != TaskAttemptState::running && state != TaskAttemptState::commit_pending) runs[tracker].clear();
    auto orders = scheduler.on_heartbeat(now, heartbeat);
    for (const auto& launch : orders.launches) runs[tracker].push_back(launch.attempt);
    scheduler.check_invariants();
    return orders;
  }
  static std::string names(const TrackerOrders& orders) {
    std::string line;
    for (const auto& launch : orders.launches)
      line += (launch.attempt.is_reduce ? "r" : "m") + to_string(launch.attempt.job) + "." +
              std::to_string(launch.attempt.task) + " ";
    return line;
  }

  JobQueueScheduler scheduler;
  Instant now{};
  std::int32_t next_job = 0;
  std::map<std::string, std::vector<TaskAttemptId>> runs;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(job_queue_scheduler)

BOOST_AUTO_TEST_CASE(without_jobs_nothing_is_launched) {  // C-E1-01
  World world;
  world.trackers(2);
  BOOST_TEST(world.beat("t1").launches.empty());
}

BOOST_AUTO_TEST_CASE(jobs_that_do_not_run_are_ignored) {  // C-E1-02
  World world{{true, 0.01F}};
  world.trackers(1);
  world.scheduler.on_job(world.now, world.job(2, 1));
  const auto orders = world.beat("t1");
  BOOST_REQUIRE(orders.launches.size() == 1U);
  BOOST_TEST((orders.launches.front().type == AttemptType::job_setup));
  BOOST_TEST((world.scheduler.explain(JobId{0}) == JobRefusal::waits_for_setup));
}

BOOST_AUTO_TEST_CASE(the_first_job_fills_the_slots_maps_before_one_reduce) {  // C-E1-03
  World world;
  world.trackers(2);
  world.scheduler.on_job(world.now, world.local_job(10, 10, "h1"));
  world.scheduler.on_job(world.now, world.local_job(10, 10, "h1"));
  BOOST_TEST(World::names(world.beat("t1")) == "m0.0 m0.1 r0.0 ");
  BOOST_TEST(World::names(world.beat("t1")) == "r0.1 ");
  BOOST_TEST(World::names(world.beat("t1")) == "");
  BOOST_TEST(World::names(world.beat("t2")) == "m0.2 m0.3 r0.2 ");
  BOOST_TEST(World::names(world.beat("t2")) == "r0.3 ");
}

BOOST_AUTO_TEST_CASE(hosts_come_before_racks_and_racks_before_the_rest) {  // C-E1-09
  World world;
  world.trackers(3, 1, 0);
  auto job = world.job(3, 0);
  job.splits = {{"h3"}, {"h2"}, {"h1"}};
  world.scheduler.on_job(world.now, job);
  for (const auto locality : {ClassicLocality::node_local, ClassicLocality::rack_local, ClassicLocality::off_switch}) {
    const auto orders = world.beat("t1", TaskAttemptState::succeeded);
    BOOST_REQUIRE(orders.launches.size() == 1U);
    BOOST_TEST((orders.launches.front().locality == locality));
  }
}

BOOST_AUTO_TEST_CASE(padding_keeps_slots_free_for_late_needs) {  // C-E1-16, C-E1-17; JQ-10
  for (const std::int32_t count : {4, 3}) {
    World world;
    world.trackers(count, 2, 0);
    auto job = world.job(500, 1);
    for (auto& split : job.splits) split = {"h1", "h2", "h3", "h4"};
    world.scheduler.on_job(world.now, job);
    std::size_t launched = 0;
    for (std::int32_t i = 1; i <= count; ++i) {
      launched = world.beat("t" + std::to_string(i)).launches.size();
      world.beat("t" + std::to_string(i));
    }
    BOOST_TEST(launched == (count == 4 ? 1U : 2U));
  }
}

BOOST_AUTO_TEST_CASE(a_light_load_spreads_over_the_trackers) {  // C-E1-18; JQ-5
  World world;
  world.trackers(10, 4, 0);
  world.scheduler.on_job(world.now, world.local_job(10, 0, "h1"));
  BOOST_TEST(world.beat("t1").launches.size() == 1U);
}

BOOST_AUTO_TEST_CASE(slow_tasks_get_a_second_attempt) {  // C-E1-19; SP-1
  struct Row {
    float slow;
    std::int64_t age_ms;
    bool is_speculated;
    JobRules rules = {};
  };
  JobRules eager;
  eager.speculative_gap = 0.01;
  eager.speculative_lag = std::chrono::seconds{10};
  for (const Row& row : {Row{0.5F, 60000, true}, Row{0.8F, 60000, false}, Row{0.5F, 59999, false},
                         Row{0.8F, 10000, true, eager}, Row{0.8F, 9999, false, eager}}) {
    World world;
    world.trackers(2, 2, 0);
    auto job = world.local_job(4, 0, "h1");
    static_cast<JobRules&>(job) = row.rules;
    world.scheduler.on_job(world.now, job);
    world.beat("t1");
    world.beat("t2");
    world.now += std::chrono::milliseconds{row.age_ms};
    TrackerReport heartbeat{"t1", {}, false};
    heartbeat.reports.push_back({{JobId{0}, false, 0, 0}, TaskAttemptState::succeeded, 1, -1, false, -1});
    heartbeat.reports.push_back({{JobId{0}, false, 1, 0}, TaskAttemptState::running, row.slow, -1, false, -1});
    static_cast<void>(world.scheduler.on_heartbeat(world.now, heartbeat));
    const auto orders = world.beat("t2", TaskAttemptState::succeeded);
    BOOST_TEST(orders.launches.size() == (row.is_speculated ? 1U : 0U));
    if (row.is_speculated) BOOST_TEST(orders.launches.front().speculative);
  }
}

BOOST_AUTO_TEST_CASE(reduces_wait_for_their_part_of_the_maps) {  // C-E1-08, C-E1-20; JS-1
  for (const auto& [maps, needed] : std::map<std::int32_t, std::int32_t>{{10, 1}, {100, 5}, {1, 1}}) {
    World world;
    world.trackers(1, maps, 1);
    auto job = world.local_job(maps, 1, "h1");
    job.slow_start = 0.05F;
    world.scheduler.on_job(world.now, job);
    world.beat("t1");
    TrackerReport heartbeat{"t1", {}, true};
    for (std::int32_t done = 0; done < maps; ++done) {
      BOOST_TEST(reduces_may_start(world.scheduler.jobs().at(JobId{0})) == (done >= needed));
      heartbeat.reports.assign(1, {{JobId{0}, false, done, 0}, TaskAttemptState::succeeded, 1, -1, false, -1});
      static_cast<void>(world.scheduler.on_heartbeat(world.now, heartbeat));
    }
  }
}

BOOST_AUTO_TEST_CASE(failures_are_counted_until_a_quarter_of_the_trackers_is_flaky) {  // C-E1-22; JP-8
  World world;
  world.trackers(8, 1, 0);
  auto job = world.job(40, 0);
  job.tracker_failures_max = 1;
  job.map_attempts_max = 50;
  world.scheduler.on_job(world.now, job);
  for (const char* tracker : {"t1", "t2", "t3"}) {
    world.beat(tracker);
    world.beat(tracker, TaskAttemptState::failed);
  }
  const auto& kept = world.scheduler.jobs().at(JobId{0});
  BOOST_TEST(kept.faults().flaky() == 2);
  BOOST_TEST(kept.faults().failures().size() == 2U);
}

BOOST_AUTO_TEST_CASE(too_many_failures_fail_the_job_once) {  // JS-2, JS-3
  World world;
  world.trackers(1, 1, 0);
  auto job = world.job(1, 0);
  job.map_attempts_max = 2;
  world.scheduler.on_job(world.now, job);
  world.beat("t1");
  world.beat("t1", TaskAttemptState::failed);
  const auto orders = world.beat("t1", TaskAttemptState::failed);
  BOOST_TEST((world.scheduler.jobs().at(JobId{0}).state() == JobRunState::failed));
  BOOST_TEST(orders.ended_jobs.size() == 1U);
  BOOST_TEST(world.beat("t1").ended_jobs.empty());
}

BOOST_AUTO_TEST_CASE(only_one_attempt_may_commit) {  // JT-7
  World world;
  world.trackers(1, 1, 0);
  world.scheduler.on_job(world.now, world.job(1, 0));
  world.beat("t1");
  BOOST_TEST(world.beat("t1", TaskAttemptState::commit_pending).commits.size() == 1U);
}

// C-E1-10: all maps of one job fail, and all reduces of the other.
BOOST_AUTO_TEST_CASE(jobs_whose_tasks_always_fail_never_wait_for_less_than_nothing) {
  for (const bool reduces_fail : {false, true}) {
    World world;
    world.trackers(3);
    auto job = world.local_job(6, 3, "h1");
    job.map_speculative = job.reduce_speculative = false;
    world.scheduler.on_job(world.now, job);
    for (int round = 0; round < 60; ++round) {
      const std::string tracker = "t" + std::to_string(1 + round % 3);
      const auto& runs = world.runs[tracker];
      const bool has_reduce =
          std::any_of(runs.begin(), runs.end(), [](const auto& attempt) { return attempt.is_reduce; });
      world.beat(tracker, has_reduce == reduces_fail ? TaskAttemptState::failed : TaskAttemptState::succeeded, 0.5F);
      world.now += std::chrono::seconds{3};
      const auto& kept = world.scheduler.jobs().at(JobId{0});
      for (const bool of_reduces : {false, true}) {
        const std::int32_t all = of_reduces ? kept.reduces() : kept.maps();
        const std::int32_t pending =
            all - kept.counts(of_reduces).running - kept.counts(of_reduces).finished - kept.counts(of_reduces).failed;
        BOOST_TEST(pending >= 0);
        BOOST_TEST(kept.counts(of_reduces).running >= 0);
      }
    }
    BOOST_TEST((world.scheduler.jobs().at(JobId{0}).state() == JobRunState::failed));
  }
}

BOOST_AUTO_TEST_CASE(every_job_ends_on_random_clusters) {  // C-E1-10: counts never below 0
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    RandomStream random{seed};
    World world{{random.chance(1, 2), 0.01F}};
    world.trackers(5);
    for (int i = 0; i < 4; ++i) {
      auto job = world.local_job(1 + static_cast<std::int32_t>(random.below(9)),
                                 static_cast<std::int32_t>(random.below(4)), "h" + std::to_string(1 + random.below(5)));
      job.map_attempts_max = 20;
      job.reduce_attempts_max = 20;
      world.scheduler.on_job(world.now, job);
    }
    const auto has_ended = [&world] {
      return std::all_of(world.scheduler.jobs().begin(), world.scheduler.jobs().end(),
                         [](const auto& row) { return row.second.has_ended(); });
    };
    int rounds = 0;
    for (; rounds < 500 && !has_ended(); ++rounds) {
      const auto tracker = "t" + std::to_string(1 + random.below(5));
      const auto state = random.chance(1, 8)   ? TaskAttemptState::failed
                         : random.chance(1, 2) ? TaskAttemptState::succeeded
                                               : TaskAttemptState::running;
      world.beat(tracker, state, 0.5F);
      world.now += std::chrono::seconds{3};
    }
    BOOST_TEST_INFO("seed " << seed);
    BOOST_TEST(rounds < 500);
  }
}

BOOST_AUTO_TEST_CASE(a_limit_of_running_tasks_lets_the_next_job_start) {  // C-E1-04, C-E1-05
  const std::pair<std::vector<const char*>, std::string> rows[] = {
      {{"t1", "t1", "t1", "t1", "t2", "t2", "t2", "t2"}, "m0.0 m0.1 r0.0 r0.1 m1.0 m1.1 r1.0 r1.1 "},
      {{"t1", "t1", "t2", "t1", "t2", "t1", "t2", "t2"}, "m0.0 m0.1 m0.2 r0.0 m1.0 r1.0 r1.1 r1.2 "},
  };
  for (const auto& [beats, expected] : rows) {
    JobQueueSettings settings{false, 0.01F};
    settings.running_tasks_of_job_max = 4;
    World world{settings};
    world.trackers(2);
    for (int i = 0; i < 2; ++i) world.scheduler.on_job(world.now, world.job(10, 10));
    std::string launched;
    for (const char* tracker : beats) launched += World::names(world.beat(tracker));
    BOOST_TEST(launched == expected);
  }
}

BOOST_AUTO_TEST_CASE(outputs_of_tasks_are_estimated_from_those_that_ended) {  // C-E1-06, C-E1-07; RE-1 … RE-5
  struct Row {
    std::int64_t split_length;
    bool with_setup;  // one more task without input, whose output counts
    std::int64_t of_one_map;
    std::int64_t of_one_reduce;
  };
  for (const Row& row : {Row{0, false, 2000, 100000}, Row{500, false, 2000, 100000}, Row{500, true, 2199, 0}}) {
    for (const std::int64_t missing : {0, 1}) {
      World world{{row.with_setup, 0.01F}};
      world.trackers(1, 10, 0);
      auto job = world.local_job(100, 2, "h1");
      job.slow_start = 0.1F;
      job.split_length = row.split_length;
      if (row.of_one_reduce > 0) job.reduce_input_limit = row.of_one_reduce / 2 - missing;
      world.scheduler.on_job(world.now, job);
      const auto finish = [&](std::int64_t free_space) {
        TrackerReport heartbeat;
        heartbeat.tracker = "t1";
        heartbeat.free_space = free_space;
        for (const auto& attempt : std::exchange(world.runs["t1"], {}))
          heartbeat.reports.push_back({attempt, TaskAttemptState::succeeded, 1, 1000, false, -1});
        auto orders = world.scheduler.on_heartbeat(world.now, heartbeat);
        for (const auto& launch : orders.launches) world.runs["t1"].push_back(launch.attempt);
        return orders.launches.size();
      };
      constexpr std::int64_t plenty = 1'000'000'000;
      // There is no estimate for the first ten: they need no disk space.
      for (int i = 0; i < 4 && world.runs["t1"].size() < 10U; ++i) finish(row.with_setup ? plenty : 0);
      BOOST_TEST_REQUIRE(world.runs["t1"].size() == 10U);
      BOOST_TEST((finish(row.of_one_map - missing) > 0) == (missing == 0), row.split_length << " " << row.with_setup);
      if (row.of_one_reduce == 0) continue;
      // A reduce above the input limit fails its job. The estimate is halved, since it was doubled for safety.
      world.scheduler.on_tracker(world.now, "t2", "h2", "/r1", 0, 1);
      world.beat("t2");
      BOOST_TEST((finish(plenty) == 0) == (missing == 1));
    }
  }
}

BOOST_AUTO_TEST_CASE(running_counts_are_those_of_what_runs) {  // C-E1-11
  for (int mask = 0; mask < 4; ++mask) {
    World world;
    world.trackers(3);
    auto job = (mask & 1) != 0 ? world.local_job(8, 4, "h1") : world.job(8, 4);
    job.map_speculative = job.reduce_speculative = (mask & 2) != 0;
    world.scheduler.on_job(world.now, job);
    for (int round = 0; round < 12; ++round) {
      const std::string tracker = "t" + std::to_string(1 + round % 3);
      world.beat(tracker, round % 4 == 3 ? TaskAttemptState::succeeded : TaskAttemptState::running, 0.1F);
      world.now += std::chrono::seconds{70};
      std::set<std::pair<bool, std::int32_t>> tasks;
      for (const auto& [name, attempts] : world.runs)
        for (const auto& attempt : attempts) tasks.insert({attempt.is_reduce, attempt.task});
      const auto& kept = world.scheduler.jobs().at(JobId{0});
      const auto maps = static_cast<std::int32_t>(
          std::count_if(tasks.begin(), tasks.end(), [](const auto& task) { return !task.first; }));
      if (!job.map_speculative) BOOST_TEST(kept.counts(false).running == maps);
      if (!job.reduce_speculative)
        BOOST_TEST(kept.counts(true).running == static_cast<std::int32_t>(tasks.size()) - maps);
      BOOST_TEST(kept.counts(false).running >= 0);
      BOOST_TEST(kept.counts(true).running >= 0);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_job_with_too_many_tasks_fails_at_once) {  // C-E1-14; the reduce input limit is part of C-E1-06
  const std::pair<std::int32_t, JobRunState> rows[] = {
      {2, JobRunState::failed}, {7, JobRunState::running}, {-1, JobRunState::running}};
  for (const auto& [most, state] : rows) {
    JobQueueSettings settings{false, 0.01F};
    settings.tasks_of_job_max = most;
    World world{settings};
    world.trackers(1, 5, 1);
    world.scheduler.on_job(world.now, world.job(5, 1));
    BOOST_TEST((world.scheduler.jobs().at(JobId{0}).state() == state), most);
    world.beat("t1");
    for (int i = 0; i < 10 && !world.runs["t1"].empty(); ++i) world.beat("t1", TaskAttemptState::succeeded, 1);
    BOOST_TEST(
        (world.scheduler.jobs().at(JobId{0}).state() == (most == 2 ? JobRunState::failed : JobRunState::succeeded)),
        most);
  }
}

BOOST_AUTO_TEST_CASE(setup_and_cleanup_decide_a_jobs_end) {  // C-E1-15
  enum class Trouble {
    setup_fails,
    cleanup_fails,
    setup_killed,
    cleanup_killed,
    tracker_lost_in_setup,
    tracker_lost_in_cleanup
  };
  const std::pair<Trouble, JobRunState> rows[] = {{Trouble::setup_fails, JobRunState::failed},
                                                  {Trouble::cleanup_fails, JobRunState::failed},
                                                  {Trouble::setup_killed, JobRunState::succeeded},
                                                  {Trouble::cleanup_killed, JobRunState::succeeded},
                                                  {Trouble::tracker_lost_in_setup, JobRunState::succeeded},
                                                  {Trouble::tracker_lost_in_cleanup, JobRunState::succeeded}};
  for (const auto& [trouble, state] : rows) {
    World world{{true, 0.01F}};
    world.trackers(2, 1, 1);
    world.scheduler.on_job(world.now, world.job(1, 0));
    const bool in_setup = trouble == Trouble::setup_fails || trouble == Trouble::setup_killed ||
                          trouble == Trouble::tracker_lost_in_setup;
    const bool fails = trouble == Trouble::setup_fails || trouble == Trouble::cleanup_fails;
    bool is_done = false;
    for (int round = 0; round < 40 && !world.scheduler.jobs().at(JobId{0}).has_ended(); ++round) {
      const std::string tracker =
          world.scheduler.jobs().at(JobId{0}).has_ended() ? "t2" : (round % 2 == 0 ? "t1" : "t2");
      const auto& runs = world.runs[tracker];
      // The only map is task 0; cleanup is task 1, setup is task 2.
      const bool is_special = !runs.empty() && runs[0].task == (in_setup ? 2 : 1) && !runs[0].is_reduce;
      const bool is_reduce_special = !runs.empty() && runs[0].is_reduce;
      if ((is_special || is_reduce_special) && (fails || !is_done)) {
        is_done = true;
        if (trouble == Trouble::tracker_lost_in_setup || trouble == Trouble::tracker_lost_in_cleanup) {
          world.scheduler.on_tracker_lost(world.now, tracker);
          world.runs[tracker].clear();
          continue;
        }
        world.beat(tracker, fails ? TaskAttemptState::failed : TaskAttemptState::killed);
      } else {
        world.beat(tracker, TaskAttemptState::succeeded, 1);
      }
    }
    BOOST_TEST(is_done);
    BOOST_TEST((world.scheduler.jobs().at(JobId{0}).state() == state), static_cast<int>(trouble));
  }
}

BOOST_AUTO_TEST_CASE(heartbeats_come_rarer_in_large_clusters) {  // C-E1-21; JT-5
  for (const auto& [trackers, milliseconds] :
       std::map<std::int32_t, std::int32_t>{{10, 300}, {50, 500}, {1000, 10000}}) {
    World world;
    world.trackers(trackers, 1, 1);
    BOOST_TEST(to_milliseconds(world.scheduler.heartbeat_interval()) == milliseconds);
  }
}

BOOST_AUTO_TEST_CASE(a_launch_that_no_tracker_confirms_has_failed) {  // JT-3
  World world;
  world.trackers(1, 1, 0);
  world.scheduler.on_job(world.now, world.job(1, 0));
  world.beat("t1");
  world.runs["t1"].clear();  // the tracker loses it
  BOOST_TEST((world.scheduler.next_due() == world.now + std::chrono::seconds{200}));
  world.now += std::chrono::seconds{600};
  world.scheduler.on_time(world.now);
  BOOST_TEST(world.scheduler.jobs().at(JobId{0}).counts(false).running == 1);
  world.now += std::chrono::seconds{200};
  world.scheduler.on_time(world.now);
  BOOST_TEST(world.scheduler.jobs().at(JobId{0}).counts(false).running == 0);
  BOOST_TEST(!world.scheduler.next_due().has_value());
  BOOST_TEST(world.scheduler.jobs().at(JobId{0}).faults().failures().size() == 1U);
}

// C-E1-12, C-E1-13; JT-6: a job that succeeds and avoided a host is a fault of that host.
BOOST_AUTO_TEST_CASE(hosts_with_more_faults_than_others_turn_gray) {
  for (const std::int32_t trackers : {3, 2}) {
    JobQueueSettings settings{false, 0.01F};
    settings.host_faults_max = 1;
    World world{settings};
    world.trackers(trackers, 1, 0);
    for (std::int32_t run = 1; run <= 2; ++run) {
      auto job = world.job(1, 0);
      job.tracker_failures_max = 1;
      world.scheduler.on_job(world.now, job);
      world.beat("t1");
      world.beat("t1", TaskAttemptState::failed);
      world.beat("t2");
      world.beat("t2", TaskAttemptState::succeeded, 1);
      BOOST_TEST((world.scheduler.jobs().at(job.job).state() == JobRunState::succeeded));
      BOOST_TEST(world.scheduler.faults_of(world.now, "h1") == run);
      BOOST_TEST(world.scheduler.faults_of(world.now, "h2") == 0);
      BOOST_TEST(world.scheduler.gray_trackers() == 1);
    }
    const auto changes_of = [&world] {
      std::vector<std::pair<bool, std::int32_t>> changes;
      for (const auto& effect : world.scheduler.take_effects())
        if (const auto* change = std::get_if<HostGrayChanged>(&effect); change != nullptr && change->host == "h1")
          changes.emplace_back(change->is_gray, change->faults);
      return changes;
    };
    BOOST_TEST((changes_of() == std::vector<std::pair<bool, std::int32_t>>{{true, 1}}));
    world.scheduler.on_tracker_lost(world.now, "t1");
    BOOST_TEST(world.scheduler.gray_trackers() == 0);
    world.scheduler.on_tracker(world.now, "t1", "h1", "/r", 1, 0);  // started again
    BOOST_TEST((changes_of() == std::vector<std::pair<bool, std::int32_t>>{{false, 0}}));
    world.now += std::chrono::hours{4};
    BOOST_TEST(world.scheduler.faults_of(world.now, "h1") == 0);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace job_queue_scheduler_test

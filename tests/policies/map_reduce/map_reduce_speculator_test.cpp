// Scans of the MapReduceSpeculator: the numbered case of the specification (E3-23), its rules DS-1 to DS-7, then random
// jobs against a search over all tasks.
#include "policies/map_reduce/map_reduce_speculator.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace map_reduce_speculator_test {
namespace {

using namespace speculator_input;
using Verdict = SpeculationVerdict;
using std::chrono::milliseconds;
using std::chrono::seconds;

MapReduceAttempt map(std::int32_t index, std::int32_t attempt = 0) { return {false, index, attempt}; }
MapReduceAttempt reduce(std::int32_t index, std::int32_t attempt = 0) { return {true, index, attempt}; }

SpeculatorSettings settings_for(std::int32_t maps, std::int32_t reduces = 0) {
  SpeculatorSettings settings;
  settings.maps = maps;
  settings.reduces = reduces;
  return settings;
}

/// A MapReduceSpeculator with a clock. It starts at 1000 s.
class Job {
public:
  explicit Job(const SpeculatorSettings& settings) : speculator{settings} {}

  /// The attempt gets its container at once and runs.
  void run(MapReduceAttempt attempt) {
    speculator.apply(now, AttemptRequested{attempt});
    speculator.apply(now, ContainersNeeded{attempt.is_reduce, -1});
    speculator.apply(now, AttemptLaunched{attempt});
  }
  void report(MapReduceAttempt attempt, float progress) { speculator.apply(now, AttemptReported{attempt, progress}); }
  void succeed(MapReduceAttempt attempt) {
    speculator.apply(now, AttemptSucceeded{attempt});
    ++(attempt.is_reduce ? completed.reduces : completed.maps);
    speculator.apply(now, completed);
  }
  void be(MapReduceAttempt attempt, State state) { speculator.apply(now, AttemptStateChanged{attempt, state}); }
  /// Tasks that get a speculative attempt, maps as 0, 1, …, reduces as -1, -2, ….
  std::vector<std::int32_t> scan() {
    SpeculatorEffects effects;
    speculator.apply(now, ScanDue{}, effects);
    speculator.check_invariants();
    std::vector<std::int32_t> tasks;
    for (const auto& effect : effects) {
      const auto& task = std::get<SpeculateTask>(effect);
      tasks.push_back(task.is_reduce ? -1 - task.index : task.index);
    }
    return tasks;
  }
  [[nodiscard]] Verdict verdict(std::int32_t map) const { return speculator.value(false, map, now).verdict; }
  [[nodiscard]] std::int64_t gain_ms(std::int32_t map) const { return speculator.value(false, map, now).gain_ms; }

  MapReduceSpeculator speculator;
  Instant now{seconds{1000}};
  TasksCompleted completed;
};

using Tasks = std::vector<std::int32_t>;

/// Map 0 has succeeded in 10 s. The others run as long; map 1 is at a tenth, map 2 at a half, map 3 at nine tenths.
Job job_of_four(const SpeculatorSettings& settings = settings_for(4)) {
  Job job{settings};
  for (std::int32_t i = 0; i < 4; ++i) job.run(map(i));
  job.now += seconds{10};
  job.succeed(map(0));
  job.report(map(1), 0.1F);
  job.report(map(2), 0.5F);
  job.report(map(3), 0.9F);
  return job;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(map_reduce_speculator)

// C-E3-23.
BOOST_AUTO_TEST_CASE(copies_are_allowed_by_the_largest_of_three_bounds) {
  const SpeculatorSettings settings;
  BOOST_TEST(speculation_allowance(5000, 400, settings) == 50);
  BOOST_TEST(speculation_allowance(500, 40, settings) == 10);
  BOOST_TEST(speculation_allowance(1000, 400, settings) == 40);
}

BOOST_AUTO_TEST_CASE(the_task_with_the_largest_gain_gets_one_more_attempt) {
  auto job = job_of_four();
  BOOST_TEST((job.verdict(0) == Verdict::not_running));
  BOOST_TEST(job.gain_ms(1) == 79999);  // 100 s at this speed, of which 10 s are over; a new attempt takes 10 s
  BOOST_TEST((job.verdict(2) == Verdict::too_late));
  BOOST_TEST((job.verdict(3) == Verdict::too_late));
  BOOST_TEST(job.scan() == Tasks{1});
}

BOOST_AUTO_TEST_CASE(of_equal_gains_the_lowest_index_wins) {
  Job job{settings_for(3)};
  for (std::int32_t i = 0; i < 3; ++i) job.run(map(i));
  job.now += seconds{10};
  job.succeed(map(0));
  job.report(map(2), 0.1F);
  job.report(map(1), 0.1F);
  BOOST_TEST(job.scan() == Tasks{1});
}

// DS-6.
BOOST_AUTO_TEST_CASE(the_next_scan_comes_later_after_a_speculation) {
  auto settings = settings_for(4);
  BOOST_TEST(!Job{settings}.speculator.next_due().has_value());
  auto job = job_of_four(settings);
  BOOST_TEST((job.speculator.next_due() == Instant{seconds{1000}}));  // at once when the first container is requested
  job.scan();
  BOOST_TEST((job.speculator.next_due() == job.now + seconds{15}));
  job.now += seconds{15};
  job.report(map(1), 0.99F);
  job.scan();
  BOOST_TEST((job.speculator.next_due() == job.now + seconds{1}));
  settings.retry_after_none = milliseconds{20};
  settings.retry_after_one = milliseconds{300};
  auto quick = job_of_four(settings);
  quick.scan();
  BOOST_TEST((quick.speculator.next_due() == quick.now + milliseconds{300}));
  quick.report(map(1), 0.99F);
  quick.scan();
  BOOST_TEST((quick.speculator.next_due() == quick.now + milliseconds{20}));
}

// DS-1.
BOOST_AUTO_TEST_CASE(a_kind_that_needs_containers_is_not_scanned) {
  auto job = job_of_four(settings_for(4, 2));
  BOOST_TEST(job.speculator.is_scanned(false));
  BOOST_TEST(!job.speculator.is_scanned(true));  // no reduce was ever requested
  job.speculator.apply(job.now, AttemptRequested{map(1, 1)});
  BOOST_TEST(!job.speculator.is_scanned(false));
  BOOST_TEST(job.scan() == Tasks{});
  job.speculator.apply(job.now, ContainersNeeded{false, -1});
  job.be(map(1, 1), State::killed);
  BOOST_TEST(job.scan() == Tasks{1});
}

BOOST_AUTO_TEST_CASE(a_scan_speculates_one_map_and_one_reduce) {
  auto job = job_of_four(settings_for(4, 3));
  for (std::int32_t i = 0; i < 3; ++i) job.run(reduce(i));
  job.now += seconds{10};
  job.succeed(reduce(0));
  job.report(reduce(1), 0.1F);
  job.report(reduce(2), 0.2F);
  job.report(map(2), 0.5F);
  BOOST_TEST(job.scan() == (Tasks{1, -2}));
  BOOST_TEST((job.speculator.next_due() == job.now + seconds{15}));
}

BOOST_AUTO_TEST_CASE(a_kind_whose_speculation_is_off_is_never_scanned) {
  auto settings = settings_for(4);
  settings.speculates_maps = false;
  auto job = job_of_four(settings);
  BOOST_TEST(!job.speculator.is_scanned(false));
  BOOST_TEST(!job.speculator.next_due().has_value());
  BOOST_TEST(job.scan() == Tasks{});
  settings.speculates_maps = true;
  settings.speculates_reduces = false;
  BOOST_TEST(job_of_four(settings).scan() == Tasks{1});
}

// DS-2.
BOOST_AUTO_TEST_CASE(five_percent_of_the_tasks_complete_first) {
  Job job{settings_for(41)};
  for (std::int32_t i = 0; i < 41; ++i) job.run(map(i));
  job.now += seconds{10};
  for (std::int32_t i = 3; i < 41; ++i) job.report(map(i), 0.1F);
  job.succeed(map(0));
  job.succeed(map(1));
  BOOST_TEST((job.verdict(0) == Verdict::on_schedule));
  BOOST_TEST((job.verdict(5) == Verdict::on_schedule));
  BOOST_TEST(job.scan() == Tasks{});
  job.succeed(map(2));
  BOOST_TEST((job.verdict(0) == Verdict::not_running));
  BOOST_TEST(job.scan() == Tasks{3});
}

// DS-2.
BOOST_AUTO_TEST_CASE(only_the_first_success_of_a_task_counts) {
  auto job = job_of_four();
  job.run(map(0, 1));  // its output was lost
  job.now += seconds{90};
  job.succeed(map(0, 1));
  job.report(map(1), 0.1F);
  BOOST_TEST(job.gain_ms(1) == 889999);  // 1000 s less 100 s and a mean of 10 s
}

// DS-3.
BOOST_AUTO_TEST_CASE(attempts_are_examined_in_order_of_number) {
  auto job = job_of_four();
  job.speculator.apply(job.now, AttemptRequested{map(3, 1)});
  BOOST_TEST((job.verdict(3) == Verdict::too_late));  // of the first attempt
  job.speculator.apply(job.now, AttemptRequested{map(1, 1)});
  BOOST_TEST((job.verdict(1) == Verdict::already_speculating));
  job.be(map(1), State::failed);
  BOOST_TEST((job.verdict(1) == Verdict::too_new));  // of the second, which has not started
  job.speculator.apply(job.now, AttemptLaunched{map(1, 1)});
  BOOST_TEST((job.verdict(1) == Verdict::progress_is_good));  // no estimate yet
  job.be(map(1, 1), State::commit_pending);
  BOOST_TEST((job.verdict(1) == Verdict::not_running));
}

// DS-4.
BOOST_AUTO_TEST_CASE(a_silent_attempt_gets_a_simulated_report) {
  Job job{settings_for(2)};
  job.run(map(0));
  job.run(map(1));
  job.now += seconds{10};
  job.report(map(1), 0.5F);
  job.succeed(map(0));
  job.scan();
  job.now += seconds{9};
  job.scan();
  BOOST_TEST(job.speculator.simulated().empty());
  job.now += milliseconds{1};
  BOOST_TEST((job.verdict(1) == Verdict::too_late));
  BOOST_TEST(job.scan() == Tasks{});
  BOOST_TEST((job.speculator.simulated() == std::vector{map(1)}));
  job.now += milliseconds{1};
  BOOST_TEST(job.gain_ms(1) ==
             9000);  // 19.001 s for a half, so 38.002 s in all; 19.002 s are over, a new attempt takes 10 s
  BOOST_TEST(job.scan() == Tasks{1});
  BOOST_TEST(job.speculator.simulated().empty());
}

// DS-4.
BOOST_AUTO_TEST_CASE(the_time_until_a_simulated_report_is_a_setting) {
  auto settings = settings_for(2);
  settings.silence_max = milliseconds{10};
  Job job{settings};
  job.run(map(0));
  job.run(map(1));
  job.now += seconds{1};
  job.succeed(map(0));
  job.report(map(1), 0.6F);
  job.scan();
  job.now += milliseconds{11};
  job.scan();
  BOOST_TEST((job.speculator.simulated() == std::vector{map(1)}));
}

// DS-5.
BOOST_AUTO_TEST_CASE(tasks_with_two_attempts_count_against_the_allowance) {
  auto settings = settings_for(4);
  settings.allowed_min = 1;
  auto job = job_of_four(settings);
  job.report(map(2), 0.2F);
  BOOST_TEST(job.scan() == Tasks{1});
  job.speculator.apply(job.now, AttemptRequested{map(1, 1)});
  job.speculator.apply(job.now, ContainersNeeded{false, -1});
  BOOST_TEST((job.verdict(2) == Verdict::good));
  BOOST_TEST(job.scan() == Tasks{});  // one task speculates already
  job.be(map(1, 1), State::killed);
  job.report(map(1), 0.9F);
  BOOST_TEST(job.scan() == Tasks{2});
}

// DS-7.
BOOST_AUTO_TEST_CASE(a_speculated_task_is_examined_before_the_threshold_is_asked_for) {
  auto job = job_of_four();
  job.scan();
  job.completed.maps = 0;
  job.speculator.apply(job.now, job.completed);
  BOOST_TEST((job.verdict(1) == Verdict::on_schedule));
  job.be(map(1), State::failed);
  BOOST_TEST((job.verdict(1) == Verdict::not_running));
  BOOST_TEST((job.verdict(0) == Verdict::on_schedule));  // never speculated, and no attempt runs
  job.be(map(1), State::running);
  job.now += seconds{9} + milliseconds{1};
  BOOST_TEST(job.scan() == Tasks{});
  BOOST_TEST((job.speculator.simulated() == std::vector{map(1)}));  // only of the speculated task
}

BOOST_AUTO_TEST_CASE(a_speculated_task_is_speculated_again_when_its_copy_has_ended) {
  auto job = job_of_four();
  BOOST_TEST(job.scan() == Tasks{1});
  job.run(map(1, 1));
  BOOST_TEST(job.scan() == Tasks{});
  job.be(map(1, 1), State::failed);
  BOOST_TEST(job.scan() == Tasks{1});
}

BOOST_AUTO_TEST_CASE(reports_of_unknown_attempts_are_ignored) {
  auto job = job_of_four();
  job.report(map(1, 7), 0.01F);
  job.be(map(2, 7), State::running);
  job.speculator.apply(job.now, AttemptLaunched{map(3, 7)});
  job.speculator.apply(job.now, AttemptSucceeded{map(3, 7)});
  BOOST_TEST(job.scan() == Tasks{1});
}

namespace {

/// The tasks that a scan speculates, from the value of every task.
Tasks search_all(const Job& job, const SpeculatorSettings& settings) {
  Tasks found;
  for (const bool is_reduce : {false, true}) {
    if (!job.speculator.is_scanned(is_reduce)) continue;
    const std::int32_t tasks = is_reduce ? settings.reduces : settings.maps;
    std::int32_t running = 0;
    std::int32_t speculating = 0;
    std::int32_t best = -1;
    std::int64_t best_gain_ms = -1;
    for (std::int32_t i = 0; i < tasks; ++i) {
      const auto value = job.speculator.value(is_reduce, i, job.now);
      if (value.verdict != Verdict::not_running) ++running;
      if (value.verdict == Verdict::already_speculating) ++speculating;
      if (value.verdict == Verdict::good && value.gain_ms > best_gain_ms) {
        best = i;
        best_gain_ms = value.gain_ms;
      }
    }
    if (best >= 0 && speculation_allowance(tasks, running, settings) > speculating)
      found.push_back(is_reduce ? -1 - best : best);
  }
  return found;
}

MapReduceAttempt random_attempt(RandomStream& random, const SpeculatorSettings& settings) {
  const bool is_reduce = random.below(3) == 0;
  const std::int32_t tasks = is_reduce ? settings.reduces : settings.maps;
  return {is_reduce, static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(tasks))), 0};
}

/// One random input. `attempts`: the number of attempts of each map, then of each reduce.
void change(Job& job, RandomStream& random, const SpeculatorSettings& settings, std::vector<std::int32_t>& attempts) {
  MapReduceAttempt attempt = random_attempt(random, settings);
  auto& known = attempts[static_cast<std::size_t>(attempt.index + (attempt.is_reduce ? settings.maps : 0))];
  if (known == 0 || random.below(8) == 0) {
    attempt.attempt = known++;
    return job.run(attempt);
  }
  attempt.attempt = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(known)));
  switch (random.below(8)) {
    case 0: return job.succeed(attempt);
    case 1: return job.be(attempt, static_cast<State>(random.below(6)));
    case 2: return job.speculator.apply(job.now, ContainersNeeded{attempt.is_reduce, random.below(2) == 0 ? 1 : -1});
    default: return job.report(attempt, static_cast<float>(random.below(101)) / 100);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(random_jobs_speculate_the_best_of_all_tasks) {
  RandomStream random{9};
  std::int64_t speculated = 0;
  std::int64_t simulated = 0;
  for (int round = 0; round < 300; ++round) {
    auto settings =
        settings_for(static_cast<std::int32_t>(1 + random.below(30)), static_cast<std::int32_t>(1 + random.below(10)));
    settings.allowed_min = static_cast<std::int32_t>(random.below(4));
    if (random.below(2) == 0) settings.estimates.estimator = RunTimeEstimator::simple_exponential;
    settings.estimates.skipped_readings = static_cast<std::int32_t>(random.below(3));
    Job job{settings};
    std::vector<std::int32_t> attempts(static_cast<std::size_t>(settings.maps + settings.reduces));
    for (int step = 0; step < 150; ++step) {
      job.now += milliseconds{static_cast<std::int64_t>(random.below(1000))};
      change(job, random, settings, attempts);
      if (random.below(4) != 0) continue;
      const Tasks expected = search_all(job, settings);
      BOOST_REQUIRE(job.scan() == expected);
      speculated += static_cast<std::int64_t>(expected.size());
      simulated += static_cast<std::int64_t>(job.speculator.simulated().size());
      BOOST_REQUIRE((job.speculator.next_due() == job.now + (expected.empty() ? seconds{1} : seconds{15})));
    }
  }
  BOOST_TEST(speculated > 1000);
  BOOST_TEST(simulated > 100);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace map_reduce_speculator_test
}  // namespace heddle::policies

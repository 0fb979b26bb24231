// Estimates of run times: statistics of completed tasks, both estimators (DS-2, DS-4), and Java's arithmetic.
#include "policies/map_reduce/run_time_estimate.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace run_time_estimate_test {
namespace {

RunTimeEstimatorSettings simple_exponential() {
  RunTimeEstimatorSettings settings;
  settings.estimator = RunTimeEstimator::simple_exponential;
  settings.smoothing = std::chrono::seconds{5};
  settings.stagnation = std::chrono::seconds{10};
  settings.skipped_readings = 1;
  return settings;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(run_time_estimate)

BOOST_AUTO_TEST_CASE(no_completed_task_means_zero) {
  const RunTimeStatistics none;
  BOOST_TEST(none.threshold_ms(1.0F) == 0);
  BOOST_TEST(none.new_attempt_ms(RunTimeEstimator::legacy) == 0);
  BOOST_TEST(none.new_attempt_ms(RunTimeEstimator::simple_exponential) == 0);
}

BOOST_AUTO_TEST_CASE(a_threshold_is_the_mean_and_standard_deviations) {
  RunTimeStatistics runs;
  runs.add(1000);
  BOOST_TEST(runs.threshold_ms(3.0F) == 1000);
  runs.add(3000);
  BOOST_TEST(runs.mean() == 2000.0);
  BOOST_TEST(runs.deviation() == 1000.0);
  BOOST_TEST(runs.threshold_ms(1.5F) == 3500);
  BOOST_TEST(runs.threshold_ms(3.4e38F) == INT64_MAX);  // saturates: no threshold
}

BOOST_AUTO_TEST_CASE(a_new_attempt_takes_the_mean_or_the_upper_end_of_its_confidence_interval) {
  RunTimeStatistics runs;
  runs.add(1000);
  BOOST_TEST(runs.new_attempt_ms(RunTimeEstimator::legacy) == 1000);
  BOOST_TEST(runs.new_attempt_ms(RunTimeEstimator::simple_exponential) == 0);  // needs two
  runs.add(3000);
  BOOST_TEST(runs.new_attempt_ms(RunTimeEstimator::legacy) == 2000);
  // 2000 + 1.96 × 1000 / √2 = 3385.9, and min(a quarter of it, 500) = 500.
  BOOST_TEST(runs.new_attempt_ms(RunTimeEstimator::simple_exponential) == 3885);
}

BOOST_AUTO_TEST_CASE(the_legacy_estimate_divides_the_time_by_the_progress) {
  const RunTimeEstimatorSettings settings;
  RunTimeEstimate estimate;
  BOOST_TEST(estimate.run_ms(settings) == -1);
  estimate.read(500, 0.5F, true, settings);  // not started
  BOOST_TEST(estimate.run_ms(settings) == -1);
  estimate.start(1000);
  estimate.read(1000, 0.5F, true, settings);  // no time has passed
  BOOST_TEST(estimate.run_ms(settings) == -1);
  estimate.read(2000, 0.5F, true, settings);
  BOOST_TEST(estimate.run_ms(settings) == 2000);
  estimate.read(3000, 0.1F, false, settings);  // does not run
  BOOST_TEST(estimate.run_ms(settings) == 2000);
  estimate.read(3000, 0.0F, true, settings);  // at least 0.0001
  BOOST_TEST(estimate.run_ms(settings) == 20000000);
}

BOOST_AUTO_TEST_CASE(the_smoothed_estimate_counts_after_the_skipped_readings) {
  const auto settings = simple_exponential();
  RunTimeEstimate estimate;
  estimate.read(500, 0.5F, true, settings);  // not started
  BOOST_TEST(estimate.run_ms(settings) == -1);
  estimate.start(1000);
  estimate.read(2000, 0.25F, true, settings);
  BOOST_TEST(estimate.run_ms(settings) == 7500001000);  // 0.75 of the work at the least speed of 1E-10 per ms
  estimate.read(3000, 0.5F, true, settings);            // the same speed again: 0.25 per second
  BOOST_TEST(estimate.run_ms(settings) == 4000);
  estimate.read(3000, 0.5F, true, settings);  // reported twice
  BOOST_TEST(estimate.run_ms(settings) == 4000);
  estimate.read(4000, 0.5F, true, settings);  // no progress: the speed falls slowly
  BOOST_TEST(estimate.run_ms(settings) > 4500);
  BOOST_TEST(estimate.run_ms(settings) < 6000);
}

BOOST_AUTO_TEST_CASE(a_second_reading_of_a_millisecond_replaces_the_first) {
  const auto settings = simple_exponential();
  RunTimeEstimate once;
  RunTimeEstimate twice;
  for (RunTimeEstimate* each : {&once, &twice}) {
    each->start(0);
    each->read(1000, 0.25F, true, settings);
  }
  twice.read(2000, 0.3F, true, settings);
  twice.read(2000, 0.5F, true, settings);
  once.read(2000, 0.5F, true, settings);
  BOOST_TEST(once.run_ms(settings) == 4000);
  // Hadoop's weight comes from the time since the replaced reading, 0: the speed stays that of the reading before.
  BOOST_TEST(twice.run_ms(settings) == 4000);
}

BOOST_AUTO_TEST_CASE(a_first_reading_at_the_start_divides_by_zero) {
  auto settings = simple_exponential();
  settings.skipped_readings = 0;
  RunTimeEstimate nothing_done;  // 0 / 0
  nothing_done.start(1000);
  nothing_done.read(1000, 0.0F, true, settings);
  nothing_done.read(2000, 0.5F, true, settings);
  BOOST_TEST(nothing_done.run_ms(settings) == 1000);  // NaN is 0 ms of remaining work
  RunTimeEstimate half_done;                          // 0.5 / 0
  half_done.start(1000);
  half_done.read(1000, 0.5F, true, settings);
  half_done.read(2000, 0.6F, true, settings);
  BOOST_TEST(half_done.run_ms(settings) == 1000);
}

BOOST_AUTO_TEST_CASE(an_attempt_counts_as_stagnated_while_its_last_reading_is_young) {
  const auto settings = simple_exponential();
  RunTimeEstimate estimate;
  estimate.start(0);
  estimate.read(1000, 0.1F, true, settings);
  BOOST_TEST(!estimate.is_stagnated(1001, settings));  // still skipped
  estimate.read(2000, 0.2F, true, settings);
  BOOST_TEST(estimate.is_stagnated(11999, settings));
  BOOST_TEST(!estimate.is_stagnated(12000, settings));
  auto short_window = settings;
  short_window.stagnation = std::chrono::milliseconds{1};  // at least twice the smoothing time
  BOOST_TEST(estimate.is_stagnated(11999, short_window));
}

BOOST_AUTO_TEST_CASE(random_readings_at_a_constant_speed_give_the_run_time) {
  RandomStream random{12};
  for (int round = 0; round < 200; ++round) {
    auto settings = simple_exponential();
    const auto run_ms = static_cast<std::int64_t>(1000 + random.below(100000));
    RunTimeEstimate legacy;
    RunTimeEstimate smoothed;
    legacy.start(5000);
    smoothed.start(5000);
    std::int64_t passed_ms = 0;
    while ((passed_ms += static_cast<std::int64_t>(1 + random.below(5000))) < run_ms) {
      const auto progress = static_cast<float>(static_cast<double>(passed_ms) / static_cast<double>(run_ms));
      legacy.read(5000 + passed_ms, progress, true, {});
      smoothed.read(5000 + passed_ms, progress, true, settings);
      BOOST_REQUIRE(std::abs(legacy.run_ms({}) - run_ms) <= 1 + run_ms / 1000);
    }
    settings.skipped_readings = 0;
    if (smoothed.run_ms(settings) >= 0) BOOST_REQUIRE(std::abs(smoothed.run_ms(settings) - run_ms) <= 1 + run_ms / 100);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace run_time_estimate_test
}  // namespace heddle::policies

// Estimates how long a task attempt runs, from its progress, and how long a new attempt would run, from completed
// tasks. Times are in milliseconds of one clock. Cost: constant per reading and per estimate. Source: Hadoop's
// LegacyTaskRuntimeEstimator, SimpleExponentialTaskRuntimeEstimator, SimpleExponentialSmoothing and DataStatistics
// (spec DS-2, DS-4), with Java's number conversions.
#pragma once

#include <cstdint>
#include <optional>

#include "model/time.hpp"
#include "policies/map_reduce/map_reduce_master_settings.hpp"

namespace heddle::policies {

/// Run times of completed tasks of one kind.
class RunTimeStatistics {
public:
  void add(std::int64_t run_ms);
  [[nodiscard]] double mean() const;
  [[nodiscard]] double deviation() const;
  /// Mean + `deviations` standard deviations, 0 without a run time.
  [[nodiscard]] std::int64_t threshold_ms(float deviations) const;
  /// Run time of a new attempt. legacy: the mean. simple_exponential: the upper end of the confidence interval of the
  /// mean, plus a reserve; 0 with fewer than two run times.
  [[nodiscard]] std::int64_t new_attempt_ms(RunTimeEstimator estimator) const;

private:
  double count_ = 0;
  double sum_ = 0;
  double sum_of_squares_ = 0;
};

/// Speed of an attempt in progress per millisecond, smoothed exponentially over its readings.
class SmoothedProgress {
public:
  SmoothedProgress(std::int64_t started_ms, const RunTimeEstimatorSettings& settings);
  void read(std::int64_t now_ms, double progress, const RunTimeEstimatorSettings& settings);
  [[nodiscard]] std::int64_t run_ms(const RunTimeEstimatorSettings& settings) const;
  /// True while the last reading is YOUNGER than the stagnation time: Hadoop's comparison is reversed.
  [[nodiscard]] bool is_stagnated(std::int64_t now_ms, const RunTimeEstimatorSettings& settings) const;

private:
  struct Reading {
    std::int64_t at_ms = 0;
    double progress = 0;
    double speed = 0;
    std::int32_t index = 0;
  };
  std::int64_t started_ms_;
  std::int64_t time_constant_ms_;
  std::optional<Reading> last_;
  std::optional<Reading> previous_;  // replaces the last for a second reading in the same millisecond
};

/// Estimate for one attempt.
class RunTimeEstimate {
public:
  void start(std::int64_t now_ms) { started_ms_ = now_ms; }
  [[nodiscard]] std::optional<std::int64_t> started_ms() const { return started_ms_; }
  /// A report of the attempt. The legacy estimator ignores it unless the attempt is running.
  void read(std::int64_t now_ms, float progress, bool is_running, const RunTimeEstimatorSettings& settings);
  /// Run time from start to end; -1 without a reading.
  [[nodiscard]] std::int64_t run_ms(const RunTimeEstimatorSettings& settings) const;
  [[nodiscard]] bool is_stagnated(std::int64_t now_ms, const RunTimeEstimatorSettings& settings) const;

private:
  static constexpr std::int64_t unknown = -1;
  std::optional<std::int64_t> started_ms_;
  std::int64_t legacy_ms_ = unknown;
  std::optional<SmoothedProgress> smoothed_;
};

}  // namespace heddle::policies

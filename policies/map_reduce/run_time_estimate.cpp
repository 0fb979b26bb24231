#include "policies/map_reduce/run_time_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "model/java_number.hpp"

namespace heddle::policies {

void RunTimeStatistics::add(std::int64_t run_ms) {
  const auto run = static_cast<double>(run_ms);
  ++count_;
  sum_ += run;
  sum_of_squares_ += run * run;
}

double RunTimeStatistics::mean() const { return count_ == 0 ? 0.0 : sum_ / count_; }

double RunTimeStatistics::deviation() const {
  if (count_ <= 1) return 0.0;
  const double average = mean();
  return std::sqrt(std::max(sum_of_squares_ / count_ - average * average, 0.0));
}

std::int64_t RunTimeStatistics::threshold_ms(float deviations) const {
  if (count_ == 0) return 0;
  return java::to_long(mean() + deviation() * static_cast<double>(deviations));
}

std::int64_t RunTimeStatistics::new_attempt_ms(RunTimeEstimator estimator) const {
  if (estimator == RunTimeEstimator::legacy) return java::to_long(mean());
  if (count_ <= 1) return 0;
  constexpr double normal_quantile = 1.96;  // both ends of a confidence interval of 95 %
  constexpr double reserve = 0.25;
  const double upper_mean = mean() + normal_quantile * deviation() / std::sqrt(count_);
  return java::to_long(upper_mean + std::min(upper_mean * reserve, deviation() / 2));
}

SmoothedProgress::SmoothedProgress(std::int64_t started_ms, const RunTimeEstimatorSettings& settings)
    : started_ms_{started_ms}, time_constant_ms_{to_milliseconds(settings.smoothing)} {}

// The speed is infinite or NaN if the first reading is of the millisecond of the start. So it is in Hadoop.
void SmoothedProgress::read(std::int64_t now_ms, double progress, const RunTimeEstimatorSettings& settings) {
  if (!last_) last_ = Reading{started_ms_, 0.0, progress / static_cast<double>(now_ms - started_ms_), 0};
  if (last_->at_ms >= now_ms && last_->progress >= progress) return;  // reported twice
  const Reading from = now_ms == last_->at_ms && previous_ ? *previous_ : *last_;
  const double measured = (progress - from.progress) / static_cast<double>(now_ms - from.at_ms);
  if (from.index == settings.skipped_readings) time_constant_ms_ = std::max(time_constant_ms_, now_ms - started_ms_);
  const auto passed_ms = static_cast<double>(last_->at_ms - now_ms);  // not positive
  const double weight = 1 - std::exp(passed_ms / static_cast<double>(time_constant_ms_));
  const double speed = weight * measured + (1.0 - weight) * from.speed;
  last_ = Reading{now_ms, progress, speed, from.index + 1};
  previous_ = from;
}

std::int64_t SmoothedProgress::run_ms(const RunTimeEstimatorSettings& settings) const {
  if (!last_) return 0;
  constexpr double speed_min = 1E-10;
  const double speed = last_->index > settings.skipped_readings ? java::max(speed_min, last_->speed) : speed_min;
  const double remaining = std::max(0.0, std::min(1.0, 1.0 - last_->progress));
  const std::int64_t remaining_ms = java::to_long(remaining / speed);
  return java::wrap_add(remaining_ms, last_->at_ms - started_ms_);
}

bool SmoothedProgress::is_stagnated(std::int64_t now_ms, const RunTimeEstimatorSettings& settings) const {
  if (!last_ || last_->index <= settings.skipped_readings) return false;
  const Duration window = std::max(2 * settings.smoothing, settings.stagnation);
  return last_->at_ms + to_milliseconds(window) > now_ms;
}

void RunTimeEstimate::read(std::int64_t now_ms, float progress, bool is_running,
                           const RunTimeEstimatorSettings& settings) {
  if (settings.estimator == RunTimeEstimator::legacy) {
    if (!is_running) return;
    constexpr double progress_min = 0.0001;
    const bool has_run = started_ms_ && now_ms > *started_ms_;
    legacy_ms_ = has_run ? java::to_long(static_cast<double>(now_ms - *started_ms_) /
                                         java::max(progress_min, static_cast<double>(progress)))
                         : unknown;
  } else if (started_ms_) {
    if (!smoothed_) smoothed_.emplace(*started_ms_, settings);
    smoothed_->read(now_ms, static_cast<double>(progress), settings);
  }
}

std::int64_t RunTimeEstimate::run_ms(const RunTimeEstimatorSettings& settings) const {
  return smoothed_ ? smoothed_->run_ms(settings) : legacy_ms_;
}

bool RunTimeEstimate::is_stagnated(std::int64_t now_ms, const RunTimeEstimatorSettings& settings) const {
  return smoothed_ && smoothed_->is_stagnated(now_ms, settings);
}

}  // namespace heddle::policies

// Settings and effects of the MapReduceSpeculator.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "model/time.hpp"
#include "policies/map_reduce/run_time_estimate.hpp"

namespace heddle::policies {

/// Defaults of Hadoop 3.4. The comments have Hadoop's settings, first the present name, then the old one if it exists.
struct SpeculatorSettings {
  static constexpr std::string_view record = "speculator_settings";
  std::int32_t maps = 0;  // tasks of the job
  std::int32_t reduces = 0;
  // mapreduce.map.speculative, mapred.map.tasks.speculative.execution
  bool speculates_maps = true;
  // mapreduce.reduce.speculative, mapred.reduce.tasks.speculative.execution
  bool speculates_reduces = true;
  // mapreduce.job.speculative.slowtaskthreshold, mapred.speculative.execution.slowTaskThreshold: standard deviations
  float slow_task_threshold = 1.0F;
  // mapreduce.job.speculative.minimum-allowed-tasks
  std::int32_t allowed_min = 10;
  // mapreduce.job.speculative.speculative-cap-running-tasks, mapred.speculative.execution.speculativeCap
  double cap_running = 0.1;
  // mapreduce.job.speculative.speculative-cap-total-tasks
  double cap_total = 0.01;
  // mapreduce.job.speculative.retry-after-no-speculate
  Duration retry_after_none = std::chrono::seconds{1};
  // mapreduce.job.speculative.retry-after-speculate
  Duration retry_after_one = std::chrono::seconds{15};
  // Constants in Hadoop.
  float completed_part = 0.05F;  // part of the tasks of a kind that must be completed
  std::int32_t completed_min = 1;
  Duration silence_max = std::chrono::seconds{9};  // then a scan simulates a report (DS-4)
  RunTimeEstimatorSettings estimates;
  static void visit_fields(auto& visit, auto& self) {
    visit("maps", self.maps);
    visit("reduces", self.reduces);
    visit("speculates_maps", self.speculates_maps);
    visit("speculates_reduces", self.speculates_reduces);
    visit("slow_task_threshold", self.slow_task_threshold);
    visit("allowed_min", self.allowed_min);
    visit("cap_running", self.cap_running);
    visit("cap_total", self.cap_total);
    visit("retry_after_none", self.retry_after_none);
    visit("retry_after_one", self.retry_after_one);
    visit("completed_part", self.completed_part);
    visit("completed_min", self.completed_min);
    visit("silence_max", self.silence_max);
    visit("estimates", self.estimates);
  }
};

/// The task gets one more attempt, which would end `gain_ms` earlier than the running one.
struct SpeculateTask {
  bool is_reduce = false;
  std::int32_t index = 0;
  std::int64_t gain_ms = 0;
  bool operator==(const SpeculateTask&) const = default;
  static void visit_fields(auto& visit, auto& self) {
    visit("reduce", self.is_reduce);
    visit("index", self.index);
    visit("gain_ms", self.gain_ms);
  }
};

using SpeculatorEffect = std::variant<SpeculateTask>;
using SpeculatorEffects = std::vector<SpeculatorEffect>;

/// Why a task gets no speculative attempt (DS-3). `good`: it may get one.
enum class SpeculationVerdict : std::uint8_t {
  good,
  on_schedule,
  already_speculating,
  too_new,
  progress_is_good,
  too_late,
  not_running
};

/// Value of a speculative attempt that starts now.
struct SpeculationValue {
  SpeculationVerdict verdict = SpeculationVerdict::not_running;
  std::int64_t gain_ms = 0;  // if the verdict is `good`
  bool operator==(const SpeculationValue&) const = default;
};

}  // namespace heddle::policies

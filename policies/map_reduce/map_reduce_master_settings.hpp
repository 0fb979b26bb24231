// Settings of the deciders of a MapReduceMaster: its state machines, its MapReduceAllocator and its
// MapReduceSpeculator. Defaults of Hadoop 3.4.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/time.hpp"

namespace heddle::policies {

struct FetchFailureSettings {
  std::int32_t notices = 3;  // number of fetch failures that fail a map
  float of_reduces = 0.5F;   // and their part of the fetching reduces
};

struct MapReduceJobSettings {
  std::int32_t maps = 0;
  std::int32_t reduces = 0;
  std::int32_t map_failures_percent = 0;  // failed maps that the job survives
  std::int32_t reduce_failures_percent = 0;
  bool finish_when_reduces_done = true;  // maps that run again are killed once all reduces have ended
  bool is_last_master = false;           // no other master follows this one
  FetchFailureSettings fetch_failures;
  Duration fail_wait = std::chrono::seconds{60};  // for killed tasks of a failed job to end
  /// A map whose success is lost while the job is killed or fails: Hadoop starts it again and counts its end twice, so
  /// that the job ends before its tasks. With this the map is killed, and its end counts once.
  bool kills_rescheduled_maps = false;
};

struct MapReduceTaskSettings {
  std::int32_t attempts_max = 4;
  bool is_speculative = true;      // copies of slow attempts are on for this kind of task
  bool is_map_only = false;        // the job has no reduces
  std::int32_t first_attempt = 0;  // number of the first attempt; 1000 more with each master
};

/// An event and the state of the machine that gets it, as numbers: a cell of its table.
struct MapReduceCell {
  enum class Machine : std::uint8_t { job, task, attempt };
  Machine machine = Machine::job;
  std::uint8_t state = 0;
  std::uint8_t event = 0;
  auto operator<=>(const MapReduceCell&) const = default;
};

struct MapReduceMachineSettings {
  MapReduceJobSettings job;
  MapReduceTaskSettings map_task;  // the field is_map_only follows from `job`
  MapReduceTaskSettings reduce_task;
  std::vector<std::vector<std::string>> hosts = {};         // of the split of each map; maps behind the last have none
  std::function<void(const MapReduceCell&)> on_event = {};  // called before a machine gets an event
};

struct HostExclusionSettings {
  bool is_on = true;
  std::int32_t failures_per_host_max = 3;  // with this many failures the host is excluded
  std::int32_t ignore_percent = 33;        // if more of the cluster is excluded, exclusions are ignored; -1: never
};

struct MapReduceAllocatorSettings {
  std::int32_t total_maps = 0;
  std::int32_t total_reduces = 0;
  float slow_start = 0.05F;
  float ramp_up_limit = 0.5F;
  float preemption_limit = 0.5F;
  std::int32_t preempt_delay_sec = 0;
  std::int32_t unconditional_preempt_delay_sec = 300;
  std::int32_t running_map_limit = 0;     // 0: no limit
  std::int32_t running_reduce_limit = 0;  // 0: no limit
  HostExclusionSettings exclusion;
  std::int32_t opportunistic_maps_percent = 0;
  /// Two accidents of Hadoop do not happen. A container that was requested at one priority goes to a map that is
  /// requested at another one: the ResourceManager counts the first request as served, and a map waits for ever; it is
  /// sent again. A reduce that may not request a container yet is killed, and gets one later that nobody uses.
  bool mends_requests = false;
};

enum class RunTimeEstimator : std::uint8_t { legacy, simple_exponential };

/// Defaults of Hadoop 3.4. The comments have the ends of Hadoop's settings yarn.app.mapreduce.am.job.task.estimator.….
struct RunTimeEstimatorSettings {
  RunTimeEstimator estimator = RunTimeEstimator::legacy;  // class
  // Of simple_exponential: simple.exponential.smooth.…
  Duration smoothing = std::chrono::minutes{2};   // lambda-ms
  Duration stagnation = std::chrono::minutes{6};  // stagnated-ms; at least twice `smoothing`
  std::int32_t skipped_readings = 24;             // skip-initials: readings before the estimate counts
  static void visit_fields(auto& visit, auto& self) {
    visit("estimator", self.estimator);
    visit("smoothing", self.smoothing);
    visit("stagnation", self.stagnation);
    visit("skipped_readings", self.skipped_readings);
  }
};

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

}  // namespace heddle::policies

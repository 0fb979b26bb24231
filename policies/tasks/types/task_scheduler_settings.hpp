// Settings of the TaskScheduler.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/time.hpp"

namespace heddle::policies {

enum class SchedulingMode : std::uint8_t { fifo, fair };

struct PoolSettings {
  std::string name;
  SchedulingMode mode = SchedulingMode::fifo;
  std::int32_t weight = 1;
  std::int32_t min_share = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit("name", self.name);
    visit("mode", self.mode);
    visit("weight", self.weight);
    visit("min_share", self.min_share);
  }
};

/// spark.excludeOnFailure.*
struct ExclusionSettings {
  std::int32_t task_attempts_per_executor = 1;
  std::int32_t task_attempts_per_node = 2;
  std::int32_t stage_failed_tasks_per_executor = 2;
  std::int32_t stage_failed_executors_per_node = 2;
  std::int32_t application_failed_tasks_per_executor = 2;
  std::int32_t application_failed_executors_per_node = 2;
  Duration timeout = std::chrono::hours{1};
  bool kill_excluded_executors = false;
  bool fetch_failure = false;
  /// False: failures exclude for tasks and stages, never for the application (HT-10).
  bool application = true;
  /// False: failures are recorded for the application, but no task set excludes anything (EXC-7).
  bool task_and_stage = true;
  static void visit_fields(auto& visit, auto& self) {
    visit("task_attempts_per_executor", self.task_attempts_per_executor);
    visit("task_attempts_per_node", self.task_attempts_per_node);
    visit("stage_failed_tasks_per_executor", self.stage_failed_tasks_per_executor);
    visit("stage_failed_executors_per_node", self.stage_failed_executors_per_node);
    visit("application_failed_tasks_per_executor", self.application_failed_tasks_per_executor);
    visit("application_failed_executors_per_node", self.application_failed_executors_per_node);
    visit("timeout", self.timeout);
    visit("kill_excluded_executors", self.kill_excluded_executors);
    visit("fetch_failure", self.fetch_failure);
    visit("task_and_stage", self.task_and_stage);
    visit("application", self.application);
  }
};

/// spark.speculation.*
struct SpeculationSettings {
  double quantile = 0.9;
  double multiplier = 3;
  Duration min_runtime = std::chrono::milliseconds{100};
  std::optional<Duration> threshold;
  std::optional<Duration> decommission_kill_interval;
  /// spark.speculation.efficiency.*: after less than `long_run_factor` limits, only attempts slower than this share of
  /// the average are copied.
  bool efficiency = true;  // false: every attempt over the limit is copied
  double process_rate_share = 0.75;
  double long_run_factor = 2;
  static void visit_fields(auto& visit, auto& self) {
    visit("quantile", self.quantile);
    visit("multiplier", self.multiplier);
    visit("min_runtime", self.min_runtime);
    visit("threshold", self.threshold);
    visit("decommission_kill_interval", self.decommission_kill_interval);
    visit("efficiency", self.efficiency);
    visit("process_rate_share", self.process_rate_share);
    visit("long_run_factor", self.long_run_factor);
  }
};

/// heddle.locality.adaptive.*: a set waits for local slots only while the wait pays. Values that are not declared are
/// measured.
struct AdaptiveLocality {
  Duration task_time = Duration::zero();  // of a local task; zero: measured
  double far_cost = 0;                    // how much longer a task runs without local data; 1: no longer
  static void visit_fields(auto& visit, auto& self) {
    visit("task_time", self.task_time);
    visit("far_cost", self.far_cost);
  }
};

/// heddle.fix.*: faults of Spark that are fixed if true.
struct TaskSchedulerFixes {
  /// In Spark the count of attempts of a task falls below 0 if another attempt finished its partition and an executor
  /// on which the task had failed is lost. The task is then never launched again, and its job hangs.
  bool copies_below_zero = true;
  bool reject_of_stale = false;        // heddle.fix.reject_of_stale_entries (TSM-6)
  bool unschedulable_removed = false;  // heddle.fix.unschedulable_removed_for_all (TS-8)
};

struct TaskSchedulerSettings {
  static constexpr std::string_view record = "task_scheduler_settings";
  Duration wait_process = std::chrono::seconds{3};
  Duration wait_node = std::chrono::seconds{3};
  Duration wait_rack = std::chrono::seconds{3};
  bool legacy_reset = false;
  std::optional<AdaptiveLocality> adaptive = std::nullopt;  // if set, the waits above are upper bounds
  std::int32_t max_failures = 4;
  std::int32_t task_cores = 1;
  std::optional<std::int32_t> executor_cores;
  SchedulingMode mode = SchedulingMode::fifo;
  /// The pools of the pool file; none if there is no file.
  std::optional<std::vector<PoolSettings>> pools;
  bool shuffle_service = false;
  std::optional<ExclusionSettings> exclusion;
  Duration unschedulable_timeout = std::chrono::seconds{120};
  bool dynamic_allocation = false;
  std::optional<SpeculationSettings> speculation;
  /// spark.driver.maxResultSize: bytes of all results of a result set; 0: no limit.
  std::int64_t result_bytes_max = 0;
  /// spark.rpc.message.maxSize: a task binary of this many bytes or more is not sent (BE-6); 0: no limit.
  std::int64_t task_binary_bytes_max = 0;
  /// Number of removed executors whose decommissioning state is kept for questions.
  std::int32_t decommissioned_retained = 0;
  /// Number of decommissions of unknown executors that are kept until the executor is offered. The oldest are dropped
  /// first.
  std::int32_t unknown_decommissions_retained = 0;
  TaskSchedulerFixes fixes;
  static void visit_fields(auto& visit, auto& self) {
    visit("wait_process", self.wait_process);
    visit("wait_node", self.wait_node);
    visit("wait_rack", self.wait_rack);
    visit("legacy_reset", self.legacy_reset);
    visit("adaptive", self.adaptive);
    visit("max_failures", self.max_failures);
    visit("task_cores", self.task_cores);
    visit("executor_cores", self.executor_cores);
    visit("mode", self.mode);
    visit("pools", self.pools);
    visit("shuffle_service", self.shuffle_service);
    visit("exclusion", self.exclusion);
    visit("unschedulable_timeout", self.unschedulable_timeout);
    visit("dynamic_allocation", self.dynamic_allocation);
    visit("speculation", self.speculation);
    visit("result_bytes_max", self.result_bytes_max);
    visit("task_binary_bytes_max", self.task_binary_bytes_max);
    visit("decommissioned_retained", self.decommissioned_retained);
    visit("unknown_decommissions_retained", self.unknown_decommissions_retained);
    visit("fix_copies_below_zero", self.fixes.copies_below_zero);
    visit("fix_reject_of_stale", self.fixes.reject_of_stale);
    visit("fix_unschedulable_removed", self.fixes.unschedulable_removed);
  }
};

/// Task binaries of more bytes cause a warning (TSM-10).
inline constexpr std::int64_t task_binary_bytes_recommended = 1000 * 1024;

}  // namespace heddle::policies

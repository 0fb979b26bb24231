#include "tests/conformance/task_scheduling_fields.hpp"

#include <vector>

namespace heddle::conformance::task_scheduling_kind {
namespace {

ExclusionSettings exclusion_of(const json::object& given) {
  ExclusionSettings exclusion;
  exclusion.task_attempts_per_executor = int_of(given.at("task_attempts_per_executor"));
  exclusion.task_attempts_per_node = int_of(given.at("task_attempts_per_node"));
  exclusion.stage_failed_tasks_per_executor = int_of(given.at("stage_failed_tasks_per_executor"));
  exclusion.stage_failed_executors_per_node = int_of(given.at("stage_failed_executors_per_node"));
  exclusion.application_failed_tasks_per_executor = int_of(given.at("app_failed_tasks_per_executor"));
  exclusion.application_failed_executors_per_node = int_of(given.at("app_failed_executors_per_node"));
  exclusion.timeout = milliseconds_of(given.at("timeout"));
  exclusion.kill_excluded_executors = given.at("kill").as_bool();
  exclusion.fetch_failure = given.at("fetch_failure").as_bool();
  return exclusion;
}

SpeculationSettings speculation_of(const json::object& given) {
  SpeculationSettings speculation;
  speculation.quantile = given.at("quantile").to_number<double>();
  speculation.multiplier = given.at("multiplier").to_number<double>();
  speculation.min_runtime = milliseconds_of(given.at("min_runtime"));
  if (!given.at("threshold").is_null()) speculation.threshold = milliseconds_of(given.at("threshold"));
  if (!given.at("decommission_kill_interval").is_null())
    speculation.decommission_kill_interval = milliseconds_of(given.at("decommission_kill_interval"));
  return speculation;
}

std::vector<PoolSettings> pools_of(const json::array& given) {
  std::vector<PoolSettings> pools;
  for (const json::value& pool : given) {
    const json::object& fields = pool.as_object();
    pools.push_back({text_of(fields.at("name")), mode_of(fields.at("mode")), int_of(fields.at("weight")),
                     int_of(fields.at("min_share"))});
  }
  return pools;
}

}  // namespace

const char* text_of(LocalityLevel level) {
  switch (level) {
    case LocalityLevel::process: return "PROCESS";
    case LocalityLevel::node: return "NODE";
    case LocalityLevel::no_pref: return "NOPREF";
    case LocalityLevel::rack: return "RACK";
    case LocalityLevel::any: return "ANY";
  }
  return "";
}

const char* text_of(AttemptOutcome outcome) {
  switch (outcome) {
    case AttemptOutcome::success: return "success";
    case AttemptOutcome::resubmitted: return "resubmitted";
    case AttemptOutcome::killed: return "killed";
    case AttemptOutcome::exception: return "exception";
    case AttemptOutcome::fetch_failed: return "fetch_failed";
    case AttemptOutcome::result_lost: return "result_lost";
    case AttemptOutcome::commit_denied: return "commit_denied";
    case AttemptOutcome::unknown: return "unknown";
    case AttemptOutcome::executor_lost: return "executor_lost";
    case AttemptOutcome::executor_lost_by_application: return "executor_lost_by_app";
  }
  return "";
}

TaskSchedulerSettings settings_of(const json::object& given) {
  TaskSchedulerSettings settings;
  const json::object& wait = given.at("locality_wait").as_object();
  settings.wait_process = milliseconds_of(wait.at("process"));
  settings.wait_node = milliseconds_of(wait.at("node"));
  settings.wait_rack = milliseconds_of(wait.at("rack"));
  settings.legacy_reset = given.at("legacy_reset").as_bool();
  settings.max_failures = int_of(given.at("max_failures"));
  settings.task_cores = int_of(given.at("task_cpus"));
  require(settings.task_cores > 0, "a task without a core");
  if (!given.at("executor_cores").is_null()) settings.executor_cores = int_of(given.at("executor_cores"));
  settings.mode = mode_of(given.at("mode"));
  if (!given.at("pools").is_null()) settings.pools = pools_of(given.at("pools").as_array());
  settings.shuffle_service = given.at("shuffle_service").as_bool();
  if (!given.at("exclude").is_null()) settings.exclusion = exclusion_of(given.at("exclude").as_object());
  settings.unschedulable_timeout = milliseconds_of(given.at("unschedulable_timeout"));
  settings.dynamic_allocation = given.at("dynamic_allocation").as_bool();
  if (!given.at("speculation").is_null()) settings.speculation = speculation_of(given.at("speculation").as_object());
  settings.fixes.copies_below_zero = false;
  return settings;
}

}  // namespace heddle::conformance::task_scheduling_kind

// The members of the settings of the Driver's deciders, as the event log names them. Durations are in microseconds.
#pragma once

#include "policies/executors/executor_allocation.hpp"
#include "policies/stages/stage_scheduler.hpp"
#include "policies/tasks/task_scheduler.hpp"

namespace heddle::policies {

template <class Visit>
void visit_fields(Visit& visit, PoolSettings& value) {
  visit("name", value.name);
  visit("mode", value.mode);
  visit("weight", value.weight);
  visit("min_share", value.min_share);
}

template <class Visit>
void visit_fields(Visit& visit, ExclusionSettings& value) {
  visit("task_attempts_per_executor", value.task_attempts_per_executor);
  visit("task_attempts_per_node", value.task_attempts_per_node);
  visit("stage_failed_tasks_per_executor", value.stage_failed_tasks_per_executor);
  visit("stage_failed_executors_per_node", value.stage_failed_executors_per_node);
  visit("application_failed_tasks_per_executor", value.application_failed_tasks_per_executor);
  visit("application_failed_executors_per_node", value.application_failed_executors_per_node);
  visit("timeout", value.timeout);
  visit("kill_excluded_executors", value.kill_excluded_executors);
  visit("fetch_failure", value.fetch_failure);
  visit("task_and_stage", value.task_and_stage);
  visit("application", value.application);
}

template <class Visit>
void visit_fields(Visit& visit, TaskResource& value) {
  visit("kind", value.kind);
  visit("amount", value.amount);
}

template <class Visit>
void visit_fields(Visit& visit, TaskNeed& value) {
  visit("profile", value.profile);
  visit("is_for_tasks_only", value.is_for_tasks_only);
  visit("resources", value.resources);
  visit("executor_cores", value.executor_cores);
  visit("device_slots", value.device_slots);
}

template <class Visit>
void visit_fields(Visit& visit, SpeculationSettings& value) {
  visit("quantile", value.quantile);
  visit("multiplier", value.multiplier);
  visit("min_runtime", value.min_runtime);
  visit("threshold", value.threshold);
  visit("decommission_kill_interval", value.decommission_kill_interval);
  visit("efficiency", value.efficiency);
  visit("process_rate_share", value.process_rate_share);
  visit("long_run_factor", value.long_run_factor);
}

template <class Visit>
void visit_fields(Visit& visit, AdaptiveLocality& value) {
  visit("task_time", value.task_time);
  visit("far_cost", value.far_cost);
}

template <class Visit>
void visit_fields(Visit& visit, TaskSchedulerSettings& value) {
  visit("wait_process", value.wait_process);
  visit("wait_node", value.wait_node);
  visit("wait_rack", value.wait_rack);
  visit("legacy_reset", value.legacy_reset);
  visit("adaptive", value.adaptive);
  visit("max_failures", value.max_failures);
  visit("task_cores", value.task_cores);
  visit("executor_cores", value.executor_cores);
  visit("mode", value.mode);
  visit("pools", value.pools);
  visit("shuffle_service", value.shuffle_service);
  visit("exclusion", value.exclusion);
  visit("unschedulable_timeout", value.unschedulable_timeout);
  visit("dynamic_allocation", value.dynamic_allocation);
  visit("speculation", value.speculation);
  visit("result_bytes_max", value.result_bytes_max);
  visit("description_bytes_max", value.description_bytes_max);
  visit("decommissioned_retained", value.decommissioned_retained);
  visit("unknown_decommissions_retained", value.unknown_decommissions_retained);
  visit("fix_copies_below_zero", value.fix_copies_below_zero);
  visit("fix_reject_of_stale", value.fix_reject_of_stale);
  visit("fix_unschedulable_removed", value.fix_unschedulable_removed);
}

template <class Visit>
void visit_fields(Visit& visit, StageSchedulerSettings& value) {
  visit("max_consecutive_attempts", value.max_consecutive_attempts);
  visit("max_stage_attempts", value.max_stage_attempts);
  visit("shuffle_service", value.shuffle_service);
  visit("unregister_output_on_host", value.unregister_output_on_host);
  visit("reliable_shuffle_storage", value.reliable_shuffle_storage);
  visit("ignore_decommission_fetch_failure", value.ignore_decommission_fetch_failure);
  visit("cancel_stages_with_failed_attempts", value.cancel_stages_with_failed_attempts);
  visit("old_fetch_protocol", value.old_fetch_protocol);
  visit("can_kill_tasks", value.can_kill_tasks);
  visit("reduce_locality_by_host", value.reduce_locality_by_host);
  visit("resubmit_delay", value.resubmit_delay);
}

template <class Visit>
void visit_fields(Visit& visit, ExecutorMonitorSettings& value) {
  visit("idle_timeout", value.idle_timeout);
  visit("cached_timeout", value.cached_timeout);
  visit("shuffle_timeout", value.shuffle_timeout);
  visit("shuffle_tracking", value.shuffle_tracking);
  visit("shuffle_service", value.shuffle_service);
  visit("service_serves_blocks", value.service_serves_blocks);
}

template <class Visit>
void visit_fields(Visit& visit, ExecutorAllocationSettings& value) {
  visit("dynamic", value.dynamic);
  visit("executors_min", value.executors_min);
  visit("executors_max", value.executors_max);
  visit("executors_initial", value.executors_initial);
  visit("ratio", value.ratio);
  visit("tasks_per_executor", value.tasks_per_executor);
  visit("backlog_timeout", value.backlog_timeout);
  visit("sustained_timeout", value.sustained_timeout);
  visit("poll_interval", value.poll_interval);
  visit("decommission", value.decommission);
  visit("decommission_moves_shuffles", value.decommission_moves_shuffles);
  visit("reliable_shuffle_storage", value.reliable_shuffle_storage);
  visit("jump_to_need", value.jump_to_need);
  visit("monitor", value.monitor);
}

}  // namespace heddle::policies

// Settings of an application and of the scheduling of its tasks, stages and executors. Columns:
// config/table/settings_table.hpp.
#pragma once

// clang-format off

#define HEDDLE_APPLICATION_SETTINGS(ROW) \
  ROW(name, text, "heddle.application.name", "", "", "", none, "spark.app.name,mapreduce.job.name", no, \
      "Application name in lists and logs; empty: the name of the job.") \
  ROW(queue, text, "heddle.application.queue", "default", "", "", none, "spark.yarn.queue,mapreduce.job.queuename", \
      no, \
      "Queue of the ResourceManager to which the application is submitted.") \
  ROW(priority, count, "heddle.application.priority", 0, 0, 2'147'483'647, none, "spark.yarn.priority", no, \
      "Priority of the application in a capacity queue; higher ones come first; reduced to " \
      "heddle.capacity.max_application_priority.") \
  ROW(user, text, "heddle.application.user", "", "", "", none, "", no, \
      "User of the application for queues and access lists; empty: the user of the client.") \
  ROW(executor_instances, count, "heddle.executor.instances", 0, 0, 100'000, none, "spark.executor.instances", no, \
      "Number of executors; 0: n in local-cluster[n,c,m], else 2.") \
  ROW(executor_cores, count, "heddle.executor.cores", 1, 1, 4'096, none, "spark.executor.cores", no, \
      "Task slots of one executor.") \
  ROW(executor_memory_mib, size, "heddle.executor.memory", 1024, 1, 16'777'216, mib, "spark.executor.memory", no, \
      "Memory of an executor's container, without overhead.") \
  ROW(executor_overhead_mib, size, "heddle.executor.memory_overhead", 0, 0, 16'777'216, mib, \
      "spark.executor.memoryOverhead", no, \
      "Memory added to an executor's container; 0: the share of the overhead factor, at least the minimum " \
      "overhead.") \
  ROW(executor_overhead_factor, ratio, "heddle.executor.memory_overhead_factor", 0.1, 0.0, 10.0, none, \
      "spark.executor.memoryOverheadFactor", no, \
      "Share of an executor's memory that is added as overhead; 0: none.") \
  ROW(executor_overhead_min_mib, size, "heddle.executor.memory_overhead_min", 384, 0, 16'777'216, mib, \
      "spark.executor.minMemoryOverhead", no, \
      "Minimum overhead of an executor's container if an overhead factor applies.") \
  ROW(executor_node_label, text, "heddle.executor.node_label", "", "", "", none, \
      "spark.yarn.executor.nodeLabelExpression", no, \
      "Label of the nodes for executors; not supported: the ResourceManager has no labels and refuses the " \
      "application.") \
  ROW(master_memory_mib, size, "heddle.master.memory", 512, 1, 1'048'576, mib, \
      "spark.yarn.am.memory,yarn.app.mapreduce.am.resource.mb", no, \
      "Memory of the master container.") \
  ROW(master_cores, count, "heddle.master.cores", 1, 0, 4'096, none, \
      "spark.yarn.am.cores,yarn.app.mapreduce.am.resource.cpu-vcores", no, \
      "Cores of the master container; 0 in a local cluster.") \
  ROW(attempts_max, count, "heddle.application.max_attempts", 0, 0, 1'000, none, \
      "spark.yarn.maxAppAttempts,mapreduce.am.max-attempts", no, \
      "Maximum number of application attempts; 0: the limit of the ResourceManager.")

#define HEDDLE_TASK_SCHEDULER_SETTINGS(ROW) \
  ROW(mode, choice, "heddle.scheduler.mode", "FIFO", "FIFO|FAIR", "", none, "spark.scheduler.mode", no, \
      "How jobs of one application share its task slots: FIFO by arrival, FAIR by pools.") \
  ROW(pool_file, text, "heddle.scheduler.pool_file", "", "", "", none, "spark.scheduler.allocation.file", no, \
      "Pools for FAIR: a fairscheduler.xml of Spark; empty: one pool.") \
  ROW(task_cores, count, "heddle.task.cores", 1, 1, 4'096, none, "spark.task.cpus", no, \
      "Task slots that one task uses.") \
  ROW(failures_max, count, "heddle.task.max_failures", 4, 1, 1'000'000, none, \
      "spark.task.maxFailures", no, \
      "Number of failures of one task after which its stage fails.") \
  ROW(revive_interval, duration, "heddle.scheduler.revive_interval", seconds(1), milliseconds(1), hours(1), ms, \
      "spark.scheduler.revive.interval", no, \
      "Time between offers of all free task slots while tasks are queued ahead, wait " \
      "adaptively for their data, or belong to a barrier stage.") \
  ROW(unschedulable_timeout, duration, "heddle.scheduler.unschedulable_timeout", seconds(120), seconds(0), days(365), \
      s, \
      "spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout", no, \
      "Time after which a stage fails if every executor is excluded for it.") \
  ROW(barrier_check_interval, duration, "heddle.barrier.check_interval", seconds(15), milliseconds(1), days(1), s, \
      "spark.scheduler.barrier.maxConcurrentTasksCheck.interval", no, \
      "Time between checks whether all tasks of a barrier stage can run at the same time.") \
  ROW(barrier_check_failures_max, count, "heddle.barrier.check_failures_max", 40, 0, 1'000'000, none, \
      "spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures", no, \
      "Number of failed checks of a barrier stage after which the job fails.") \
  ROW(starvation_timeout, duration, "heddle.scheduler.starvation_timeout", seconds(15), milliseconds(1), days(365), \
      ms, \
      "spark.starvation.timeout", no, \
      "Time without an offer of task slots after which the user gets a warning, until the first offer. With " \
      "heddle.fix.starvation_until_launch: until the first task launch.") \
  ROW(registered_ratio_min, ratio, "heddle.scheduler.min_registered_ratio", 0.8, 0.0, 1.0, none, \
      "spark.scheduler.minRegisteredResourcesRatio", no, \
      "Share of the requested executors that must register before the first task starts; 0 with a local master URL.") \
  ROW(registered_wait_max, duration, "heddle.scheduler.max_registered_wait", seconds(30), seconds(0), days(365), ms, \
      "spark.scheduler.maxRegisteredResourcesWaitingTime", no, \
      "Maximum wait for heddle.scheduler.min_registered_ratio.") \
  ROW(queue_ahead, count, "heddle.task.queue_ahead", -1, -1, 1'048'576, none, "", no, \
      "Maximum tasks that wait in the queue of an executor; 0: none, as in Spark; -1: 10 ms of measured task time, " \
      "at most 4096 tasks.") \
  ROW(fix_copies_below_zero, flag, "heddle.fix.copies_below_zero", true, false, true, none, "", no, \
      "Keep the number of attempts of a task at 0 or above; in Spark it can become negative, and the job hangs.") \
  ROW(fix_reject_of_stale, flag, "heddle.fix.reject_of_stale_entries", false, false, true, none, "", no, \
      "A task set refuses an offer only while a task waits; Spark also counts entries of tasks that run already " \
      "(TSM-6).") \
  ROW(fix_unschedulable_removed, flag, "heddle.fix.unschedulable_removed_for_all", false, false, true, none, "", no, \
      "A task launch ends the unschedulable state of all task sets for dynamic allocation; in Spark only of its own " \
      "(TS-8).") \
  ROW(fix_starvation_until_launch, flag, "heddle.fix.starvation_until_launch", false, false, true, none, "", no, \
      "Warn of starvation until a task is launched; Spark stops at the first offer (TS-14).")

#define HEDDLE_LOCALITY_SETTINGS(ROW) \
  ROW(wait, duration, "heddle.locality.wait", seconds(3), seconds(0), days(365), ms, "spark.locality.wait", \
      no, \
      "Time that tasks wait for a task slot closer to their data; heddle.locality.wait.node and .rack override it.") \
  ROW(wait_node, duration, "heddle.locality.wait.node", seconds(3), seconds(0), days(365), ms, \
      "spark.locality.wait.node", no, \
      "Time that tasks wait for a task slot on a host with their data; unset: heddle.locality.wait.") \
  ROW(wait_rack, duration, "heddle.locality.wait.rack", seconds(3), seconds(0), days(365), ms, \
      "spark.locality.wait.rack", no, \
      "Time that tasks wait for a task slot in a rack with their data; unset: heddle.locality.wait.") \
  ROW(legacy_reset, flag, "heddle.locality.wait.legacy_reset", false, false, true, none, \
      "spark.locality.wait.legacyResetOnTaskLaunch", no, \
      "Restart the locality wait with each launched task, as before Spark 3.1.") \
  ROW(adaptive, flag, "heddle.locality.adaptive", false, false, true, none, "", no, \
      "Wait for a closer task slot only as long as the task set gains time by it; the other locality waits are upper " \
      "bounds.") \
  ROW(task_time, duration, "heddle.locality.adaptive.task_time", seconds(0), seconds(0), days(365), ms, "", \
      no, \
      "Run time of a task close to its data; 0: measured.") \
  ROW(far_cost, ratio, "heddle.locality.adaptive.far_cost", 0.0, 0.0, 1'000.0, none, "", no, \
      "Factor by which the run time of a task grows away from its data; 0: measured.")

#define HEDDLE_STAGE_SCHEDULER_SETTINGS(ROW) \
  ROW(consecutive_attempts_max, count, "heddle.stage.max_consecutive_attempts", 4, 1, count_max, none, \
      "spark.stage.maxConsecutiveAttempts", no, \
      "Number of consecutive stage attempts with fetch failures after which the job fails.") \
  ROW(attempts_max, count, "heddle.stage.max_attempts", count_max, 1, count_max, none, "spark.stage.maxAttempts", no, \
      "Maximum number of attempts of a stage; the larger of this and heddle.stage.max_consecutive_attempts " \
      "applies.") \
  ROW(resubmit_delay, duration, "heddle.stage.resubmit_delay", milliseconds(200), seconds(0), minutes(10), ms, "", no, \
      "Time between a fetch failure and the next stage attempt; failures with the same cause are then handled " \
      "together.") \
  ROW(ignore_decommission_fetch_failure, flag, "heddle.stage.ignore_decommission_fetch_failure", true, false, true, \
      none, \
      "spark.stage.ignoreDecommissionFetchFailure", no, \
      "Do not count fetch failures from a decommissioned executor against the stage.") \
  ROW(unregister_outputs_on_host, flag, "heddle.stage.unregister_outputs_on_host", false, false, true, none, \
      "spark.files.fetchFailure.unRegisterOutputOnHost", no, \
      "On a fetch failure, drop all map outputs of the host, not only those of the executor.") \
  ROW(reduce_locality, flag, "heddle.stage.reduce_locality", true, false, true, none, \
      "spark.shuffle.reduceLocality.enabled", no, \
      "Reduce tasks prefer hosts that hold at least 20 % of their input.") \
  ROW(merge_profiles, flag, "heddle.stage.merge_resource_profiles", false, false, true, none, \
      "spark.scheduler.resource.profileMergeConflicts", no, \
      "Stages that run in the same tasks with different executor sizes get the larger values; off: the job is " \
      "refused.") \
  ROW(fix_cancel_failed_attempts, flag, "heddle.fix.cancel_stages_with_failed_attempts", false, false, true, none, \
      "", no, \
      "Cancel old attempts of a stage that is not running when its last job ends, as in Spark 3.5.4.") \
  ROW(fix_reduce_locality_by_host, flag, "heddle.fix.reduce_locality_by_host", false, false, true, none, "", no, \
      "Add up the input of a reduce task over all executors of a host; Spark checks each executor alone.")

#define HEDDLE_SPECULATION_SETTINGS(ROW) \
  ROW(enabled, flag, "heddle.speculation.enabled", false, false, true, none, "spark.speculation", no, \
      "Start a second attempt of a task that runs much longer than the median of its stage.") \
  ROW(interval, duration, "heddle.speculation.interval", milliseconds(100), milliseconds(1), hours(1), ms, \
      "spark.speculation.interval", no, \
      "Time between two searches for slow tasks.") \
  ROW(quantile, ratio, "heddle.speculation.quantile", 0.9, 0.0, 1.0, none, "spark.speculation.quantile", no, \
      "Share of a stage's tasks that must finish before speculation starts.") \
  ROW(multiplier, ratio, "heddle.speculation.multiplier", 3.0, 0.0, 1'000'000.0, none, \
      "spark.speculation.multiplier", no, \
      "A task is a candidate for speculation if it runs longer than this multiple of the median.") \
  ROW(task_runtime_min, duration, "heddle.speculation.min_task_runtime", milliseconds(100), seconds(0), days(365), ms, \
      "spark.speculation.minTaskRuntime", no, \
      "Minimum run time of a candidate.") \
  ROW(duration_threshold, duration, "heddle.speculation.duration_threshold", seconds(0), seconds(0), days(365), ms, \
      "spark.speculation.task.duration.threshold", no, \
      "Run time above which a task is a candidate in a stage with too few tasks for a median; 0: none.") \
  ROW(efficiency, flag, "heddle.speculation.efficiency", true, false, true, none, \
      "spark.speculation.efficiency.enabled", no, \
      "Speculate only candidates that read slowly or run very long.") \
  ROW(process_rate_multiplier, ratio, "heddle.speculation.process_rate_multiplier", 0.75, 0.0, 1'000'000.0, none, \
      "spark.speculation.efficiency.processRateMultiplier", no, \
      "A candidate reads slowly below this share of its stage's records per second.") \
  ROW(long_run_factor, ratio, "heddle.speculation.long_run_factor", 2.0, 1.0, 1'000'000.0, none, \
      "spark.speculation.efficiency.longRunTaskFactor", no, \
      "A candidate that runs longer than this multiple of the limit is speculated even if it reads fast.") \
  ROW(decommission_kill_interval, duration, "heddle.speculation.decommission_kill_interval", seconds(0), seconds(0), \
      days(365), s, \
      "spark.executor.decommission.killInterval", no, \
      "Remaining time of a decommissioned executor; a task that cannot finish in it is a candidate; 0: unknown.")

#define HEDDLE_EXCLUSION_SETTINGS(ROW) \
  ROW(enabled, flag, "heddle.exclusion.enabled", false, false, true, none, \
      "spark.excludeOnFailure.enabled,spark.blacklist.enabled", no, \
      "Exclude executors and nodes on which tasks fail.") \
  ROW(application_enabled, flag, "heddle.exclusion.application.enabled", false, false, true, none, \
      "spark.excludeOnFailure.application.enabled", no, \
      "Exclude executors and nodes for the whole application; unset: heddle.exclusion.enabled.") \
  ROW(task_and_stage_enabled, flag, "heddle.exclusion.task_and_stage.enabled", false, false, true, none, \
      "spark.excludeOnFailure.taskAndStage.enabled", no, \
      "Exclude executors and nodes for one task and for one stage; unset: heddle.exclusion.enabled.") \
  ROW(task_attempts_per_executor, count, "heddle.exclusion.task_attempts_per_executor", 1, 1, count_max, none, \
      "spark.excludeOnFailure.task.maxTaskAttemptsPerExecutor,spark.blacklist.task.maxTaskAttemptsPerExecutor", no, \
      "Number of failures of a task on one executor that excludes the executor for the task.") \
  ROW(task_attempts_per_node, count, "heddle.exclusion.task_attempts_per_node", 2, 1, count_max, none, \
      "spark.excludeOnFailure.task.maxTaskAttemptsPerNode,spark.blacklist.task.maxTaskAttemptsPerNode", no, \
      "Number of failures of a task on one node that excludes the node for the task.") \
  ROW(stage_failed_tasks_per_executor, count, "heddle.exclusion.stage_failed_tasks_per_executor", 2, 1, count_max, \
      none, \
      "spark.excludeOnFailure.stage.maxFailedTasksPerExecutor,spark.blacklist.stage.maxFailedTasksPerExecutor", no, \
      "Number of failed tasks of a stage on one executor that excludes the executor for the stage.") \
  ROW(stage_failed_executors_per_node, count, "heddle.exclusion.stage_failed_executors_per_node", 2, 1, count_max, \
      none, \
      "spark.excludeOnFailure.stage.maxFailedExecutorsPerNode,spark.blacklist.stage.maxFailedExecutorsPerNode", no, \
      "Number of executors excluded for a stage that excludes their node for the stage.") \
  ROW(application_failed_tasks_per_executor, count, "heddle.exclusion.application_failed_tasks_per_executor", 2, 1, \
      count_max, none, \
      "spark.excludeOnFailure.application.maxFailedTasksPerExecutor," \
       "spark.blacklist.application.maxFailedTasksPerExecutor", no, \
      "Number of failed tasks on one executor that excludes the executor for the application.") \
  ROW(application_failed_executors_per_node, count, "heddle.exclusion.application_failed_executors_per_node", 2, 1, \
      count_max, none, \
      "spark.excludeOnFailure.application.maxFailedExecutorsPerNode," \
       "spark.blacklist.application.maxFailedExecutorsPerNode", no, \
      "Number of executors excluded for the application that excludes their node.") \
  ROW(timeout, duration, "heddle.exclusion.timeout", hours(1), milliseconds(1), days(365), ms, \
      "spark.excludeOnFailure.timeout,spark.blacklist.timeout", no, \
      "Duration of an exclusion for the application.") \
  ROW(legacy_timeout, duration, "heddle.exclusion.legacy_timeout", seconds(0), seconds(0), days(365), ms, \
      "spark.scheduler.executorTaskExcludeOnFailureTime,spark.scheduler.executorTaskBlacklistTime", no, \
      "Old name of heddle.exclusion.timeout in Spark; above 0 it also enables exclusion, unless a newer setting " \
      "disables it.") \
  ROW(kill_excluded, flag, "heddle.exclusion.kill_executors", false, false, true, none, \
      "spark.excludeOnFailure.killExcludedExecutors,spark.blacklist.killBlacklistedExecutors", no, \
      "Kill executors that are excluded for the application.") \
  ROW(kill_excluded_decommission, flag, "heddle.exclusion.decommission_executors", false, false, true, none, \
      "spark.excludeOnFailure.killExcludedExecutors.decommission", no, \
      "Let excluded executors finish their tasks before they are killed.") \
  ROW(on_fetch_failure, flag, "heddle.exclusion.on_fetch_failure", false, false, true, none, \
      "spark.excludeOnFailure.application.fetchFailure.enabled,spark.blacklist.application.fetchFailure.enabled", no, \
      "Exclude an executor or node at once when it fails to serve map outputs.")

#define HEDDLE_DYNAMIC_ALLOCATION_SETTINGS(ROW) \
  ROW(enabled, flag, "heddle.dynamic_allocation.enabled", false, false, true, none, \
      "spark.dynamicAllocation.enabled", no, \
      "Adjust the number of executors to the number of waiting tasks.") \
  ROW(executors_min, count, "heddle.dynamic_allocation.min_executors", 0, 0, count_max, none, \
      "spark.dynamicAllocation.minExecutors", no, \
      "Minimum number of executors.") \
  ROW(executors_initial, count, "heddle.dynamic_allocation.initial_executors", 0, 0, count_max, none, \
      "spark.dynamicAllocation.initialExecutors", no, \
      "Number of executors at the start; unset: heddle.dynamic_allocation.min_executors.") \
  ROW(executors_max, count, "heddle.dynamic_allocation.max_executors", count_max, 1, count_max, none, \
      "spark.dynamicAllocation.maxExecutors", no, \
      "Maximum number of executors.") \
  ROW(allocation_ratio, ratio, "heddle.dynamic_allocation.ratio", 1.0, 0.000001, 1.0, none, \
      "spark.dynamicAllocation.executorAllocationRatio", no, \
      "Share of the executors for full parallelism that is requested.") \
  ROW(executor_idle_timeout, duration, "heddle.dynamic_allocation.idle_timeout", seconds(60), seconds(0), never, s, \
      "spark.dynamicAllocation.executorIdleTimeout", no, \
      "Idle time after which an executor is released.") \
  ROW(shuffle_tracking, flag, "heddle.dynamic_allocation.shuffle_tracking", true, false, true, none, \
      "spark.dynamicAllocation.shuffleTracking.enabled", no, \
      "Keep executors whose map outputs are needed. Acts with --master yarn only, where executors serve map outputs; " \
      "in a local cluster its nodes do, as an external shuffle service does.") \
  ROW(shuffle_timeout, duration, "heddle.dynamic_allocation.shuffle_timeout", never, seconds(0), never, ms, \
      "spark.dynamicAllocation.shuffleTracking.timeout", no, \
      "Maximum time that heddle.dynamic_allocation.shuffle_tracking keeps an executor.") \
  ROW(backlog_timeout, duration, "heddle.dynamic_allocation.backlog_timeout", seconds(1), milliseconds(1), days(365), \
      s, \
      "spark.dynamicAllocation.schedulerBacklogTimeout", no, \
      "Time that tasks must wait before executors are added.") \
  ROW(sustained_backlog_timeout, duration, "heddle.dynamic_allocation.sustained_backlog_timeout", \
      seconds(1), milliseconds(1), days(365), s, \
      "spark.dynamicAllocation.sustainedSchedulerBacklogTimeout", no, \
      "Time between two further additions of executors; unset: heddle.dynamic_allocation.backlog_timeout.") \
  ROW(poll_interval, duration, "heddle.dynamic_allocation.poll_interval", milliseconds(100), milliseconds(1), \
      minutes(1), ms, "", no, \
      "Time between two checks of the target number of executors.") \
  ROW(fix_jump_to_need, flag, "heddle.fix.jump_to_need", false, false, true, none, "", no, \
      "Request all executors for the waiting tasks at once; Spark doubles the number that it adds each second " \
      "(EAM-8).")

// clang-format on

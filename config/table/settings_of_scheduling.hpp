// Rows of the settings table: what an application asks for, and how its tasks, stages and executors are decided on.
// Columns: config/table/settings_table.hpp.
#pragma once

// clang-format off

#define HEDDLE_APPLICATION_SETTINGS(ROW) \
  ROW(name, text, "heddle.application.name", "", "", "", none, "spark.app.name,mapreduce.job.name", no, \
      "Name of the application in lists and logs; empty: the job's.") \
  ROW(queue, text, "heddle.application.queue", "default", "", "", none, "spark.yarn.queue,mapreduce.job.queuename", \
      no, \
      "Queue of the ResourceManager that the application is submitted to.") \
  ROW(priority, count, "heddle.application.priority", 0, 0, 2'147'483'647, none, "spark.yarn.priority", no, \
      "Priority of the application in a capacity queue, where higher ones go first; at most " \
      "heddle.capacity.max_application_priority.") \
  ROW(user, text, "heddle.application.user", "", "", "", none, "", no, \
      "User that the application runs for, as queues see it; empty: the user of the client.") \
  ROW(executor_instances, count, "heddle.executor.instances", 0, 0, 100'000, none, "spark.executor.instances", no, \
      "Executors to hold; 0: n of local-cluster[n,c,m], else 2.") \
  ROW(executor_cores, count, "heddle.executor.cores", 1, 1, 4'096, none, "spark.executor.cores", no, \
      "Slots of one executor.") \
  ROW(executor_memory_mib, size, "heddle.executor.memory", 1024, 1, 16'777'216, mib, "spark.executor.memory", no, \
      "Memory of one executor's container, without overhead.") \
  ROW(executor_overhead_mib, size, "heddle.executor.memory_overhead", 0, 0, 16'777'216, mib, \
      "spark.executor.memoryOverhead", no, \
      "Memory added to each executor's container; 0: the larger of the factor's share and the least overhead.") \
  ROW(executor_overhead_factor, ratio, "heddle.executor.memory_overhead_factor", 0.1, 0.0, 10.0, none, \
      "spark.executor.memoryOverheadFactor", no, \
      "Share of an executor's memory that is added as overhead; 0 adds none.") \
  ROW(executor_overhead_min_mib, size, "heddle.executor.memory_overhead_min", 384, 0, 16'777'216, mib, \
      "spark.executor.minMemoryOverhead", no, \
      "Least overhead added to an executor's container where a factor applies.") \
  ROW(executor_node_label, text, "heddle.executor.node_label", "", "", "", none, \
      "spark.yarn.executor.nodeLabelExpression", no, \
      "Label of the nodes that executors are asked for on; heddle's own ResourceManager has none and refuses it.") \
  ROW(master_memory_mib, size, "heddle.master.memory", 512, 1, 1'048'576, mib, \
      "spark.yarn.am.memory,yarn.app.mapreduce.am.resource.mb", no, \
      "Memory of the master container.") \
  ROW(master_cores, count, "heddle.master.cores", 1, 0, 4'096, none, \
      "spark.yarn.am.cores,yarn.app.mapreduce.am.resource.cpu-vcores", no, \
      "Cores of the master container; 0 in a local cluster.") \
  ROW(attempts_max, count, "heddle.application.max_attempts", 0, 0, 1'000, none, \
      "spark.yarn.maxAppAttempts,mapreduce.am.max-attempts", no, \
      "Attempts of the application; 0: the ResourceManager's limit.")

#define HEDDLE_TASK_SCHEDULER_SETTINGS(ROW) \
  ROW(mode, choice, "heddle.scheduler.mode", "FIFO", "FIFO|FAIR", "", none, "spark.scheduler.mode", no, \
      "How jobs of one application share its slots: in order of arrival, or fairly by pools.") \
  ROW(pool_file, text, "heddle.scheduler.pool_file", "", "", "", none, "spark.scheduler.allocation.file", no, \
      "Pools for FAIR, as Spark's fairscheduler.xml; empty: one pool.") \
  ROW(task_cores, count, "heddle.task.cores", 1, 1, 4'096, none, "spark.task.cpus", no, \
      "Slots that one task holds.") \
  ROW(failures_max, count, "heddle.task.max_failures", 4, 1, 1'000'000, none, \
      "spark.task.maxFailures,mapreduce.map.maxattempts,mapreduce.reduce.maxattempts", no, \
      "Failures of one task that end its stage.") \
  ROW(locality_wait, duration, "heddle.locality.wait", seconds(3), seconds(0), days(365), ms, "spark.locality.wait", \
      no, \
      "How long slots are passed over in hope of a closer one, where no level has its own wait.") \
  ROW(locality_wait_node, duration, "heddle.locality.wait.node", seconds(3), seconds(0), days(365), ms, \
      "spark.locality.wait.node", no, \
      "Wait for a slot on a host that holds the data; unset: heddle.locality.wait.") \
  ROW(locality_wait_rack, duration, "heddle.locality.wait.rack", seconds(3), seconds(0), days(365), ms, \
      "spark.locality.wait.rack", no, \
      "Wait for a slot in a rack that holds the data; unset: heddle.locality.wait.") \
  ROW(legacy_wait_reset, flag, "heddle.locality.wait.legacy_reset", false, false, true, none, \
      "spark.locality.wait.legacyResetOnTaskLaunch", no, \
      "Start the locality wait again with each task launched, as before Spark 3.1.") \
  ROW(locality_adaptive, flag, "heddle.locality.adaptive", false, false, true, none, "", no, \
      "Wait for data only as long as a task set can win by it; the other waits stay upper bounds.") \
  ROW(locality_task_time, duration, "heddle.locality.adaptive.task_time", seconds(0), seconds(0), days(365), ms, "", \
      no, \
      "Time of a task near its data; 0: measured.") \
  ROW(locality_far_cost, ratio, "heddle.locality.adaptive.far_cost", 0.0, 0.0, 1'000.0, none, "", no, \
      "How many times longer a task takes away from its data; 0: measured.") \
  ROW(revive_interval, duration, "heddle.scheduler.revive_interval", seconds(1), milliseconds(1), hours(1), ms, \
      "spark.scheduler.revive.interval", no, \
      "Time between offers of all free slots while tasks wait.") \
  ROW(unschedulable_timeout, duration, "heddle.scheduler.unschedulable_timeout", seconds(120), seconds(0), days(365), \
      s, \
      "spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout", no, \
      "How long a stage that every executor is excluded from may wait before it fails.") \
  ROW(barrier_check_interval, duration, "heddle.barrier.check_interval", seconds(15), milliseconds(1), days(1), s, \
      "spark.scheduler.barrier.maxConcurrentTasksCheck.interval", no, \
      "Time until it is looked again whether all tasks of a barrier stage could run at once.") \
  ROW(barrier_check_failures_max, count, "heddle.barrier.check_failures_max", 40, 0, 1'000'000, none, \
      "spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures", no, \
      "Looks that may fail before the job does.") \
  ROW(starvation_timeout, duration, "heddle.scheduler.starvation_timeout", seconds(15), milliseconds(1), days(365), \
      ms, \
      "spark.starvation.timeout", no, \
      "Time without any launch after which a warning says why.") \
  ROW(registered_ratio_min, ratio, "heddle.scheduler.min_registered_ratio", 0.8, 0.0, 1.0, none, \
      "spark.scheduler.minRegisteredResourcesRatio", no, \
      "Share of wanted executors that must have registered before the first task; 0 in local masters.") \
  ROW(registered_wait_max, duration, "heddle.scheduler.max_registered_wait", seconds(30), seconds(0), days(365), ms, \
      "spark.scheduler.maxRegisteredResourcesWaitingTime", no, \
      "Longest wait for that share of executors.") \
  ROW(queue_ahead, count, "heddle.task.queue_ahead", -1, -1, 1'048'576, none, "", no, \
      "Tasks queued at an executor beyond its free slots; 0: none, as Spark; -1: 10 ms of measured task time, at " \
      "most 4096.") \
  ROW(fix_copies_below_zero, flag, "heddle.fix.copies_below_zero", true, false, true, none, "", no, \
      "Never count the copies of a task below 0: Spark does, never launches the task again, and the job hangs.") \
  ROW(fix_reject_of_stale, flag, "heddle.fix.reject_of_stale_entries", false, false, true, none, "", no, \
      "A set refuses an offer only while a task really waits: Spark counts entries of tasks that run already " \
      "(TSM-6).") \
  ROW(fix_unschedulable_removed, flag, "heddle.fix.unschedulable_removed_for_all", false, false, true, none, "", no, \
      "A launch frees each set that could run nowhere in the eyes of dynamic allocation too, not only the launching " \
      "one (TS-8).") \
  ROW(fix_starvation_until_launch, flag, "heddle.fix.starvation_until_launch", false, false, true, none, "", no, \
      "Warn of starvation until something is launched: Spark falls silent with the first offer (TS-14).")

#define HEDDLE_STAGE_SCHEDULER_SETTINGS(ROW) \
  ROW(consecutive_attempts_max, count, "heddle.stage.max_consecutive_attempts", 4, 1, count_max, none, \
      "spark.stage.maxConsecutiveAttempts", no, \
      "Attempts of a stage that may fail on fetches one after another before the job fails.") \
  ROW(attempts_max, count, "heddle.stage.max_attempts", count_max, 1, count_max, none, "spark.stage.maxAttempts", no, \
      "Attempts of a stage altogether; the larger of this and the consecutive limit counts.") \
  ROW(resubmit_delay, duration, "heddle.stage.resubmit_delay", milliseconds(200), seconds(0), minutes(10), ms, "", no, \
      "Wait after a fetch failure, so that failures of one cause are handled together.") \
  ROW(ignore_decommission_fetch_failure, flag, "heddle.stage.ignore_decommission_fetch_failure", true, false, true, \
      none, \
      "spark.stage.ignoreDecommissionFetchFailure", no, \
      "Fetch failures from an executor that was being decommissioned do not count against the stage.") \
  ROW(unregister_outputs_on_host, flag, "heddle.stage.unregister_outputs_on_host", false, false, true, none, \
      "spark.files.fetchFailure.unRegisterOutputOnHost", no, \
      "A fetch failure drops all map outputs of its host, not of its executor alone.") \
  ROW(reduce_locality, flag, "heddle.stage.reduce_locality", true, false, true, none, \
      "spark.shuffle.reduceLocality.enabled", no, \
      "Reduce tasks prefer hosts that hold a fifth or more of their input.") \
  ROW(merge_profiles, flag, "heddle.stage.merge_resource_profiles", false, false, true, none, \
      "spark.scheduler.resource.profileMergeConflicts", no, \
      "Stages that are piped into the same tasks and name other executor sizes get the larger of each; else they are " \
      "refused.") \
  ROW(fix_cancel_failed_attempts, flag, "heddle.fix.cancel_stages_with_failed_attempts", false, false, true, none, \
      "", no, \
      "Cancel old attempts of a stage that does not run now when its last job ends, as Spark 3.5.4 does.") \
  ROW(fix_reduce_locality_by_host, flag, "heddle.fix.reduce_locality_by_host", false, false, true, none, "", no, \
      "Sum what a host holds of a reduce task's input over its executors: Spark looks at each executor alone.")

#define HEDDLE_SPECULATION_SETTINGS(ROW) \
  ROW(enabled, flag, "heddle.speculation.enabled", false, false, true, none, "spark.speculation", no, \
      "Start a second attempt of tasks that run much longer than their stage's median.") \
  ROW(interval, duration, "heddle.speculation.interval", milliseconds(100), milliseconds(1), hours(1), ms, \
      "spark.speculation.interval", no, \
      "Time between looks for such tasks.") \
  ROW(quantile, ratio, "heddle.speculation.quantile", 0.9, 0.0, 1.0, none, "spark.speculation.quantile", no, \
      "Share of a stage's tasks that must have finished first.") \
  ROW(multiplier, ratio, "heddle.speculation.multiplier", 3.0, 0.0, 1'000'000.0, none, \
      "spark.speculation.multiplier", no, \
      "How many medians a task must run to be a candidate.") \
  ROW(task_runtime_min, duration, "heddle.speculation.min_task_runtime", milliseconds(100), seconds(0), days(365), ms, \
      "spark.speculation.minTaskRuntime", no, \
      "A task that runs shorter is never a candidate.") \
  ROW(duration_threshold, duration, "heddle.speculation.duration_threshold", seconds(0), seconds(0), days(365), ms, \
      "spark.speculation.task.duration.threshold", no, \
      "In stages too small for a median, run time that makes a candidate; 0: none.") \
  ROW(efficiency, flag, "heddle.speculation.efficiency", true, false, true, none, \
      "spark.speculation.efficiency.enabled", no, \
      "Copy only candidates that read slowly or have run for very long.") \
  ROW(process_rate_multiplier, ratio, "heddle.speculation.process_rate_multiplier", 0.75, 0.0, 1'000'000.0, none, \
      "spark.speculation.efficiency.processRateMultiplier", no, \
      "A candidate reads slowly below this share of its stage's records per second.") \
  ROW(long_run_factor, ratio, "heddle.speculation.long_run_factor", 2.0, 1.0, 1'000'000.0, none, \
      "spark.speculation.efficiency.longRunTaskFactor", no, \
      "A candidate that has run for so many times the limit is copied however fast it reads.") \
  ROW(decommission_kill_interval, duration, "heddle.speculation.decommission_kill_interval", seconds(0), seconds(0), \
      days(365), s, \
      "spark.executor.decommission.killInterval", no, \
      "Time that an executor which will go has left; what would not end in it is a candidate; 0: not known.")

#define HEDDLE_EXCLUSION_SETTINGS(ROW) \
  ROW(enabled, flag, "heddle.exclusion.enabled", false, false, true, none, \
      "spark.excludeOnFailure.enabled,spark.blacklist.enabled", no, \
      "Stop using executors and nodes on which tasks fail.") \
  ROW(application_enabled, flag, "heddle.exclusion.application.enabled", false, false, true, none, \
      "spark.excludeOnFailure.application.enabled", no, \
      "Exclude for the whole application; unset: heddle.exclusion.enabled.") \
  ROW(task_and_stage_enabled, flag, "heddle.exclusion.task_and_stage.enabled", false, false, true, none, \
      "spark.excludeOnFailure.taskAndStage.enabled", no, \
      "Exclude for one task and for one stage; unset: heddle.exclusion.enabled.") \
  ROW(task_attempts_per_executor, count, "heddle.exclusion.task_attempts_per_executor", 1, 1, count_max, none, \
      "spark.excludeOnFailure.task.maxTaskAttemptsPerExecutor,spark.blacklist.task.maxTaskAttemptsPerExecutor", no, \
      "Failures of a task on one executor that exclude it for this task.") \
  ROW(task_attempts_per_node, count, "heddle.exclusion.task_attempts_per_node", 2, 1, count_max, none, \
      "spark.excludeOnFailure.task.maxTaskAttemptsPerNode,spark.blacklist.task.maxTaskAttemptsPerNode", no, \
      "Failures of a task on one node that exclude it for this task.") \
  ROW(stage_failed_tasks_per_executor, count, "heddle.exclusion.stage_failed_tasks_per_executor", 2, 1, count_max, \
      none, \
      "spark.excludeOnFailure.stage.maxFailedTasksPerExecutor,spark.blacklist.stage.maxFailedTasksPerExecutor", no, \
      "Different tasks of a stage that fail on one executor and exclude it for the stage.") \
  ROW(stage_failed_executors_per_node, count, "heddle.exclusion.stage_failed_executors_per_node", 2, 1, count_max, \
      none, \
      "spark.excludeOnFailure.stage.maxFailedExecutorsPerNode,spark.blacklist.stage.maxFailedExecutorsPerNode", no, \
      "Executors of a node excluded for a stage that exclude the node.") \
  ROW(application_failed_tasks_per_executor, count, "heddle.exclusion.application_failed_tasks_per_executor", 2, 1, \
      count_max, none, \
      "spark.excludeOnFailure.application.maxFailedTasksPerExecutor," \
       "spark.blacklist.application.maxFailedTasksPerExecutor", no, \
      "Different tasks that fail on one executor and exclude it for the application.") \
  ROW(application_failed_executors_per_node, count, "heddle.exclusion.application_failed_executors_per_node", 2, 1, \
      count_max, none, \
      "spark.excludeOnFailure.application.maxFailedExecutorsPerNode," \
       "spark.blacklist.application.maxFailedExecutorsPerNode", no, \
      "Executors of a node excluded for the application that exclude the node.") \
  ROW(timeout, duration, "heddle.exclusion.timeout", hours(1), milliseconds(1), days(365), ms, \
      "spark.excludeOnFailure.timeout,spark.blacklist.timeout", no, \
      "How long an exclusion for the application lasts.") \
  ROW(legacy_timeout, duration, "heddle.exclusion.legacy_timeout", seconds(0), seconds(0), days(365), ms, \
      "spark.scheduler.executorTaskExcludeOnFailureTime,spark.scheduler.executorTaskBlacklistTime", no, \
      "Spark's old name of the time-out: above 0 it also turns exclusion on, where nothing newer says otherwise.") \
  ROW(kill_excluded, flag, "heddle.exclusion.kill_executors", false, false, true, none, \
      "spark.excludeOnFailure.killExcludedExecutors,spark.blacklist.killBlacklistedExecutors", no, \
      "End executors that are excluded for the application.") \
  ROW(kill_excluded_decommission, flag, "heddle.exclusion.decommission_executors", false, false, true, none, \
      "spark.excludeOnFailure.killExcludedExecutors.decommission", no, \
      "Let such executors finish their tasks first.") \
  ROW(on_fetch_failure, flag, "heddle.exclusion.on_fetch_failure", false, false, true, none, \
      "spark.excludeOnFailure.application.fetchFailure.enabled,spark.blacklist.application.fetchFailure.enabled", no, \
      "A fetch failure excludes at once what failed to serve.")

#define HEDDLE_DYNAMIC_ALLOCATION_SETTINGS(ROW) \
  ROW(enabled, flag, "heddle.dynamic_allocation.enabled", false, false, true, none, \
      "spark.dynamicAllocation.enabled", no, \
      "Hold executors in proportion to waiting tasks.") \
  ROW(executors_min, count, "heddle.dynamic_allocation.min_executors", 0, 0, count_max, none, \
      "spark.dynamicAllocation.minExecutors", no, \
      "Executors held in any case.") \
  ROW(executors_initial, count, "heddle.dynamic_allocation.initial_executors", 0, 0, count_max, none, \
      "spark.dynamicAllocation.initialExecutors", no, \
      "Executors asked for at the start; unset: the minimum.") \
  ROW(executors_max, count, "heddle.dynamic_allocation.max_executors", count_max, 1, count_max, none, \
      "spark.dynamicAllocation.maxExecutors", no, \
      "Executors never exceeded.") \
  ROW(allocation_ratio, ratio, "heddle.dynamic_allocation.ratio", 1.0, 0.000001, 1.0, none, \
      "spark.dynamicAllocation.executorAllocationRatio", no, \
      "Share of the executors that full parallelism would need.") \
  ROW(executor_idle_timeout, duration, "heddle.dynamic_allocation.idle_timeout", seconds(60), seconds(0), never, s, \
      "spark.dynamicAllocation.executorIdleTimeout", no, \
      "Idle time after which an executor is given back.") \
  ROW(shuffle_tracking, flag, "heddle.dynamic_allocation.shuffle_tracking", true, false, true, none, \
      "spark.dynamicAllocation.shuffleTracking.enabled", no, \
      "For YARN without a shuffle service: keep executors whose map outputs are needed. heddle's nodes serve them.") \
  ROW(shuffle_timeout, duration, "heddle.dynamic_allocation.shuffle_timeout", never, seconds(0), never, ms, \
      "spark.dynamicAllocation.shuffleTracking.timeout", no, \
      "How long they are kept there.") \
  ROW(backlog_timeout, duration, "heddle.dynamic_allocation.backlog_timeout", seconds(1), milliseconds(1), days(365), \
      s, \
      "spark.dynamicAllocation.schedulerBacklogTimeout", no, \
      "How long tasks must wait before executors are added.") \
  ROW(sustained_backlog_timeout, duration, "heddle.dynamic_allocation.sustained_backlog_timeout", \
      seconds(1), milliseconds(1), days(365), s, \
      "spark.dynamicAllocation.sustainedSchedulerBacklogTimeout", no, \
      "Time between further additions; unset: the backlog time-out.") \
  ROW(poll_interval, duration, "heddle.dynamic_allocation.poll_interval", milliseconds(100), milliseconds(1), \
      minutes(1), ms, "", no, \
      "Time between looks at the target, where something is due.") \
  ROW(fix_jump_to_need, flag, "heddle.fix.jump_to_need", false, false, true, none, "", no, \
      "Ask for all executors that waiting tasks need at once: Spark doubles what it adds each second (EAM-8).")

// clang-format on

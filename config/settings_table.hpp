// The settings table: every setting of heddle is one row here and nowhere else. The section structs, the readers, the bounds,
// `heddle config --list` and `--explain` follow from it.
// A row: field, kind, key, default, lower bound, upper bound, unit of a bare number, other names, restart, sentence.
// Kinds: count, ratio, flag, duration, size (bytes, or MiB where the unit says so), text, choice (lower bound: the words allowed).
// Sizes and durations are written as Spark writes them (`64m`, `3s`); a zero or an empty text means what its sentence says.
#pragma once

// clang-format off

#define HEDDLE_APPLICATION_SETTINGS(ROW) \
  ROW(name, text, "heddle.application.name", "", "", "", none, "spark.app.name,mapreduce.job.name", no, \
      "Name of the application in lists and logs; empty: the job's.") \
  ROW(queue, text, "heddle.application.queue", "default", "", "", none, "spark.yarn.queue,mapreduce.job.queuename", no, \
      "Queue of the ResourceManager that the application is submitted to.") \
  ROW(user, text, "heddle.application.user", "", "", "", none, "", no, \
      "User that the application runs for, as queues see it; empty: the user of the client.") \
  ROW(executor_instances, count, "heddle.executor.instances", 0, 0, 100'000, none, "spark.executor.instances", no, \
      "Executors to hold; 0: n of local-cluster[n,c,m], else 2.") \
  ROW(executor_cores, count, "heddle.executor.cores", 1, 1, 4'096, none, "spark.executor.cores", no, \
      "Slots of one executor.") \
  ROW(executor_memory_mib, size, "heddle.executor.memory", 1024, 1, 16'777'216, mib, "spark.executor.memory", no, \
      "Memory of one executor's container, without overhead.") \
  ROW(executor_overhead_mib, size, "heddle.executor.memory_overhead", 0, 0, 16'777'216, mib, "spark.executor.memoryOverhead", no, \
      "Memory added to each executor's container; 0: the larger of the factor's share and the least overhead.") \
  ROW(executor_overhead_factor, ratio, "heddle.executor.memory_overhead_factor", 0.1, 0.0, 10.0, none, \
      "spark.executor.memoryOverheadFactor", no, \
      "Share of an executor's memory that is added as overhead; 0 adds none.") \
  ROW(executor_overhead_min_mib, size, "heddle.executor.memory_overhead_min", 384, 0, 16'777'216, mib, \
      "spark.executor.minMemoryOverhead", no, \
      "Least overhead added to an executor's container where a factor applies.") \
  ROW(executor_node_label, text, "heddle.executor.node_label", "", "", "", none, "spark.yarn.executor.nodeLabelExpression", no, \
      "Label of the nodes that executors are asked for on; heddle's own ResourceManager has none and refuses it.") \
  ROW(master_memory_mib, size, "heddle.master.memory", 512, 1, 1'048'576, mib, \
      "spark.yarn.am.memory,yarn.app.mapreduce.am.resource.mb", no, \
      "Memory of the master container.") \
  ROW(master_cores, count, "heddle.master.cores", 1, 0, 4'096, none, "spark.yarn.am.cores,yarn.app.mapreduce.am.resource.cpu-vcores", no, \
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
  ROW(locality_wait, duration, "heddle.locality.wait", seconds(3), seconds(0), days(365), ms, "spark.locality.wait", no, \
      "How long slots are passed over in hope of a closer one, where no level has its own wait.") \
  ROW(locality_wait_process, duration, "heddle.locality.wait.process", seconds(3), seconds(0), days(365), ms, \
      "spark.locality.wait.process", no, \
      "Wait for a slot in the executor that holds the data; unset: heddle.locality.wait.") \
  ROW(locality_wait_node, duration, "heddle.locality.wait.node", seconds(3), seconds(0), days(365), ms, "spark.locality.wait.node", no, \
      "Wait for a slot on a host that holds the data; unset: heddle.locality.wait.") \
  ROW(locality_wait_rack, duration, "heddle.locality.wait.rack", seconds(3), seconds(0), days(365), ms, "spark.locality.wait.rack", no, \
      "Wait for a slot in a rack that holds the data; unset: heddle.locality.wait.") \
  ROW(legacy_wait_reset, flag, "heddle.locality.wait.legacy_reset", false, false, true, none, \
      "spark.locality.wait.legacyResetOnTaskLaunch", no, \
      "Start the locality wait again with each task launched, as before Spark 3.1.") \
  ROW(locality_adaptive, flag, "heddle.locality.adaptive", false, false, true, none, "", no, \
      "Wait for data only as long as a task set can win by it; the other waits stay upper bounds.") \
  ROW(locality_task_time, duration, "heddle.locality.adaptive.task_time", seconds(0), seconds(0), days(365), ms, "", no, \
      "Time of a task near its data; 0: measured.") \
  ROW(locality_far_cost, ratio, "heddle.locality.adaptive.far_cost", 0.0, 0.0, 1'000.0, none, "", no, \
      "How many times longer a task takes away from its data; 0: measured.") \
  ROW(revive_interval, duration, "heddle.scheduler.revive_interval", seconds(1), milliseconds(1), hours(1), ms, \
      "spark.scheduler.revive.interval", no, \
      "Time between offers of all free slots while tasks wait.") \
  ROW(unschedulable_timeout, duration, "heddle.scheduler.unschedulable_timeout", seconds(120), seconds(0), days(365), s, \
      "spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout", no, \
      "How long a stage that every executor is excluded from may wait before it fails.") \
  ROW(barrier_check_interval, duration, "heddle.barrier.check_interval", seconds(15), milliseconds(1), days(1), s, \
      "spark.scheduler.barrier.maxConcurrentTasksCheck.interval", no, \
      "Time until it is looked again whether all tasks of a barrier stage could run at once.") \
  ROW(barrier_check_failures_max, count, "heddle.barrier.check_failures_max", 40, 0, 1'000'000, none, \
      "spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures", no, \
      "Looks that may fail before the job does.") \
  ROW(starvation_timeout, duration, "heddle.scheduler.starvation_timeout", seconds(15), milliseconds(1), days(365), ms, \
      "spark.starvation.timeout", no, \
      "Time without any launch after which a warning says why.") \
  ROW(registered_ratio_min, ratio, "heddle.scheduler.min_registered_ratio", 0.8, 0.0, 1.0, none, \
      "spark.scheduler.minRegisteredResourcesRatio", no, \
      "Share of wanted executors that must have registered before the first task; 0 in local masters.") \
  ROW(registered_wait_max, duration, "heddle.scheduler.max_registered_wait", seconds(30), seconds(0), days(365), ms, \
      "spark.scheduler.maxRegisteredResourcesWaitingTime", no, \
      "Longest wait for that share of executors.") \
  ROW(queue_ahead, count, "heddle.task.queue_ahead", -1, -1, 1'048'576, none, "", no, \
      "Tasks queued at an executor beyond its free slots; 0: none, as Spark; -1: 10 ms of measured task time, at most 4096.") \
  ROW(fix_copies_below_zero, flag, "heddle.fix.copies_below_zero", true, false, true, none, "", no, \
      "Never count the copies of a task below 0: Spark does, never launches the task again, and the job hangs.") \
  ROW(fix_reject_of_stale, flag, "heddle.fix.reject_of_stale_entries", false, false, true, none, "", no, \
      "A set refuses an offer only while a task really waits: Spark counts entries of tasks that run already (TSM-6).") \
  ROW(fix_unschedulable_removed, flag, "heddle.fix.unschedulable_removed_for_all", false, false, true, none, "", no, \
      "A launch frees each set that could run nowhere in the eyes of dynamic allocation too, not only the launching one (TS-8).") \
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
  ROW(ignore_decommission_fetch_failure, flag, "heddle.stage.ignore_decommission_fetch_failure", true, false, true, none, \
      "spark.stage.ignoreDecommissionFetchFailure", no, \
      "Fetch failures from an executor that was being decommissioned do not count against the stage.") \
  ROW(unregister_outputs_on_host, flag, "heddle.stage.unregister_outputs_on_host", false, false, true, none, \
      "spark.files.fetchFailure.unRegisterOutputOnHost", no, \
      "A fetch failure drops all map outputs of its host, not of its executor alone.") \
  ROW(reduce_locality, flag, "heddle.stage.reduce_locality", true, false, true, none, "spark.shuffle.reduceLocality.enabled", no, \
      "Reduce tasks prefer hosts that hold a fifth or more of their input.") \
  ROW(merge_profiles, flag, "heddle.stage.merge_resource_profiles", false, false, true, none, \
      "spark.scheduler.resource.profileMergeConflicts", no, \
      "Stages that are piped into the same tasks and name other executor sizes get the larger of each; else they are refused.") \
  ROW(fix_cancel_failed_attempts, flag, "heddle.fix.cancel_stages_with_failed_attempts", false, false, true, none, "", no, \
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
  ROW(multiplier, ratio, "heddle.speculation.multiplier", 3.0, 0.0, 1'000'000.0, none, "spark.speculation.multiplier", no, \
      "How many medians a task must run to be a candidate.") \
  ROW(task_runtime_min, duration, "heddle.speculation.min_task_runtime", milliseconds(100), seconds(0), days(365), ms, \
      "spark.speculation.minTaskRuntime", no, \
      "A task that runs shorter is never a candidate.") \
  ROW(duration_threshold, duration, "heddle.speculation.duration_threshold", seconds(0), seconds(0), days(365), ms, \
      "spark.speculation.task.duration.threshold", no, \
      "In stages too small for a median, run time that makes a candidate; 0: none.") \
  ROW(efficiency, flag, "heddle.speculation.efficiency", true, false, true, none, "spark.speculation.efficiency.enabled", no, \
      "Copy only candidates that read slowly or have run for very long.") \
  ROW(process_rate_multiplier, ratio, "heddle.speculation.process_rate_multiplier", 0.75, 0.0, 1'000'000.0, none, \
      "spark.speculation.efficiency.processRateMultiplier", no, \
      "A candidate reads slowly below this share of its stage's records per second.") \
  ROW(long_run_factor, ratio, "heddle.speculation.long_run_factor", 2.0, 1.0, 1'000'000.0, none, \
      "spark.speculation.efficiency.longRunTaskFactor", no, \
      "A candidate that has run for so many times the limit is copied however fast it reads.") \
  ROW(decommission_kill_interval, duration, "heddle.speculation.decommission_kill_interval", seconds(0), seconds(0), days(365), s, \
      "spark.executor.decommission.killInterval", no, \
      "Time that an executor which will go has left; what would not end in it is a candidate; 0: not known.")

#define HEDDLE_EXCLUSION_SETTINGS(ROW) \
  ROW(enabled, flag, "heddle.exclusion.enabled", false, false, true, none, "spark.excludeOnFailure.enabled,spark.blacklist.enabled", no, \
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
  ROW(stage_failed_tasks_per_executor, count, "heddle.exclusion.stage_failed_tasks_per_executor", 2, 1, count_max, none, \
      "spark.excludeOnFailure.stage.maxFailedTasksPerExecutor,spark.blacklist.stage.maxFailedTasksPerExecutor", no, \
      "Different tasks of a stage that fail on one executor and exclude it for the stage.") \
  ROW(stage_failed_executors_per_node, count, "heddle.exclusion.stage_failed_executors_per_node", 2, 1, count_max, none, \
      "spark.excludeOnFailure.stage.maxFailedExecutorsPerNode,spark.blacklist.stage.maxFailedExecutorsPerNode", no, \
      "Executors of a node excluded for a stage that exclude the node.") \
  ROW(application_failed_tasks_per_executor, count, "heddle.exclusion.application_failed_tasks_per_executor", 2, 1, count_max, none, \
      "spark.excludeOnFailure.application.maxFailedTasksPerExecutor,spark.blacklist.application.maxFailedTasksPerExecutor", no, \
      "Different tasks that fail on one executor and exclude it for the application.") \
  ROW(application_failed_executors_per_node, count, "heddle.exclusion.application_failed_executors_per_node", 2, 1, count_max, none, \
      "spark.excludeOnFailure.application.maxFailedExecutorsPerNode,spark.blacklist.application.maxFailedExecutorsPerNode", no, \
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
  ROW(enabled, flag, "heddle.dynamic_allocation.enabled", false, false, true, none, "spark.dynamicAllocation.enabled", no, \
      "Hold executors in proportion to waiting tasks.") \
  ROW(executors_min, count, "heddle.dynamic_allocation.min_executors", 0, 0, count_max, none, "spark.dynamicAllocation.minExecutors", no, \
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
  ROW(cached_idle_timeout, duration, "heddle.dynamic_allocation.cached_idle_timeout", never, seconds(0), never, s, \
      "spark.dynamicAllocation.cachedExecutorIdleTimeout", no, \
      "The same for an executor that holds cached blocks.") \
  ROW(shuffle_tracking, flag, "heddle.dynamic_allocation.shuffle_tracking", true, false, true, none, \
      "spark.dynamicAllocation.shuffleTracking.enabled", no, \
      "Keep executors whose map outputs are still needed, where no shuffle service serves them.") \
  ROW(shuffle_timeout, duration, "heddle.dynamic_allocation.shuffle_timeout", never, seconds(0), never, ms, \
      "spark.dynamicAllocation.shuffleTracking.timeout", no, \
      "How long they are kept.") \
  ROW(backlog_timeout, duration, "heddle.dynamic_allocation.backlog_timeout", seconds(1), milliseconds(1), days(365), s, \
      "spark.dynamicAllocation.schedulerBacklogTimeout", no, \
      "How long tasks must wait before executors are added.") \
  ROW(sustained_backlog_timeout, duration, "heddle.dynamic_allocation.sustained_backlog_timeout", \
      seconds(1), milliseconds(1), days(365), s, \
      "spark.dynamicAllocation.sustainedSchedulerBacklogTimeout", no, \
      "Time between further additions; unset: the backlog time-out.") \
  ROW(poll_interval, duration, "heddle.dynamic_allocation.poll_interval", milliseconds(100), milliseconds(1), minutes(1), ms, "", no, \
      "Time between looks at the target, where something is due.") \
  ROW(fix_jump_to_need, flag, "heddle.fix.jump_to_need", false, false, true, none, "", no, \
      "Ask for all executors that waiting tasks need at once: Spark doubles what it adds each second (EAM-8).")

#define HEDDLE_DRIVER_SETTINGS(ROW) \
  ROW(executor_timeout, duration, "heddle.driver.executor_timeout", seconds(120), milliseconds(100), days(1), s, \
      "spark.network.timeout", no, \
      "Silence after which an executor counts as lost.") \
  ROW(result_bytes_max, size, "heddle.driver.max_result_size", gibibytes(1), 0, size_max, bytes, "spark.driver.maxResultSize", no, \
      "Bytes that the tasks of a last stage may hand over to the Driver in sum (their counters); more fail the job; 0: none.") \
  ROW(message_bytes_max, size, "heddle.rpc.message.max_size", mebibytes(128), 0, size_max, mib_in_bytes, "spark.rpc.message.maxSize", no, \
      "Bytes that go ahead of a stage's tasks to each executor (commands, environment, arguments); as many fail the job; 0: no limit.") \
  ROW(loss_reason_wait, duration, "heddle.executor.loss_reason_wait", seconds(2), seconds(0), minutes(10), ms, "", no, \
      "How long the Driver waits for the reason when the connection to an executor breaks.") \
  ROW(moves_outputs, flag, "heddle.decommission.move_outputs", false, false, true, none, "spark.storage.decommission.enabled", no, \
      "Copy what stands on a node that will go to other nodes, where the next setting does not except it.") \
  ROW(moves_shuffles, flag, "heddle.decommission.move_shuffles", true, false, true, none, \
      "spark.storage.decommission.shuffleBlocks.enabled", no, \
      "Map outputs are among that.") \
  ROW(output_moves_max, count, "heddle.decommission.moves_at_once", 8, 1, 4'096, none, \
      "spark.storage.decommission.shuffleBlocks.maxThreads", no, \
      "Executors that copy map outputs at the same time.") \
  ROW(decommission_kill_wait, duration, "heddle.decommission.force_kill_timeout", seconds(0), seconds(0), days(365), s, \
      "spark.executor.decommission.forceKillTimeout", no, \
      "How long executors on a node that will go may finish their tasks; 0: as long as they like.") \
  ROW(output_move_failures_max, count, "heddle.decommission.max_move_failures", 3, 0, 1'000'000, none, \
      "spark.storage.decommission.maxReplicationFailuresPerBlock", no, \
      "Failures to copy a map output after which it stays where it is, and is computed again when that goes.") \
  ROW(launch_batch_max, count, "heddle.driver.launch_batch_max", 65'536, 1, 1'048'576, none, "", no, \
      "Tasks in one launch message.")

#define HEDDLE_EXECUTOR_SETTINGS(ROW) \
  ROW(heartbeat_interval, duration, "heddle.executor.heartbeat_interval", seconds(10), milliseconds(10), hours(1), ms, \
      "spark.executor.heartbeatInterval", no, \
      "Time between an executor's heartbeats to the Driver.") \
  ROW(register_timeout, duration, "heddle.executor.register_timeout", seconds(30), milliseconds(100), hours(1), ms, "", no, \
      "How long an executor tries to reach its Driver before it ends.") \
  ROW(task_kill_wait, duration, "heddle.executor.task_kill_wait", milliseconds(250), seconds(0), minutes(10), ms, "", no, \
      "Time between SIGTERM and SIGKILL for a command that has to end.")

#define HEDDLE_YARN_ALLOCATOR_SETTINGS(ROW) \
  ROW(heartbeat_interval, duration, "heddle.allocator.heartbeat_interval", seconds(3), milliseconds(1), hours(1), ms, \
      "spark.yarn.scheduler.heartbeat.interval-ms", no, \
      "Time between allocate calls when nothing is pending; at most half of the ResourceManager's expiry.") \
  ROW(initial_interval, duration, "heddle.allocator.initial_interval", milliseconds(200), milliseconds(1), hours(1), ms, \
      "spark.yarn.scheduler.initial-allocation.interval", no, \
      "First time between allocate calls while requests are pending; doubles up to the heartbeat.") \
  ROW(reporter_failures_max, count, "heddle.allocator.reporter_failures", 5, 1, 1'000'000, none, \
      "spark.yarn.scheduler.reporterThread.maxFailures", no, \
      "Failed allocate calls in a row that end the application.") \
  ROW(executor_failures_max, count, "heddle.allocator.max_executor_failures", 0, 0, count_max, none, \
      "spark.executor.maxNumFailures,spark.yarn.max.executor.failures", no, \
      "Failed executors that end the application; 0: twice the executors wanted, at least 3.") \
  ROW(failures_validity, duration, "heddle.allocator.failures_validity", never, milliseconds(1), never, ms, \
      "spark.executor.failuresValidityInterval,spark.yarn.executor.failuresValidityInterval", no, \
      "Age after which a failed executor no longer counts.") \
  ROW(exclude_on_launch_failure, flag, "heddle.allocator.exclude_on_launch_failure", false, false, true, none, \
      "spark.yarn.executor.launch.excludeOnFailure.enabled", no, \
      "Exclude nodes on which executors fail to start.") \
  ROW(excluded_nodes, text, "heddle.allocator.exclude_nodes", "", "", "", none, "spark.yarn.exclude.nodes", no, \
      "Hosts never used, separated by commas.") \
  ROW(executor_start_timeout, duration, "heddle.allocator.executor_start_timeout", seconds(60), milliseconds(100), hours(1), ms, "", no, \
      "How long a started container may take to register its executor.") \
  ROW(decommission, flag, "heddle.decommission.enabled", false, false, true, none, "spark.decommission.enabled", no, \
      "Heed that a node will go (SIGPWR to its NodeManager): nothing new starts there. Idle executors are drained before they end.") \
  ROW(fix_always_push_exclusion, flag, "heddle.fix.always_push_exclusion", false, false, true, none, "", no, \
      "Tell excluded nodes at once: Spark tells them when the number of wanted executors changes (YA-3).") \
  ROW(fix_allocate_spacing, flag, "heddle.fix.allocate_spacing", false, false, true, none, "", no, \
      "Keep the initial interval between allocate calls that were asked for early: Spark means to, and does not.") \
  ROW(fix_count_starting, flag, "heddle.fix.count_starting_executors", false, false, true, none, "", no, \
      "Executors that start count when a container is matched: in Spark one batch can exceed the target (YA-12).") \
  ROW(fix_rebalance, flag, "heddle.fix.rebalance_requests", false, false, true, none, "", no, \
      "Place requests anew when only the places that tasks wait for have changed: Spark leaves them where they were (YA-9).") \
  ROW(fix_exact_placement, flag, "heddle.fix.exact_placement", false, false, true, none, "", no, \
      "Compute how many executors a host needs in whole numbers: in doubles Spark sometimes asks for one too many (PL-7).")

#define HEDDLE_RESOURCE_MANAGER_SETTINGS(ROW) \
  ROW(scheduler, choice, "heddle.resource_manager.scheduler", "fifo", "fifo|fair|capacity", "", none, "", yes, \
      "How applications share the cluster.") \
  ROW(queue_file, text, "heddle.resource_manager.queue_file", "", "", "", none, "yarn.scheduler.fair.allocation.file", no, \
      "Queues, as fair-scheduler.xml or capacity-scheduler.xml; empty: one queue named default.") \
  ROW(access_lists, flag, "heddle.resource_manager.access_lists", false, false, true, none, "yarn.acl.enable", yes, \
      "Refuse applications of users that the queue file's access lists do not let in.") \
  ROW(queue_file_interval, duration, "heddle.resource_manager.queue_file_interval", seconds(10), milliseconds(10), days(1), ms, "", yes, \
      "Time between looks whether the queue file has changed.") \
  ROW(queue_file_age, duration, "heddle.resource_manager.queue_file_age", seconds(5), seconds(0), hours(1), ms, "", yes, \
      "Age that a changed queue file must have before it is read: whoever writes it may not be done.") \
  ROW(offer_on_change, flag, "heddle.resource_manager.offer_on_change", true, false, true, none, "", yes, \
      "Offer nodes with room after each change too, not on their heartbeats alone; unset: on without a queue file of Hadoop's, off with.") \
  ROW(allocation_min_mib, size, "heddle.resource_manager.min_allocation_memory", 1024, 0, 16'777'216, mib, \
      "yarn.scheduler.minimum-allocation-mb", yes, \
      "Least memory of a container; requests are rounded up to multiples; 1 in a local cluster.") \
  ROW(allocation_max_mib, size, "heddle.resource_manager.max_allocation_memory", 8192, 1, 16'777'216, mib, \
      "yarn.scheduler.maximum-allocation-mb", yes, \
      "Most memory of a container; larger requests are refused at submission.") \
  ROW(allocation_min_cores, count, "heddle.resource_manager.min_allocation_cores", 1, 0, 65'536, none, \
      "yarn.scheduler.minimum-allocation-vcores", yes, \
      "Least cores of a container; 0 in a local cluster.") \
  ROW(allocation_max_cores, count, "heddle.resource_manager.max_allocation_cores", 4, 1, 65'536, none, \
      "yarn.scheduler.maximum-allocation-vcores", yes, \
      "Most cores of a container.") \
  ROW(node_timeout, duration, "heddle.resource_manager.node_timeout", minutes(10), milliseconds(100), days(1), ms, \
      "yarn.nm.liveness-monitor.expiry-interval-ms,yarn.resourcemanager.nm.liveness-monitor.expiry-interval-ms", yes, \
      "Silence after which a node counts as lost.") \
  ROW(master_timeout, duration, "heddle.resource_manager.master_timeout", minutes(10), milliseconds(100), days(1), ms, \
      "yarn.am.liveness-monitor.expiry-interval-ms", yes, \
      "Silence after which an application's master counts as lost and its attempt ends.") \
  ROW(allocation_timeout, duration, "heddle.resource_manager.allocation_timeout", minutes(10), milliseconds(100), days(1), ms, \
      "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", yes, \
      "How long a granted container may stay unused before it is taken back.") \
  ROW(application_attempts_max, count, "heddle.resource_manager.max_application_attempts", 2, 1, 1'000, none, \
      "yarn.resourcemanager.am.max-attempts", yes, \
      "Attempts that any application gets at most.") \
  ROW(completed_applications_max, count, "heddle.resource_manager.max_completed_applications", 1'000, 0, 1'000'000, none, \
      "yarn.resourcemanager.max-completed-applications", yes, \
      "Ended applications that are remembered.")

#define HEDDLE_FAIR_QUEUES_SETTINGS(ROW) \
  ROW(update_interval, duration, "heddle.fair.update_interval", milliseconds(500), milliseconds(1), hours(1), ms, \
      "yarn.scheduler.fair.update-interval-ms", yes, \
      "Time between computations of demands and shares.") \
  ROW(increment_mib, size, "heddle.fair.increment_memory", 1024, 1, 16'777'216, mib, \
      "yarn.resource-types.memory-mb.increment-allocation,yarn.scheduler.increment-allocation-mb", yes, \
      "Memory of a container is rounded up to multiples of this; 1 in a local cluster.") \
  ROW(increment_cores, count, "heddle.fair.increment_cores", 1, 1, 65'536, none, \
      "yarn.resource-types.vcores.increment-allocation,yarn.scheduler.increment-allocation-vcores", yes, \
      "The same for cores.") \
  ROW(may_create_queues, flag, "heddle.fair.create_queues", true, false, true, none, "yarn.scheduler.fair.allow-undeclared-pools", yes, \
      "Without placement rules: an application may name a queue that the file does not.") \
  ROW(is_user_default_queue, flag, "heddle.fair.user_queues", true, false, true, none, "yarn.scheduler.fair.user-as-default-queue", yes, \
      "Without placement rules: an application that names no queue goes to its user's.") \
  ROW(size_based_weight, flag, "heddle.fair.size_based_weight", false, false, true, none, "yarn.scheduler.fair.sizebasedweight", yes, \
      "Weigh applications by the logarithm of their demand.") \
  ROW(assign_multiple, flag, "heddle.fair.assign_multiple", false, false, true, none, "yarn.scheduler.fair.assignmultiple", yes, \
      "Assign several containers in one offer of a node.") \
  ROW(dynamic_assign, flag, "heddle.fair.dynamic_assign", true, false, true, none, "yarn.scheduler.fair.dynamic.max.assign", yes, \
      "Several: up to half of what is free on the node.") \
  ROW(assign_max, count, "heddle.fair.max_assign", -1, -1, count_max, none, "yarn.scheduler.fair.max.assign", yes, \
      "Several, where that is off: at most so many; -1: no limit.") \
  ROW(node_threshold, ratio, "heddle.fair.node_threshold", -1.0, -1.0, 1.0, none, "yarn.scheduler.fair.locality.threshold.node", yes, \
      "Share of the cluster's nodes that an application passes over in hope of its node; below 0: none.") \
  ROW(rack_threshold, ratio, "heddle.fair.rack_threshold", -1.0, -1.0, 1.0, none, "yarn.scheduler.fair.locality.threshold.rack", yes, \
      "The same in hope of its rack.") \
  ROW(continuous, flag, "heddle.fair.continuous_offers", false, false, true, none, \
      "yarn.scheduler.fair.continuous-scheduling-enabled", yes, \
      "Offer all nodes with room again and again, most memory first, beside their heartbeats; locality is then waited for by time.") \
  ROW(continuous_sleep, duration, "heddle.fair.continuous_sleep", milliseconds(5), milliseconds(1), hours(1), ms, \
      "yarn.scheduler.fair.continuous-scheduling-sleep-ms", yes, \
      "Time between two such rounds.") \
  ROW(node_delay_ms, count, "heddle.fair.node_delay_ms", -1, -1, 2'147'483'647, none, "yarn.scheduler.fair.locality-delay-node-ms", yes, \
      "With continuous offers: milliseconds for which an application hopes for its node; -1: none.") \
  ROW(rack_delay_ms, count, "heddle.fair.rack_delay_ms", -1, -1, 2'147'483'647, none, "yarn.scheduler.fair.locality-delay-rack-ms", yes, \
      "The same in hope of its rack.") \
  ROW(reservable_nodes, ratio, "heddle.fair.reservable_nodes", 0.05, 0.0, 1.0, none, "yarn.scheduler.fair.reservable-nodes", yes, \
      "Share of the nodes that one application may keep reserved.") \
  ROW(reservation_multiple, ratio, "heddle.fair.reservation_multiple", 2.0, 0.0, 1'000'000.0, none, \
      "yarn.scheduler.reservation-threshold.increment-multiple", yes, \
      "Increments that a request must be large to reserve a node.") \
  ROW(preemption, flag, "heddle.fair.preemption", false, false, true, none, "yarn.scheduler.fair.preemption", yes, \
      "Take containers from those above their share for those that starve.") \
  ROW(preemption_utilization, ratio, "heddle.fair.preemption_utilization", 0.8, 0.0, 1.0, none, \
      "yarn.scheduler.fair.preemption.cluster-utilization-threshold", yes, \
      "Share of the cluster in use above which containers are taken.") \
  ROW(wait_before_kill, duration, "heddle.fair.wait_before_kill", seconds(15), seconds(0), days(1), ms, \
      "yarn.scheduler.fair.waitTimeBeforeKill", yes, \
      "Time between the choice of a container and its end.") \
  ROW(wait_before_next_check, duration, "heddle.fair.wait_before_next_check", seconds(10), seconds(0), days(1), ms, \
      "yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck", yes, \
      "Time after that before the same application can be found starved again.") \
  ROW(fix_cap_starvation, flag, "heddle.fix.cap_minimum_starvation", false, false, true, none, "", no, \
      "An application takes what is left of its queue's starvation: YARN gives it what it wants beyond that (PR-3).")

#define HEDDLE_CAPACITY_QUEUES_SETTINGS(ROW) \
  ROW(application_priority_max, count, "heddle.capacity.max_application_priority", 0, 0, 2'147'483'647, none, \
      "yarn.cluster.max-application-priority", yes, \
      "Highest priority of an application; higher ones are cut to it.") \
  ROW(preemption, flag, "heddle.capacity.preemption", false, false, true, none, "yarn.resourcemanager.scheduler.monitor.enable", yes, \
      "Take containers from queues above their capacity for queues below theirs.") \
  ROW(preemption_interval, duration, "heddle.capacity.preemption_interval", seconds(3), milliseconds(1), hours(1), ms, \
      "yarn.resourcemanager.monitor.capacity.preemption.monitoring_interval", yes, \
      "Time between two looks for containers to take.") \
  ROW(preemption_wait, duration, "heddle.capacity.preemption_wait", seconds(15), milliseconds(0), hours(1), ms, \
      "yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill", yes, \
      "How long a container is chosen before it is ended.") \
  ROW(preemption_per_round, ratio, "heddle.capacity.preemption_per_round", 0.1, 0.0, 1.0, none, \
      "yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round", yes, \
      "Most of the cluster that one look takes.") \
  ROW(preemption_ignored, ratio, "heddle.capacity.preemption_ignored_excess", 0.1, 0.0, 1.0, none, \
      "yarn.resourcemanager.monitor.capacity.preemption.max_ignored_over_capacity", yes, \
      "A queue that exceeds its capacity by no more than this part of it is left alone.") \
  ROW(preemption_natural, ratio, "heddle.capacity.preemption_natural_termination", 0.2, 0.0, 1.0, none, \
      "yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor", yes, \
      "Part of the excess that one look takes: the rest may end by itself.")

#define HEDDLE_NODE_MANAGER_SETTINGS(ROW) \
  ROW(heartbeat_interval, duration, "heddle.node_manager.heartbeat_interval", seconds(1), milliseconds(1), hours(1), ms, \
      "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", yes, \
      "Time between a node's heartbeats to the ResourceManager.") \
  ROW(memory_mib, size, "heddle.node_manager.memory", 8192, 1, 16'777'216, mib, "yarn.nodemanager.resource.memory-mb", yes, \
      "Memory that a node offers.") \
  ROW(cores, count, "heddle.node_manager.cores", 8, 1, 65'536, none, "yarn.nodemanager.resource.cpu-vcores", yes, \
      "Cores that a node offers.") \
  ROW(directory, text, "heddle.node_manager.directory", "", "", "", none, "yarn.nodemanager.local-dirs,spark.local.dir", yes, \
      "Where nodes keep shuffle files and folders of tasks (of several folders the first); empty: a new folder under TMPDIR.") \
  ROW(kill_wait, duration, "heddle.node_manager.kill_wait", milliseconds(250), seconds(0), minutes(10), ms, \
      "yarn.nodemanager.sleep-delay-before-sigkill.ms", yes, \
      "Time between SIGTERM and SIGKILL for a container that has to end.") \
  ROW(check_physical_memory, flag, "heddle.node_manager.check_physical_memory", true, false, true, none, \
      "yarn.nodemanager.pmem-check-enabled", yes, \
      "End containers whose processes together hold more memory than granted.") \
  ROW(memory_check_interval, duration, "heddle.node_manager.memory_check_interval", seconds(3), milliseconds(10), hours(1), ms, \
      "yarn.nodemanager.container-monitor.interval-ms", yes, \
      "Time between measurements of a container's memory.") \
  ROW(resource_manager_wait, duration, "heddle.node_manager.resource_manager_wait", minutes(15), milliseconds(100), days(1), ms, \
      "yarn.resourcemanager.connect.max-wait.ms", yes, \
      "How long a node tries to reach the ResourceManager before it ends its containers.")

#define HEDDLE_NETWORK_SETTINGS(ROW) \
  ROW(connect_timeout, duration, "heddle.network.connect_timeout", seconds(10), milliseconds(10), hours(1), ms, \
      "spark.rpc.lookupTimeout", yes, \
      "How long one attempt to reach a peer may take.") \
  ROW(connect_retries, count, "heddle.network.connect_retries", 5, 0, 1'000'000, none, "spark.rpc.numRetries", yes, \
      "Further attempts to reach a peer.") \
  ROW(retry_wait, duration, "heddle.network.retry_wait", milliseconds(5), milliseconds(1), hours(1), ms, "spark.rpc.retry.wait", yes, \
      "First wait between such attempts; doubles up to 500 ms.") \
  ROW(ask_timeout, duration, "heddle.network.ask_timeout", seconds(10), milliseconds(10), hours(1), ms, "spark.rpc.askTimeout", yes, \
      "How long a question may stay unanswered.")

#define HEDDLE_SHUFFLE_SETTINGS(ROW) \
  ROW(sort_memory_bytes, size, "heddle.shuffle.sort_memory", mebibytes(256), mebibytes(1), size_max, bytes, "", no, \
      "Memory that one slot sorts in before it spills to disk.") \
  ROW(block_bytes, size, "heddle.shuffle.block", kibibytes(256), kibibytes(4), mebibytes(16), bytes, "", no, \
      "Records gathered into one compressed block with its checksum.") \
  ROW(compression, choice, "heddle.shuffle.compression", "lz4", "none|lz4|zstd", "", none, "spark.io.compression.codec", no, \
      "How blocks of a shuffle are compressed.") \
  ROW(compression_level, count, "heddle.shuffle.compression_level", 1, 1, 19, none, "spark.io.compression.zstd.level", no, \
      "Effort of zstd.") \
  ROW(merge_width, count, "heddle.shuffle.merge_width", 64, 2, 4'096, none, "mapreduce.task.io.sort.factor", no, \
      "Runs merged at once; each holds one buffer and one descriptor.") \
  ROW(in_flight_bytes_max, size, "heddle.shuffle.in_flight_max", mebibytes(48), kibibytes(64), size_max, mib_in_bytes, \
      "spark.reducer.maxSizeInFlight", no, \
      "Bytes that one reduce task has asked for and not yet taken.") \
  ROW(fetch_memory_bytes, size, "heddle.shuffle.fetch_memory", mebibytes(256), mebibytes(1), size_max, bytes, "", no, \
      "Fetched bytes that one reduce task keeps in memory before it spills.") \
  ROW(fetch_retries, count, "heddle.shuffle.fetch_retries", 3, 0, 1'000, none, "spark.shuffle.io.maxRetries", no, \
      "Further attempts at a fetch before it is a failure.") \
  ROW(retry_wait, duration, "heddle.shuffle.retry_wait", seconds(5), milliseconds(1), hours(1), s, "spark.shuffle.io.retryWait", no, \
      "Wait between attempts at a fetch.") \
  ROW(fetch_timeout, duration, "heddle.shuffle.fetch_timeout", seconds(120), milliseconds(10), days(1), s, \
      "spark.shuffle.io.connectionTimeout", no, \
      "Silence of a shuffle server that fails a fetch.") \
  ROW(read_local_files, flag, "heddle.shuffle.read_local", true, false, true, none, "spark.shuffle.readHostLocalDisk", no, \
      "Read map outputs of the own host from its disk; false: ask its shuffle server, as for other hosts.")

#define HEDDLE_INPUT_SETTINGS(ROW) \
  ROW(line_bytes_max, size, "heddle.input.line_bytes_max", mebibytes(256), 1, gibibytes(2) - 1, bytes, "", no, \
      "A longer line fails its task with file and offset.") \
  ROW(line_bytes_drop, size, "heddle.input.line_bytes_drop", 0, 0, gibibytes(2) - 1, bytes, \
      "mapreduce.input.linerecordreader.line.maxlength", no, \
      "A longer line is left out, as Hadoop does; 0: none is.") \
  ROW(split_bytes_min, size, "heddle.input.split_bytes_min", 1, 0, size_max, bytes, \
      "mapreduce.input.fileinputformat.split.minsize,mapred.min.split.size", no, \
      "Least size of a split.") \
  ROW(split_bytes_max, size, "heddle.input.split_bytes_max", size_max, 1, size_max, bytes, \
      "mapreduce.input.fileinputformat.split.maxsize,mapred.max.split.size", no, \
      "Largest size of a split.") \
  ROW(block_bytes, size, "heddle.input.block_bytes", mebibytes(32), kibibytes(1), size_max, bytes, \
      "dfs.blocksize,fs.local.block.size", no, \
      "Size of a block of files that have none of their own.") \
  ROW(read_buffer_bytes, size, "heddle.input.read_buffer", mebibytes(1), 512, mebibytes(256), bytes, "io.file.buffer.size", no, \
      "Bytes read from a file at once.") \
  ROW(recursive, flag, "heddle.input.recursive", false, false, true, none, \
      "mapreduce.input.fileinputformat.input.dir.recursive,mapred.input.dir.recursive", no, \
      "Read folders within input folders too.")

#define HEDDLE_OUTPUT_SETTINGS(ROW) \
  ROW(success_file, flag, "heddle.output.success_file", true, false, true, none, "mapreduce.fileoutputcommitter.marksuccessfuljobs", no, \
      "Write _SUCCESS when the output is committed.") \
  ROW(sync, flag, "heddle.output.sync", true, false, true, none, "", no, \
      "Write part files to the disk before their commit is decided: a loss of power then costs committed output nothing.")

#define HEDDLE_TASK_LOG_SETTINGS(ROW) \
  ROW(directory, text, "heddle.task_log.dir", "", "", "", none, "yarn.nodemanager.log-dirs", no, \
      "Where stdout and stderr of attempts are kept; empty: beside the event log.") \
  ROW(bytes_max, size, "heddle.task_log.bytes_max", mebibytes(1), kibibytes(4), gibibytes(1), bytes, "", no, \
      "Bytes of stderr kept per attempt: the first half and the last half.") \
  ROW(container_bytes_max, size, "heddle.container_log.bytes_max", mebibytes(16), kibibytes(4), gibibytes(16), bytes, "", yes, \
      "Bytes of stdout and stderr kept per container.")

#define HEDDLE_EVENT_LOG_SETTINGS(ROW) \
  ROW(enabled, flag, "heddle.event_log.enabled", true, false, true, none, "", no, \
      "Write the event log.") \
  ROW(directory, text, "heddle.event_log.dir", "", "", "", none, "", no, \
      "Folder of event logs; empty: $XDG_STATE_HOME/heddle.") \
  ROW(queue_bytes, size, "heddle.event_log.queue_bytes", mebibytes(16), kibibytes(64), gibibytes(1), bytes, "", no, \
      "Events that wait for the writer; when there are more, the next round waits.")

/// Rows of which the name holds NAME stand for one setting per kind of device: `heddle.task.resource.gpu.amount`.
#define HEDDLE_DEVICE_SETTINGS(ROW) \
  ROW(task_amount, ratio, "heddle.task.resource.NAME.amount", 0.0, 0.0, 1'000'000.0, none, "spark.task.resource.NAME.amount", no, \
      "Devices of this kind that one task holds: a whole number, or a share of one; 0: none.") \
  ROW(executor_amount, count, "heddle.executor.resource.NAME.amount", 0, 0, 1'000'000, none, "spark.executor.resource.NAME.amount", no, \
      "Devices of this kind that an executor needs to have; 0: none.") \
  ROW(discovery_script, text, "heddle.executor.resource.NAME.discovery_script", "", "", "", none, \
      "spark.executor.resource.NAME.discoveryScript", no, \
      "Program that each executor runs when it starts, and that prints its devices: {\"name\": \"gpu\", \"addresses\": [\"0\"]}.") \
  ROW(addresses, text, "heddle.executor.resource.NAME.addresses", "", "", "", none, "", no, \
      "Addresses of an executor's devices, separated by commas, instead of a program that finds them.")

/// Every section: its struct, its accessor in Settings, its rows.
#define HEDDLE_SETTINGS_SECTIONS(SECTION) \
  SECTION(ApplicationSettings, application, HEDDLE_APPLICATION_SETTINGS) \
  SECTION(TaskSchedulerSettings, task_scheduler, HEDDLE_TASK_SCHEDULER_SETTINGS) \
  SECTION(StageSchedulerSettings, stage_scheduler, HEDDLE_STAGE_SCHEDULER_SETTINGS) \
  SECTION(SpeculationSettings, speculation, HEDDLE_SPECULATION_SETTINGS) \
  SECTION(ExclusionSettings, exclusion, HEDDLE_EXCLUSION_SETTINGS) \
  SECTION(DynamicAllocationSettings, dynamic_allocation, HEDDLE_DYNAMIC_ALLOCATION_SETTINGS) \
  SECTION(DriverSettings, driver, HEDDLE_DRIVER_SETTINGS) \
  SECTION(ExecutorSettings, executor, HEDDLE_EXECUTOR_SETTINGS) \
  SECTION(YarnAllocatorSettings, yarn_allocator, HEDDLE_YARN_ALLOCATOR_SETTINGS) \
  SECTION(ResourceManagerSettings, resource_manager, HEDDLE_RESOURCE_MANAGER_SETTINGS) \
  SECTION(FairQueuesSettings, fair_queues, HEDDLE_FAIR_QUEUES_SETTINGS) \
  SECTION(CapacityQueuesSettings, capacity_queues, HEDDLE_CAPACITY_QUEUES_SETTINGS) \
  SECTION(NodeManagerSettings, node_manager, HEDDLE_NODE_MANAGER_SETTINGS) \
  SECTION(DeviceSettings, device, HEDDLE_DEVICE_SETTINGS) \
  SECTION(NetworkSettings, network, HEDDLE_NETWORK_SETTINGS) \
  SECTION(ShuffleSettings, shuffle, HEDDLE_SHUFFLE_SETTINGS) \
  SECTION(InputSettings, input, HEDDLE_INPUT_SETTINGS) \
  SECTION(OutputSettings, output, HEDDLE_OUTPUT_SETTINGS) \
  SECTION(TaskLogSettings, task_log, HEDDLE_TASK_LOG_SETTINGS) \
  SECTION(EventLogSettings, event_log, HEDDLE_EVENT_LOG_SETTINGS)

// clang-format on

// Settings of the frameworks of MapReduce. Columns: config/table/settings_table.hpp. The defaults are those of Hadoop.
#pragma once

// clang-format off

/// Of a job and its tasks.
#define HEDDLE_MAP_REDUCE_SETTINGS(ROW) \
  ROW(framework, choice, "heddle.map_reduce.framework", "local", "local|classic|yarn", "", none, \
      "mapreduce.framework.name", no, \
      "Framework of heddle mapreduce without --framework. local: the Driver; classic: JobTracker and TaskTrackers; "\
      "yarn: a MapReduceMaster.") \
  ROW(beat_on_change, flag, "heddle.map_reduce.beat_on_change", true, false, true, none, \
      "mapreduce.tasktracker.outofband.heartbeat", yes, \
      "A TaskTracker sends a heartbeat, and a MapReduceMaster a request, as soon as an attempt has ended or work can " \
      "start; false: only in the regular interval.") \
  ROW(map_attempts_max, count, "heddle.map.max_attempts", 4, 1, 1'000'000, none, \
      "mapreduce.map.maxattempts,mapred.map.max.attempts", no, \
      "Number of failed attempts of a map after which it has failed; unset: heddle.task.max_failures, which the " \
      "Driver uses for all tasks.") \
  ROW(reduce_attempts_max, count, "heddle.reduce.max_attempts", 4, 1, 1'000'000, none, \
      "mapreduce.reduce.maxattempts,mapred.reduce.max.attempts", no, \
      "Number of failed attempts of a reduce after which it has failed; unset: heddle.task.max_failures, which the " \
      "Driver uses for all tasks.") \
  ROW(map_failures_percent, count, "heddle.map.max_failures_percent", 0, 0, 100, none, \
      "mapreduce.map.failures.maxpercent,mapred.max.map.failures.percent", no, \
      "Percentage of the maps that may fail before the job fails (classic and yarn); its output lacks their part.") \
  ROW(reduce_failures_percent, count, "heddle.reduce.max_failures_percent", 0, 0, 100, none, \
      "mapreduce.reduce.failures.maxpercent,mapred.max.reduce.failures.percent", no, \
      "Percentage of the reduces that may fail before the job fails (classic and yarn); its output lacks their part.") \
  ROW(map_speculative, flag, "heddle.map.speculative", true, false, true, none, \
      "mapreduce.map.speculative,mapred.map.tasks.speculative.execution", no, \
      "Start a second attempt of a slow map (classic and yarn).") \
  ROW(reduce_speculative, flag, "heddle.reduce.speculative", true, false, true, none, \
      "mapreduce.reduce.speculative,mapred.reduce.tasks.speculative.execution", no, \
      "Start a second attempt of a slow reduce (classic and yarn).") \
  ROW(slow_start, ratio, "heddle.reduce.slow_start", 0.05, 0.0, 1.0, none, \
      "mapreduce.job.reduce.slowstart.completedmaps,mapred.reduce.slowstart.completed.maps", no, \
      "Part of the maps that must have ended before the first reduce starts (classic and yarn).") \
  ROW(tracker_failures_max, count, "heddle.map_reduce.max_failures_per_host", 0, 0, 1'000'000, none, \
      "mapreduce.job.maxtaskfailures.per.tracker,mapred.max.tracker.failures", no, \
      "Number of failed attempts on a host after which a job avoids it; 0: 4 with framework classic, 3 with yarn.") \
  ROW(priority, choice, "heddle.map_reduce.priority", "NORMAL", "VERY_HIGH|HIGH|NORMAL|LOW|VERY_LOW", "", none, \
      "mapreduce.job.priority,mapred.job.priority", no, \
      "Priority of a job in the queue of a JobTracker.") \
  ROW(map_memory_mib, size, "heddle.map.memory", 0, 0, 16'777'216, mib, \
      "mapreduce.map.memory.mb,mapred.job.map.memory.mb", no, \
      "Memory of the container of a map with framework yarn, 0: m/c in local-cluster[n,c,m]; limit of a map's " \
      "process with classic, 0: none.") \
  ROW(map_cores, count, "heddle.map.cores", 1, 1, 4'096, none, "mapreduce.map.cpu.vcores", no, \
      "Cores of the container of a map with framework yarn.") \
  ROW(reduce_memory_mib, size, "heddle.reduce.memory", 0, 0, 16'777'216, mib, \
      "mapreduce.reduce.memory.mb,mapred.job.reduce.memory.mb", no, \
      "Memory of the container of a reduce with framework yarn, 0: m/c in local-cluster[n,c,m]; limit of a " \
      "reduce's process with classic, 0: none.") \
  ROW(reduce_cores, count, "heddle.reduce.cores", 1, 1, 4'096, none, "mapreduce.reduce.cpu.vcores", no, \
      "Cores of the container of a reduce with framework yarn.") \
  ROW(task_timeout, duration, "heddle.map_reduce.task_timeout", seconds(600), seconds(0), never, ms, \
      "mapreduce.task.timeout,mapred.task.timeout", no, \
      "An attempt fails after this time without a sign of life of its process (classic and yarn); 0: never.") \
  ROW(progress_interval, duration, "heddle.map_reduce.progress_interval", seconds(0), seconds(0), hours(1), ms, \
      "mapreduce.task.progress-report.interval", no, \
      "Time between two reports of an attempt's process (classic and yarn); 0: a hundredth of the task time-out, but " \
      "with classic at most 3 s.") \
  ROW(tasks_per_process, count, "heddle.map_reduce.tasks_per_process", 1, -1, 1'000'000, none, \
      "mapreduce.job.jvm.numtasks,mapred.job.reuse.jvm.num.tasks", no, \
      "Number of tasks of a job that one process runs, one after another (classic); -1: no limit.") \
  ROW(reduce_input_limit, count, "heddle.reduce.input_limit", -1, -1, count_max, none, \
      "mapreduce.reduce.input.limit", no, \
      "A job fails if half of the estimated input of one reduce exceeds so many bytes (classic); -1: no limit.")

/// Of reduces that copy map outputs.
#define HEDDLE_MAP_OUTPUT_COPY_SETTINGS(ROW) \
  ROW(copy_retry_first, duration, "heddle.reduce.copy_retry_first", seconds(10), milliseconds(1), days(1), ms, "", no, \
      "Time that a reduce leaves a host alone after a failed copy, times 1.3 per failure, at most " \
      "heddle.reduce.copy_retry_max (classic and yarn).") \
  ROW(copy_retry_max, duration, "heddle.reduce.copy_retry_max", seconds(60), milliseconds(1), days(1), ms, \
      "mapreduce.reduce.shuffle.retry-delay.max.ms", no, \
      "Longest time that a reduce leaves a host alone after a failed copy (classic and yarn).") \
  ROW(copy_failures_per_notice, count, "heddle.reduce.copy_failures_per_notice", 10, 1, 1'000'000, none, \
      "mapreduce.reduce.shuffle.maxfetchfailures", no, \
      "Number of failed copies of one map output after which a reduce reports it to the master (classic and yarn).") \
  ROW(copy_failures_of_host, count, "heddle.reduce.copy_failures_of_host", 5, 0, 1'000'000, none, \
      "mapreduce.reduce.shuffle.max-host-failures", no, \
      "Number of failed copies from one host after which a reduce reports each to the master (classic and yarn).") \
  ROW(reports_read_errors, flag, "heddle.reduce.report_read_errors", true, false, true, none, \
      "mapreduce.reduce.shuffle.notify.readerror", no, \
      "A reduce reports a copy that broke off to the master at once (classic and yarn).") \
  ROW(parallel_copies, count, "heddle.reduce.parallel_copies", 5, 1, 1'000, none, \
      "mapreduce.reduce.shuffle.parallelcopies,mapred.reduce.parallel.copies", no, \
      "Number of hosts from which a reduce copies map outputs at the same time (classic and yarn).") \
  ROW(copy_connect_timeout, duration, "heddle.reduce.copy_connect_timeout", seconds(180), milliseconds(10), days(1), \
      ms, "mapreduce.reduce.shuffle.connect.timeout,mapred.shuffle.connect.timeout", no, \
      "Time that a reduce tries to connect to a host with map outputs (classic and yarn).") \
  ROW(copy_read_timeout, duration, "heddle.reduce.copy_read_timeout", seconds(180), milliseconds(10), days(1), ms, \
      "mapreduce.reduce.shuffle.read.timeout,mapred.shuffle.read.timeout", no, \
      "The copy of a map output fails after this time without data (classic and yarn).")

#define HEDDLE_JOB_TRACKER_SETTINGS(ROW) \
  ROW(tracker_timeout, duration, "heddle.job_tracker.tracker_timeout", seconds(600), seconds(1), days(365), ms, \
      "mapreduce.jobtracker.expire.trackers.interval,mapred.tasktracker.expiry.interval", yes, \
      "Time without a heartbeat after which a TaskTracker is lost, and without a report of a launch after which that " \
      "has failed.") \
  ROW(heartbeats_per_second, count, "heddle.job_tracker.heartbeats_per_second", 100, 1, 1'000'000, none, \
      "mapreduce.jobtracker.heartbeats.in.second,mapred.heartbeats.in.second", yes, \
      "Number of regular heartbeats per second of all TaskTrackers together; each waits at least 300 ms.") \
  ROW(heartbeat_scaling, ratio, "heddle.job_tracker.heartbeat_scaling", 1.0, 0.01, 1'000.0, none, \
      "mapreduce.jobtracker.heartbeats.scaling.factor", yes, \
      "Factor of the time between the regular heartbeats of a TaskTracker.") \
  ROW(capacity_pad, ratio, "heddle.job_tracker.capacity_pad", 0.01, 0.0, 1.0, none, \
      "mapreduce.jobtracker.taskscheduler.taskalloc.capacitypad,mapred.jobtracker.taskalloc.capacitypad", yes, \
      "Part of the tasks of waiting jobs for which slots stay free in a cluster of more than three TaskTrackers.") \
  ROW(speculative_gap, ratio, "heddle.job_tracker.speculative_gap", 0.2, 0.0, 1.0, none, "", no, \
      "A task gets a second attempt if its progress is behind the average by this part; in Hadoop a constant.") \
  ROW(speculative_lag, duration, "heddle.job_tracker.speculative_lag", seconds(60), seconds(0), days(365), ms, "", no, \
      "Time since the start of the job after which a task may get a second attempt; in Hadoop a constant.") \
  ROW(host_faults_max, count, "heddle.job_tracker.max_host_faults", 4, 1, 1'000'000, none, \
      "mapreduce.jobtracker.tasktracker.maxblacklists,mapred.max.tracker.blacklists", yes, \
      "Number of jobs in the fault window that succeeded and avoided a host after which it may turn gray, which is " \
      "shown and changes nothing else.") \
  ROW(fault_window_minutes, count, "heddle.job_tracker.fault_window_minutes", 180, 1, 525'600, none, \
      "mapred.jobtracker.blacklist.fault-timeout-window", yes, \
      "Minutes for which a job that avoided a host counts against it, rounded up to whole buckets.") \
  ROW(fault_bucket_minutes, count, "heddle.job_tracker.fault_bucket_minutes", 15, 1, 525'600, none, \
      "mapred.jobtracker.blacklist.fault-bucket-width", yes, \
      "Width of a bucket of the fault window in minutes, at most that of the window.") \
  ROW(tasks_of_job_max, count, "heddle.job_tracker.max_tasks_per_job", -1, -1, 2'147'483'647, none, \
      "mapreduce.jobtracker.maxtasks.perjob,mapred.jobtracker.maxtasks.per.job", yes, \
      "A job with more maps and reduces fails at once; -1: no limit.") \
  ROW(running_tasks_of_job_max, count, "heddle.job_tracker.max_running_tasks_per_job", 0, 0, 2'147'483'647, none, \
      "mapreduce.jobtracker.taskscheduler.maxrunningtasks.perjob," \
      "mapred.jobtracker.taskScheduler.maxRunningTasksPerJob", yes, \
      "Number of tasks of a job above which other jobs get the slots first, as LimitTasksPerJobTaskScheduler gives " \
      "them; 0: slots are given as JobQueueTaskScheduler gives them.") \
  ROW(recovers_jobs, flag, "heddle.job_tracker.recover", false, false, true, none, \
      "mapreduce.jobtracker.restart.recover,mapred.jobtracker.restart.recover", yes, \
      "A JobTracker that was lost and started again runs its unfinished jobs anew; false: these jobs fail.") \
  ROW(reports_per_user, count, "heddle.job_tracker.reports_per_user", 100, 0, 1'000'000, none, \
      "mapred.jobtracker.completeuserjobs.maximum", yes, \
      "Number of ended jobs of a user whose reports a JobTracker keeps; each stays for a minute at least.") \
  ROW(report_age, duration, "heddle.job_tracker.report_age", hours(24), seconds(1), days(365), ms, \
      "mapreduce.jobtracker.retirejob.interval,mapred.jobtracker.retirejob.interval", yes, \
      "Time for which a JobTracker keeps the report of an ended job.")

#define HEDDLE_TASK_TRACKER_SETTINGS(ROW) \
  ROW(map_slots, count, "heddle.task_tracker.map_slots", 2, 1, 4'096, none, \
      "mapreduce.tasktracker.map.tasks.maximum,mapred.tasktracker.map.tasks.maximum", yes, \
      "Number of maps that run on one TaskTracker at the same time; unset: c in local-cluster[n,c,m], the " \
      "cores that a topology file names for the host, else 2; a topology file can set it by host.") \
  ROW(reduce_slots, count, "heddle.task_tracker.reduce_slots", 2, 1, 4'096, none, \
      "mapreduce.tasktracker.reduce.tasks.maximum,mapred.tasktracker.reduce.tasks.maximum", yes, \
      "Number of reduces that run on one TaskTracker at the same time; unset: c in local-cluster[n,c,m], the " \
      "cores that a topology file names for the host, else 2; a topology file can set it by host.") \
  ROW(start_space_min, size, "heddle.task_tracker.min_space_start", 0, 0, size_max, bytes, \
      "mapreduce.tasktracker.local.dir.minspacestart,mapred.local.dir.minspacestart", yes, \
      "Free bytes on the disk of a TaskTracker below which it accepts no tasks.") \
  ROW(kill_space_min, size, "heddle.task_tracker.min_space_kill", 0, 0, size_max, bytes, \
      "mapreduce.tasktracker.local.dir.minspacekill,mapred.local.dir.minspacekill", yes, \
      "Free bytes on the disk of a TaskTracker below which it accepts no tasks and, before each heartbeat, kills the " \
      "reduce, or else the map, with the least progress.")

#define HEDDLE_MAP_REDUCE_MASTER_SETTINGS(ROW) \
  ROW(ramp_up_limit, ratio, "heddle.map_reduce_master.ramp_up_limit", 0.5, 0.0, 1.0, none, \
      "yarn.app.mapreduce.am.job.reduce.rampup.limit", no, \
      "Largest part of the resources that reduces get while maps wait.") \
  ROW(preemption_limit, ratio, "heddle.map_reduce_master.preemption_limit", 0.5, 0.0, 1.0, none, \
      "yarn.app.mapreduce.am.job.reduce.preemption.limit", no, \
      "Largest part of the resources that is taken from running reduces for waiting maps; at least one map.") \
  ROW(preempt_delay_seconds, count, "heddle.map_reduce_master.preempt_delay_seconds", 0, -1, count_max, none, \
      "mapreduce.job.reducer.preempt.delay.sec", no, \
      "Seconds that a map without room waits before a reduce is killed for it; 0 or less: none.") \
  ROW(unconditional_preempt_delay_seconds, count, "heddle.map_reduce_master.unconditional_preempt_delay_seconds", 300, \
      -1, count_max, none, "mapreduce.job.reducer.unconditional-preempt.delay.sec", no, \
      "Seconds that a map waits before a reduce is killed for it, even if there seems to be room; -1: never.") \
  ROW(excludes_hosts, flag, "heddle.map_reduce_master.exclude_hosts", true, false, true, none, \
      "yarn.app.mapreduce.am.job.node-blacklisting.enable", no, \
      "Avoid hosts with heddle.map_reduce.max_failures_per_host failed attempts.") \
  ROW(exclusion_ignore_percent, count, "heddle.map_reduce_master.ignore_exclusion_percent", 33, -1, 100, none, \
      "yarn.app.mapreduce.am.job.node-blacklisting.ignore-threshold-node-percent", no, \
      "All hosts are used again if this percentage of them is avoided; -1: never.") \
  ROW(running_maps_max, count, "heddle.map_reduce_master.max_running_maps", 0, 0, count_max, none, \
      "mapreduce.job.running.map.limit", no, \
      "Maximum number of maps of the job that run at the same time; 0: no limit.") \
  ROW(running_reduces_max, count, "heddle.map_reduce_master.max_running_reduces", 0, 0, count_max, none, \
      "mapreduce.job.running.reduce.limit", no, \
      "Maximum number of reduces of the job that run at the same time; 0: no limit.") \
  ROW(heartbeat_interval, duration, "heddle.map_reduce_master.heartbeat_interval", seconds(1), milliseconds(1), \
      hours(1), ms, "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms", no, \
      "Regular time between two requests to the ResourceManager; at most half of " \
      "heddle.resource_manager.master_timeout.") \
  ROW(connection_wait, duration, "heddle.map_reduce_master.connection_wait", seconds(360), milliseconds(1), days(365), \
      ms, "yarn.app.mapreduce.am.scheduler.connection.wait.interval-ms", no, \
      "Time without an answer of the ResourceManager after which the application attempt ends.") \
  ROW(slow_task_threshold, ratio, "heddle.map_reduce_master.slow_task_threshold", 1.0, 0.0, 1'000.0, none, \
      "mapreduce.job.speculative.slowtaskthreshold,mapred.speculative.execution.slowTaskThreshold", no, \
      "Standard deviations by which the estimated run time of a task must exceed the mean before a second attempt.") \
  ROW(speculative_min, count, "heddle.map_reduce_master.speculative_min", 10, 0, count_max, none, \
      "mapreduce.job.speculative.minimum-allowed-tasks", no, \
      "Number of maps, or reduces, that may have a second attempt at the same time, however few run.") \
  ROW(speculative_cap_running, ratio, "heddle.map_reduce_master.speculative_cap_running", 0.1, 0.0, 1.0, none, \
      "mapreduce.job.speculative.speculative-cap-running-tasks,mapred.speculative.execution.speculativeCap", no, \
      "Part of the running maps, or reduces, that may have a second attempt at the same time.") \
  ROW(speculative_cap_total, ratio, "heddle.map_reduce_master.speculative_cap_total", 0.01, 0.0, 1.0, none, \
      "mapreduce.job.speculative.speculative-cap-total-tasks", no, \
      "Part of all maps, or reduces, that may have a second attempt at the same time.") \
  ROW(retry_after_none, duration, "heddle.map_reduce_master.retry_after_no_speculate", seconds(1), milliseconds(1), \
      days(1), ms, "mapreduce.job.speculative.retry-after-no-speculate", no, \
      "Time until the next search for slow tasks after one that found none.") \
  ROW(retry_after_one, duration, "heddle.map_reduce_master.retry_after_speculate", seconds(15), milliseconds(1), \
      days(1), ms, "mapreduce.job.speculative.retry-after-speculate", no, \
      "Time until the next search for slow tasks after one that found a task.") \
  ROW(commit_window, duration, "heddle.map_reduce_master.commit_window", seconds(10), milliseconds(1), days(1), ms, \
      "yarn.app.mapreduce.am.job.committer.commit-window", no, \
      "Outputs are committed only within this time after an answer of the ResourceManager; later they wait for the " \
      "next.") \
  ROW(fail_wait, duration, "heddle.map_reduce_master.fail_wait", seconds(60), milliseconds(1), days(1), ms, \
      "yarn.app.mapreduce.am.job.committer.cancel-timeout", no, \
      "Time for which a job that has failed waits for the end of its other tasks before it removes its output.") \
  ROW(stuck_timeout, duration, "heddle.map_reduce_master.stuck_timeout", seconds(600), seconds(0), never, ms, \
      "mapreduce.task.stuck.timeout-ms", no, \
      "An attempt fails if its process reports nothing in this time since its start; 0: never.") \
  ROW(exit_timeout, duration, "heddle.map_reduce_master.exit_timeout", seconds(60), milliseconds(1), days(1), ms, \
      "mapreduce.task.exit.timeout", no, \
      "Time in which the process of an ended attempt must exit before it is killed.")

#define HEDDLE_JOB_HISTORY_SETTINGS(ROW) \
  ROW(directory, text, "heddle.job_history.dir", "history", "", "", none, "", no, \
      "Folder of the history files of MapReduce jobs; a relative path is below the folder of the run in " \
      "$XDG_STATE_HOME/heddle; empty: no history, and a second MapReduceMaster runs all tasks again.") \
  ROW(format, choice, "heddle.job_history.format", "json", "json|binary", "", none, \
      "mapreduce.jobhistory.jhist.format", no, \
      "Format of the history file of a job with framework yarn.")

// clang-format on

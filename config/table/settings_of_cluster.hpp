// Settings of the Driver, executors, YarnAllocator, ResourceManager, queues and NodeManagers. Columns:
// config/table/settings_table.hpp.
#pragma once

// clang-format off

#define HEDDLE_DRIVER_SETTINGS(ROW) \
  ROW(executor_timeout, duration, "heddle.driver.executor_timeout", seconds(120), milliseconds(100), days(1), s, \
      "spark.network.timeout", no, \
      "The Driver removes an executor after this time without a heartbeat.") \
  ROW(result_bytes_max, size, "heddle.driver.max_result_size", gibibytes(1), 0, size_max, bytes, \
      "spark.driver.maxResultSize", no, \
      "Maximum total size of the task results (counters) of a result stage; above it the job fails; 0: no limit.") \
  ROW(message_bytes_max, size, "heddle.rpc.message.max_size", mebibytes(128), 0, size_max, mib_in_bytes, \
      "spark.rpc.message.maxSize", no, \
      "A task binary (commands, environment, arguments of a stage) of this size or more fails its job; 0: no limit.") \
  ROW(loss_reason_wait, duration, "heddle.executor.loss_reason_wait", seconds(2), seconds(0), minutes(10), ms, "", no, \
      "Time that the Driver waits for the exit reason after the connection to an executor breaks.") \
  ROW(moves_outputs, flag, "heddle.decommission.move_outputs", false, false, true, none, \
      "spark.storage.decommission.enabled", no, \
      "Copy map outputs from a decommissioned node to other nodes; needs heddle.decommission.move_shuffles.") \
  ROW(moves_shuffles, flag, "heddle.decommission.move_shuffles", true, false, true, none, \
      "spark.storage.decommission.shuffleBlocks.enabled", no, \
      "Include map outputs in the copies of heddle.decommission.move_outputs.") \
  ROW(output_moves_max, count, "heddle.decommission.moves_at_once", 8, 1, 4'096, none, \
      "spark.storage.decommission.shuffleBlocks.maxThreads", no, \
      "Number of executors that copy map outputs at the same time.") \
  ROW(decommission_kill_wait, duration, "heddle.decommission.force_kill_timeout", seconds(0), seconds(0), days(365), \
      s, \
      "spark.executor.decommission.forceKillTimeout", no, \
      "Time that executors on a decommissioned node get to finish their tasks; 0: no limit.") \
  ROW(output_move_failures_max, count, "heddle.decommission.max_move_failures", 3, 0, 1'000'000, none, \
      "spark.storage.decommission.maxReplicationFailuresPerBlock", no, \
      "Failed copies after which a map output stays on its node; its task runs again after the node is gone.")

#define HEDDLE_EXECUTOR_SETTINGS(ROW) \
  ROW(heartbeat_interval, duration, "heddle.executor.heartbeat_interval", seconds(10), milliseconds(10), hours(1), ms, \
      "spark.executor.heartbeatInterval", no, \
      "Time between the heartbeats of an executor to the Driver.") \
  ROW(register_timeout, duration, "heddle.executor.register_timeout", seconds(30), milliseconds(100), hours(1), ms, \
      "", no, \
      "Time that an executor tries to reach its Driver before it exits.") \
  ROW(task_kill_wait, duration, "heddle.executor.task_kill_wait", milliseconds(250), seconds(0), minutes(10), ms, "", \
      no, \
      "Time between SIGTERM and SIGKILL when a command is killed.")

#define HEDDLE_YARN_ALLOCATOR_SETTINGS(ROW) \
  ROW(heartbeat_interval, duration, "heddle.allocator.heartbeat_interval", seconds(3), milliseconds(1), hours(1), ms, \
      "spark.yarn.scheduler.heartbeat.interval-ms", no, \
      "Time between allocate calls when no request is pending; at most half of " \
      "heddle.resource_manager.master_timeout.") \
  ROW(initial_interval, duration, "heddle.allocator.initial_interval", milliseconds(200), milliseconds(1), hours(1), \
      ms, \
      "spark.yarn.scheduler.initial-allocation.interval", no, \
      "First time between allocate calls while requests are pending; doubles up to " \
      "heddle.allocator.heartbeat_interval.") \
  ROW(reporter_failures_max, count, "heddle.allocator.reporter_failures", 5, 1, 1'000'000, none, \
      "spark.yarn.scheduler.reporterThread.maxFailures", no, \
      "Number of consecutive failed allocate calls after which the application fails.") \
  ROW(executor_failures_max, count, "heddle.allocator.max_executor_failures", 0, 0, count_max, none, \
      "spark.executor.maxNumFailures,spark.yarn.max.executor.failures", no, \
      "Number of failed executors after which the application fails; 0: twice the requested executors, at least 3.") \
  ROW(failures_validity, duration, "heddle.allocator.failures_validity", never, milliseconds(1), never, ms, \
      "spark.executor.failuresValidityInterval,spark.yarn.executor.failuresValidityInterval", no, \
      "Age after which a failed executor is no longer counted.") \
  ROW(exclude_on_launch_failure, flag, "heddle.allocator.exclude_on_launch_failure", false, false, true, none, \
      "spark.yarn.executor.launch.excludeOnFailure.enabled", no, \
      "Exclude nodes on which executors fail to start.") \
  ROW(excluded_nodes, text, "heddle.allocator.exclude_nodes", "", "", "", none, "spark.yarn.exclude.nodes", no, \
      "Hosts on which no executor is started, separated by commas.") \
  ROW(executor_start_timeout, duration, "heddle.allocator.executor_start_timeout", seconds(60), milliseconds(100), \
      hours(1), ms, "", no, \
      "Time that a started container gets to register its executor; then the container is stopped.") \
  ROW(decommission, flag, "heddle.decommission.enabled", false, false, true, none, "spark.decommission.enabled", no, \
      "Decommission a node when its NodeManager receives SIGPWR: nothing new starts there. Idle executors are " \
      "drained before they end.") \
  ROW(fix_always_push_exclusion, flag, "heddle.fix.always_push_exclusion", false, false, true, none, "", no, \
      "Report excluded nodes at once; Spark reports them only when the number of requested executors changes (YA-3).") \
  ROW(fix_allocate_spacing, flag, "heddle.fix.allocate_spacing", false, false, true, none, "", no, \
      "Keep the initial interval between allocate calls that were requested early; Spark intends this but does " \
      "not do it.") \
  ROW(fix_count_starting, flag, "heddle.fix.count_starting_executors", false, false, true, none, "", no, \
      "Count starting executors when a container is matched to a request; in Spark one batch can exceed the target " \
      "(YA-12).") \
  ROW(fix_rebalance, flag, "heddle.fix.rebalance_requests", false, false, true, none, "", no, \
      "Place requests again when only the preferred hosts of waiting tasks change; Spark does not move them " \
      "(YA-9).") \
  ROW(fix_exact_placement, flag, "heddle.fix.exact_placement", false, false, true, none, "", no, \
      "Compute the number of executors per host in integers; with floating point Spark sometimes requests one too " \
      "many (PL-7).")

#define HEDDLE_YARN_SETTINGS(ROW) \
  ROW(connect_wait, duration, "heddle.yarn.connect_wait", minutes(15), seconds(0), days(365), ms, "", no, \
      "Time that a silent ResourceManager of Hadoop is waited for; unset: that of yarn-site.xml.") \
  ROW(report_interval, duration, "heddle.yarn.report_interval", seconds(1), milliseconds(10), hours(1), ms, \
      "spark.yarn.report.interval", no, \
      "Time between two reports of a running application from Hadoop's ResourceManager to its client.") \
  ROW(staging_folder, text, "heddle.yarn.staging_dir", "", "", "", none, "spark.yarn.stagingDir", no, \
      "Folder to which the program is uploaded; empty: .heddle in the home folder of fs.defaultFS; local: no upload, " \
      "nodes read it under the path that it has on the client.") \
  ROW(tags, text, "heddle.yarn.tags", "", "", "", none, "spark.yarn.tags", no, \
      "Tags of the application at Hadoop's ResourceManager, separated by commas.") \
  ROW(unmanaged_master, flag, "heddle.yarn.unmanaged_master", false, false, true, none, \
      "spark.yarn.unmanagedAM.enabled", no, \
      "Run the ApplicationMaster as a process of the client's host, without a container (client mode only).")

#define HEDDLE_RESOURCE_MANAGER_SETTINGS(ROW) \
  ROW(scheduler, choice, "heddle.resource_manager.scheduler", "fifo", "fifo|fair|capacity", "", none, "", yes, \
      "Scheduler that shares the cluster between applications.") \
  ROW(queue_file, text, "heddle.resource_manager.queue_file", "", "", "", none, \
      "yarn.scheduler.fair.allocation.file", no, \
      "Queue file: fair-scheduler.xml or capacity-scheduler.xml; empty: one queue named default.") \
  ROW(access_lists, flag, "heddle.resource_manager.access_lists", false, false, true, none, "yarn.acl.enable", yes, \
      "Refuse applications of users that the access lists of the queue file do not allow.") \
  ROW(queue_file_interval, duration, "heddle.resource_manager.queue_file_interval", seconds(10), milliseconds(10), \
      days(1), ms, "", yes, \
      "Time between two checks whether the queue file has changed.") \
  ROW(queue_file_age, duration, "heddle.resource_manager.queue_file_age", seconds(5), seconds(0), hours(1), ms, "", \
      yes, \
      "Minimum age of a changed queue file before it is read; a younger file may be incomplete.") \
  ROW(offer_on_change, flag, "heddle.resource_manager.offer_on_change", true, false, true, none, "", yes, \
      "Offer nodes with free resources after each change, not only on their heartbeats; unset: off with a queue " \
      "file of Hadoop, on without.") \
  ROW(allocation_min_mib, size, "heddle.resource_manager.min_allocation_memory", 1024, 0, 16'777'216, mib, \
      "yarn.scheduler.minimum-allocation-mb", yes, \
      "Minimum memory of a container; requests are rounded up to multiples of it; 1 MiB in a local cluster.") \
  ROW(allocation_max_mib, size, "heddle.resource_manager.max_allocation_memory", 8192, 1, 16'777'216, mib, \
      "yarn.scheduler.maximum-allocation-mb", yes, \
      "Maximum memory of a container; larger requests are refused at submission.") \
  ROW(allocation_min_cores, count, "heddle.resource_manager.min_allocation_cores", 1, 0, 65'536, none, \
      "yarn.scheduler.minimum-allocation-vcores", yes, \
      "Minimum cores of a container; 0 in a local cluster.") \
  ROW(allocation_max_cores, count, "heddle.resource_manager.max_allocation_cores", 4, 1, 65'536, none, \
      "yarn.scheduler.maximum-allocation-vcores", yes, \
      "Maximum cores of a container.") \
  ROW(resource_kinds, text, "heddle.resource_manager.resource_kinds", "", "", "", none, "yarn.resource-types", yes, \
      "Resource types other than memory and cores that are counted, separated by commas; unset: those of the " \
      "nodes.") \
  ROW(epoch, count, "heddle.resource_manager.epoch", 0, 0, 8'388'607, none, "yarn.resourcemanager.epoch", yes, \
      "Upper part of container ids. A ResourceManager that is started again needs another one, so that its " \
      "containers differ from those of the earlier one.") \
  ROW(node_timeout, duration, "heddle.resource_manager.node_timeout", minutes(10), milliseconds(100), days(1), ms, \
      "yarn.nm.liveness-monitor.expiry-interval-ms,yarn.resourcemanager.nm.liveness-monitor.expiry-interval-ms", yes, \
      "A node is lost after this time without a heartbeat.") \
  ROW(master_timeout, duration, "heddle.resource_manager.master_timeout", minutes(10), milliseconds(100), days(1), ms, \
      "yarn.am.liveness-monitor.expiry-interval-ms", yes, \
      "An application master is lost after this time without a message; its application attempt ends.") \
  ROW(allocation_timeout, duration, "heddle.resource_manager.allocation_timeout", minutes(10), milliseconds(100), \
      days(1), ms, \
      "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", yes, \
      "Time after which a granted container that has not been started is released.") \
  ROW(application_attempts_max, count, "heddle.resource_manager.max_application_attempts", 2, 1, 1'000, none, \
      "yarn.resourcemanager.am.max-attempts", yes, \
      "Maximum number of attempts of any application.") \
  ROW(completed_applications_max, count, "heddle.resource_manager.max_completed_applications", 1'000, 0, 1'000'000, \
      none, \
      "yarn.resourcemanager.max-completed-applications", yes, \
      "Number of finished applications that the ResourceManager remembers.")

#define HEDDLE_FAIR_QUEUES_SETTINGS(ROW) \
  ROW(update_interval, duration, "heddle.fair.update_interval", milliseconds(500), milliseconds(1), hours(1), ms, \
      "yarn.scheduler.fair.update-interval-ms", yes, \
      "Time between two computations of demands and fair shares.") \
  ROW(increment_mib, size, "heddle.fair.increment_memory", 1024, 1, 16'777'216, mib, \
      "yarn.resource-types.memory-mb.increment-allocation,yarn.scheduler.increment-allocation-mb", yes, \
      "Memory of a container is rounded up to multiples of this size; 1 MiB in a local cluster.") \
  ROW(increment_cores, count, "heddle.fair.increment_cores", 1, 1, 65'536, none, \
      "yarn.resource-types.vcores.increment-allocation,yarn.scheduler.increment-allocation-vcores", yes, \
      "Cores of a container are rounded up to multiples of this number.") \
  ROW(may_create_queues, flag, "heddle.fair.create_queues", true, false, true, none, \
      "yarn.scheduler.fair.allow-undeclared-pools", yes, \
      "Without placement rules: create a queue that an application names and the queue file does not have.") \
  ROW(is_user_default_queue, flag, "heddle.fair.user_queues", true, false, true, none, \
      "yarn.scheduler.fair.user-as-default-queue", yes, \
      "Without placement rules: put an application without a queue into the queue of its user.") \
  ROW(size_based_weight, flag, "heddle.fair.size_based_weight", false, false, true, none, \
      "yarn.scheduler.fair.sizebasedweight", yes, \
      "Multiply the weight of applications by the logarithm of their demand.") \
  ROW(assign_multiple, flag, "heddle.fair.assign_multiple", false, false, true, none, \
      "yarn.scheduler.fair.assignmultiple", yes, \
      "Assign several containers in one offer of a node.") \
  ROW(dynamic_assign, flag, "heddle.fair.dynamic_assign", true, false, true, none, \
      "yarn.scheduler.fair.dynamic.max.assign", yes, \
      "With heddle.fair.assign_multiple: assign up to half of the free resources of the node.") \
  ROW(assign_max, count, "heddle.fair.max_assign", -1, -1, count_max, none, "yarn.scheduler.fair.max.assign", yes, \
      "Maximum containers per offer, with heddle.fair.assign_multiple and without heddle.fair.dynamic_assign; -1: " \
      "no limit.") \
  ROW(node_threshold, ratio, "heddle.fair.node_threshold", -1.0, -1.0, 1.0, none, \
      "yarn.scheduler.fair.locality.threshold.node", yes, \
      "Share of the cluster's nodes that an application skips while it waits for a preferred node; below 0: no " \
      "wait.") \
  ROW(rack_threshold, ratio, "heddle.fair.rack_threshold", -1.0, -1.0, 1.0, none, \
      "yarn.scheduler.fair.locality.threshold.rack", yes, \
      "Share of the cluster's nodes that an application skips while it waits for a preferred rack; below 0: no " \
      "wait.") \
  ROW(continuous, flag, "heddle.fair.continuous_offers", false, false, true, none, \
      "yarn.scheduler.fair.continuous-scheduling-enabled", yes, \
      "Offer all nodes with free resources continuously, most memory first, in addition to their heartbeats; " \
      "locality waits are then times.") \
  ROW(continuous_sleep, duration, "heddle.fair.continuous_sleep", milliseconds(5), milliseconds(1), hours(1), ms, \
      "yarn.scheduler.fair.continuous-scheduling-sleep-ms", yes, \
      "Time between two rounds of continuous offers.") \
  ROW(node_delay_ms, count, "heddle.fair.node_delay_ms", -1, -1, 2'147'483'647, none, \
      "yarn.scheduler.fair.locality-delay-node-ms", yes, \
      "With continuous offers: milliseconds that an application waits for a preferred node; -1: no wait.") \
  ROW(rack_delay_ms, count, "heddle.fair.rack_delay_ms", -1, -1, 2'147'483'647, none, \
      "yarn.scheduler.fair.locality-delay-rack-ms", yes, \
      "With continuous offers: milliseconds that an application waits for a preferred rack; -1: no wait.") \
  ROW(reservable_nodes, ratio, "heddle.fair.reservable_nodes", 0.05, 0.0, 1.0, none, \
      "yarn.scheduler.fair.reservable-nodes", yes, \
      "Maximum share of the nodes that one application may reserve.") \
  ROW(reservation_multiple, ratio, "heddle.fair.reservation_multiple", 2.0, 0.0, 1'000'000.0, none, \
      "yarn.scheduler.reservation-threshold.increment-multiple", yes, \
      "Minimum size of a request, in allocation increments, that may reserve a node.")

#define HEDDLE_FAIR_PREEMPTION_SETTINGS(ROW) \
  ROW(preemption, flag, "heddle.fair.preemption", false, false, true, none, "yarn.scheduler.fair.preemption", yes, \
      "Preempt containers of queues above their share for starved queues.") \
  ROW(preemption_utilization, ratio, "heddle.fair.preemption_utilization", 0.8, 0.0, 1.0, none, \
      "yarn.scheduler.fair.preemption.cluster-utilization-threshold", yes, \
      "Share of the cluster in use above which containers are preempted.") \
  ROW(wait_before_kill, duration, "heddle.fair.wait_before_kill", seconds(15), seconds(0), days(1), ms, \
      "yarn.scheduler.fair.waitTimeBeforeKill", yes, \
      "Time between the choice of a container to preempt and its kill.") \
  ROW(wait_before_next_check, duration, "heddle.fair.wait_before_next_check", seconds(10), seconds(0), days(1), ms, \
      "yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck", yes, \
      "Time after heddle.fair.wait_before_kill in which the same application does not count as starved again.") \
  ROW(fix_cap_starvation, flag, "heddle.fix.cap_minimum_starvation", false, false, true, none, "", no, \
      "An application gets at most the remaining starvation of its queue; YARN gives it the demand beyond that " \
      "(PR-3).")

#define HEDDLE_CAPACITY_QUEUES_SETTINGS(ROW) \
  ROW(application_priority_max, count, "heddle.capacity.max_application_priority", 0, 0, 2'147'483'647, none, \
      "yarn.cluster.max-application-priority", yes, \
      "Maximum priority of an application; higher priorities are reduced to it.") \
  ROW(preemption, flag, "heddle.capacity.preemption", false, false, true, none, \
      "yarn.resourcemanager.scheduler.monitor.enable", yes, \
      "Preempt containers of queues above their capacity for queues below theirs.") \
  ROW(preemption_interval, duration, "heddle.capacity.preemption_interval", seconds(3), milliseconds(1), hours(1), ms, \
      "yarn.resourcemanager.monitor.capacity.preemption.monitoring_interval", yes, \
      "Time between two preemption rounds.") \
  ROW(preemption_wait, duration, "heddle.capacity.preemption_wait", seconds(15), milliseconds(0), hours(1), ms, \
      "yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill", yes, \
      "Time between the choice of a container to preempt and its kill.") \
  ROW(preemption_per_round, ratio, "heddle.capacity.preemption_per_round", 0.1, 0.0, 1.0, none, \
      "yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round", yes, \
      "Maximum share of the cluster that one preemption round takes.") \
  ROW(preemption_ignored, ratio, "heddle.capacity.preemption_ignored_excess", 0.1, 0.0, 1.0, none, \
      "yarn.resourcemanager.monitor.capacity.preemption.max_ignored_over_capacity", yes, \
      "A queue that exceeds its capacity by at most this share is not preempted.") \
  ROW(preemption_natural, ratio, "heddle.capacity.preemption_natural_termination", 0.2, 0.0, 1.0, none, \
      "yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor", yes, \
      "Share of the excess that one preemption round takes; the rest may end without preemption.")

#define HEDDLE_NODE_MANAGER_SETTINGS(ROW) \
  ROW(heartbeat_interval, duration, "heddle.node_manager.heartbeat_interval", seconds(1), milliseconds(1), hours(1), \
      ms, \
      "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", yes, \
      "Time between the heartbeats of a node to the ResourceManager.") \
  ROW(memory_mib, size, "heddle.node_manager.memory", 8192, 1, 16'777'216, mib, \
      "yarn.nodemanager.resource.memory-mb", yes, \
      "Memory of nodes without a size in the topology; used only in yarn-site.xml of a Hadoop folder.") \
  ROW(cores, count, "heddle.node_manager.cores", 8, 1, 65'536, none, "yarn.nodemanager.resource.cpu-vcores", yes, \
      "Cores of nodes without a size in the topology; used only in yarn-site.xml of a Hadoop folder.") \
  ROW(resource_amount, amount, "heddle.node_manager.resource.NAME", 0, 0, size_max, none, \
      "yarn.nodemanager.resource-type.NAME", yes, \
      "Amount of this resource type that a node offers if the topology does not set it; 0: none.") \
  ROW(directory, text, "heddle.node_manager.directory", "", "", "", none, \
      "yarn.nodemanager.local-dirs,spark.local.dir", yes, \
      "Folder for shuffle files and task folders of nodes (the first folder of a list); empty: a new folder in " \
      "TMPDIR.") \
  ROW(kill_wait, duration, "heddle.node_manager.kill_wait", milliseconds(250), seconds(0), minutes(10), ms, \
      "yarn.nodemanager.sleep-delay-before-sigkill.ms", yes, \
      "Time between SIGTERM and SIGKILL when a container is killed.") \
  ROW(check_physical_memory, flag, "heddle.node_manager.check_physical_memory", true, false, true, none, \
      "yarn.nodemanager.pmem-check-enabled", yes, \
      "Kill a container whose processes together use more memory than was granted.") \
  ROW(memory_check_interval, duration, "heddle.node_manager.memory_check_interval", seconds(3), milliseconds(10), \
      hours(1), ms, \
      "yarn.nodemanager.container-monitor.interval-ms", yes, \
      "Time between memory measurements of containers.") \
  ROW(resource_manager_wait, duration, "heddle.node_manager.resource_manager_wait", minutes(15), milliseconds(100), \
      days(1), ms, \
      "yarn.resourcemanager.connect.max-wait.ms", yes, \
      "Time that a node tries to reach the ResourceManager; then it kills its containers and exits.")

// clang-format on

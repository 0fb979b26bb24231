// Rows of the settings table: the Driver, executors, and what nodes, queues and the ResourceManager do for
// applications. Columns: config/table/settings_table.hpp.
#pragma once

// clang-format off

#define HEDDLE_DRIVER_SETTINGS(ROW) \
  ROW(executor_timeout, duration, "heddle.driver.executor_timeout", seconds(120), milliseconds(100), days(1), s, \
      "spark.network.timeout", no, \
      "Silence after which an executor counts as lost.") \
  ROW(result_bytes_max, size, "heddle.driver.max_result_size", gibibytes(1), 0, size_max, bytes, \
      "spark.driver.maxResultSize", no, \
      "Bytes that the tasks of a last stage may hand over to the Driver in sum (their counters); more fail the job; " \
      "0: none.") \
  ROW(message_bytes_max, size, "heddle.rpc.message.max_size", mebibytes(128), 0, size_max, mib_in_bytes, \
      "spark.rpc.message.maxSize", no, \
      "Bytes that go ahead of a stage's tasks to each executor (commands, environment, arguments); as many fail the " \
      "job; 0: no limit.") \
  ROW(loss_reason_wait, duration, "heddle.executor.loss_reason_wait", seconds(2), seconds(0), minutes(10), ms, "", no, \
      "How long the Driver waits for the reason when the connection to an executor breaks.") \
  ROW(moves_outputs, flag, "heddle.decommission.move_outputs", false, false, true, none, \
      "spark.storage.decommission.enabled", no, \
      "Copy what stands on a node that will go to other nodes, where the next setting does not except it.") \
  ROW(moves_shuffles, flag, "heddle.decommission.move_shuffles", true, false, true, none, \
      "spark.storage.decommission.shuffleBlocks.enabled", no, \
      "Map outputs are among that.") \
  ROW(output_moves_max, count, "heddle.decommission.moves_at_once", 8, 1, 4'096, none, \
      "spark.storage.decommission.shuffleBlocks.maxThreads", no, \
      "Executors that copy map outputs at the same time.") \
  ROW(decommission_kill_wait, duration, "heddle.decommission.force_kill_timeout", seconds(0), seconds(0), days(365), \
      s, \
      "spark.executor.decommission.forceKillTimeout", no, \
      "How long executors on a node that will go may finish their tasks; 0: as long as they like.") \
  ROW(output_move_failures_max, count, "heddle.decommission.max_move_failures", 3, 0, 1'000'000, none, \
      "spark.storage.decommission.maxReplicationFailuresPerBlock", no, \
      "Failures to copy a map output after which it stays where it is, and is computed again when that goes.")

#define HEDDLE_EXECUTOR_SETTINGS(ROW) \
  ROW(heartbeat_interval, duration, "heddle.executor.heartbeat_interval", seconds(10), milliseconds(10), hours(1), ms, \
      "spark.executor.heartbeatInterval", no, \
      "Time between an executor's heartbeats to the Driver.") \
  ROW(register_timeout, duration, "heddle.executor.register_timeout", seconds(30), milliseconds(100), hours(1), ms, \
      "", no, \
      "How long an executor tries to reach its Driver before it ends.") \
  ROW(task_kill_wait, duration, "heddle.executor.task_kill_wait", milliseconds(250), seconds(0), minutes(10), ms, "", \
      no, \
      "Time between SIGTERM and SIGKILL for a command that has to end.")

#define HEDDLE_YARN_ALLOCATOR_SETTINGS(ROW) \
  ROW(heartbeat_interval, duration, "heddle.allocator.heartbeat_interval", seconds(3), milliseconds(1), hours(1), ms, \
      "spark.yarn.scheduler.heartbeat.interval-ms", no, \
      "Time between allocate calls when nothing is pending; at most half of the ResourceManager's expiry.") \
  ROW(initial_interval, duration, "heddle.allocator.initial_interval", milliseconds(200), milliseconds(1), hours(1), \
      ms, \
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
  ROW(executor_start_timeout, duration, "heddle.allocator.executor_start_timeout", seconds(60), milliseconds(100), \
      hours(1), ms, "", no, \
      "How long a started container may take to register its executor.") \
  ROW(decommission, flag, "heddle.decommission.enabled", false, false, true, none, "spark.decommission.enabled", no, \
      "Heed that a node will go (SIGPWR to its NodeManager): nothing new starts there. Idle executors are drained " \
      "before they end.") \
  ROW(fix_always_push_exclusion, flag, "heddle.fix.always_push_exclusion", false, false, true, none, "", no, \
      "Tell excluded nodes at once: Spark tells them when the number of wanted executors changes (YA-3).") \
  ROW(fix_allocate_spacing, flag, "heddle.fix.allocate_spacing", false, false, true, none, "", no, \
      "Keep the initial interval between allocate calls that were asked for early: Spark means to, and does not.") \
  ROW(fix_count_starting, flag, "heddle.fix.count_starting_executors", false, false, true, none, "", no, \
      "Executors that start count when a container is matched: in Spark one batch can exceed the target (YA-12).") \
  ROW(fix_rebalance, flag, "heddle.fix.rebalance_requests", false, false, true, none, "", no, \
      "Place requests anew when only the places that tasks wait for have changed: Spark leaves them where they were " \
      "(YA-9).") \
  ROW(fix_exact_placement, flag, "heddle.fix.exact_placement", false, false, true, none, "", no, \
      "Compute how many executors a host needs in whole numbers: in doubles Spark sometimes asks for one too many " \
      "(PL-7).")

#define HEDDLE_RESOURCE_MANAGER_SETTINGS(ROW) \
  ROW(scheduler, choice, "heddle.resource_manager.scheduler", "fifo", "fifo|fair|capacity", "", none, "", yes, \
      "How applications share the cluster.") \
  ROW(queue_file, text, "heddle.resource_manager.queue_file", "", "", "", none, \
      "yarn.scheduler.fair.allocation.file", no, \
      "Queues, as fair-scheduler.xml or capacity-scheduler.xml; empty: one queue named default.") \
  ROW(access_lists, flag, "heddle.resource_manager.access_lists", false, false, true, none, "yarn.acl.enable", yes, \
      "Refuse applications of users that the queue file's access lists do not let in.") \
  ROW(queue_file_interval, duration, "heddle.resource_manager.queue_file_interval", seconds(10), milliseconds(10), \
      days(1), ms, "", yes, \
      "Time between looks whether the queue file has changed.") \
  ROW(queue_file_age, duration, "heddle.resource_manager.queue_file_age", seconds(5), seconds(0), hours(1), ms, "", \
      yes, \
      "Age that a changed queue file must have before it is read: whoever writes it may not be done.") \
  ROW(offer_on_change, flag, "heddle.resource_manager.offer_on_change", true, false, true, none, "", yes, \
      "Offer nodes with room after each change too, not on their heartbeats alone; unset: on without a queue file of " \
      "Hadoop's, off with.") \
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
  ROW(resource_kinds, text, "heddle.resource_manager.resource_kinds", "", "", "", none, "yarn.resource-types", yes, \
      "Kinds of resource beside memory and cores that are counted, separated by commas; unset: those that the nodes " \
      "have.") \
  ROW(node_timeout, duration, "heddle.resource_manager.node_timeout", minutes(10), milliseconds(100), days(1), ms, \
      "yarn.nm.liveness-monitor.expiry-interval-ms,yarn.resourcemanager.nm.liveness-monitor.expiry-interval-ms", yes, \
      "Silence after which a node counts as lost.") \
  ROW(master_timeout, duration, "heddle.resource_manager.master_timeout", minutes(10), milliseconds(100), days(1), ms, \
      "yarn.am.liveness-monitor.expiry-interval-ms", yes, \
      "Silence after which an application's master counts as lost and its attempt ends.") \
  ROW(allocation_timeout, duration, "heddle.resource_manager.allocation_timeout", minutes(10), milliseconds(100), \
      days(1), ms, \
      "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", yes, \
      "How long a granted container may stay unused before it is taken back.") \
  ROW(application_attempts_max, count, "heddle.resource_manager.max_application_attempts", 2, 1, 1'000, none, \
      "yarn.resourcemanager.am.max-attempts", yes, \
      "Attempts that any application gets at most.") \
  ROW(completed_applications_max, count, "heddle.resource_manager.max_completed_applications", 1'000, 0, 1'000'000, \
      none, \
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
  ROW(may_create_queues, flag, "heddle.fair.create_queues", true, false, true, none, \
      "yarn.scheduler.fair.allow-undeclared-pools", yes, \
      "Without placement rules: an application may name a queue that the file does not.") \
  ROW(is_user_default_queue, flag, "heddle.fair.user_queues", true, false, true, none, \
      "yarn.scheduler.fair.user-as-default-queue", yes, \
      "Without placement rules: an application that names no queue goes to its user's.") \
  ROW(size_based_weight, flag, "heddle.fair.size_based_weight", false, false, true, none, \
      "yarn.scheduler.fair.sizebasedweight", yes, \
      "Weigh applications by the logarithm of their demand.") \
  ROW(assign_multiple, flag, "heddle.fair.assign_multiple", false, false, true, none, \
      "yarn.scheduler.fair.assignmultiple", yes, \
      "Assign several containers in one offer of a node.") \
  ROW(dynamic_assign, flag, "heddle.fair.dynamic_assign", true, false, true, none, \
      "yarn.scheduler.fair.dynamic.max.assign", yes, \
      "Several: up to half of what is free on the node.") \
  ROW(assign_max, count, "heddle.fair.max_assign", -1, -1, count_max, none, "yarn.scheduler.fair.max.assign", yes, \
      "Several, where that is off: at most so many; -1: no limit.") \
  ROW(node_threshold, ratio, "heddle.fair.node_threshold", -1.0, -1.0, 1.0, none, \
      "yarn.scheduler.fair.locality.threshold.node", yes, \
      "Share of the cluster's nodes that an application passes over in hope of its node; below 0: none.") \
  ROW(rack_threshold, ratio, "heddle.fair.rack_threshold", -1.0, -1.0, 1.0, none, \
      "yarn.scheduler.fair.locality.threshold.rack", yes, \
      "The same in hope of its rack.") \
  ROW(continuous, flag, "heddle.fair.continuous_offers", false, false, true, none, \
      "yarn.scheduler.fair.continuous-scheduling-enabled", yes, \
      "Offer all nodes with room again and again, most memory first, beside their heartbeats; locality is then " \
      "waited for by time.") \
  ROW(continuous_sleep, duration, "heddle.fair.continuous_sleep", milliseconds(5), milliseconds(1), hours(1), ms, \
      "yarn.scheduler.fair.continuous-scheduling-sleep-ms", yes, \
      "Time between two such rounds.") \
  ROW(node_delay_ms, count, "heddle.fair.node_delay_ms", -1, -1, 2'147'483'647, none, \
      "yarn.scheduler.fair.locality-delay-node-ms", yes, \
      "With continuous offers: milliseconds for which an application hopes for its node; -1: none.") \
  ROW(rack_delay_ms, count, "heddle.fair.rack_delay_ms", -1, -1, 2'147'483'647, none, \
      "yarn.scheduler.fair.locality-delay-rack-ms", yes, \
      "The same in hope of its rack.") \
  ROW(reservable_nodes, ratio, "heddle.fair.reservable_nodes", 0.05, 0.0, 1.0, none, \
      "yarn.scheduler.fair.reservable-nodes", yes, \
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
  ROW(preemption, flag, "heddle.capacity.preemption", false, false, true, none, \
      "yarn.resourcemanager.scheduler.monitor.enable", yes, \
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
  ROW(heartbeat_interval, duration, "heddle.node_manager.heartbeat_interval", seconds(1), milliseconds(1), hours(1), \
      ms, \
      "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", yes, \
      "Time between a node's heartbeats to the ResourceManager.") \
  ROW(memory_mib, size, "heddle.node_manager.memory", 8192, 1, 16'777'216, mib, \
      "yarn.nodemanager.resource.memory-mb", yes, \
      "Memory that a node offers.") \
  ROW(cores, count, "heddle.node_manager.cores", 8, 1, 65'536, none, "yarn.nodemanager.resource.cpu-vcores", yes, \
      "Cores that a node offers.") \
  ROW(resource_amount, amount, "heddle.node_manager.resource.NAME", 0, 0, size_max, none, \
      "yarn.nodemanager.resource-type.NAME", yes, \
      "What a node offers of this kind of resource, where a topology does not say it; 0: nothing.") \
  ROW(directory, text, "heddle.node_manager.directory", "", "", "", none, \
      "yarn.nodemanager.local-dirs,spark.local.dir", yes, \
      "Where nodes keep shuffle files and folders of tasks (of several folders the first); empty: a new folder under " \
      "TMPDIR.") \
  ROW(kill_wait, duration, "heddle.node_manager.kill_wait", milliseconds(250), seconds(0), minutes(10), ms, \
      "yarn.nodemanager.sleep-delay-before-sigkill.ms", yes, \
      "Time between SIGTERM and SIGKILL for a container that has to end.") \
  ROW(check_physical_memory, flag, "heddle.node_manager.check_physical_memory", true, false, true, none, \
      "yarn.nodemanager.pmem-check-enabled", yes, \
      "End containers whose processes together hold more memory than granted.") \
  ROW(memory_check_interval, duration, "heddle.node_manager.memory_check_interval", seconds(3), milliseconds(10), \
      hours(1), ms, \
      "yarn.nodemanager.container-monitor.interval-ms", yes, \
      "Time between measurements of a container's memory.") \
  ROW(resource_manager_wait, duration, "heddle.node_manager.resource_manager_wait", minutes(15), milliseconds(100), \
      days(1), ms, \
      "yarn.resourcemanager.connect.max-wait.ms", yes, \
      "How long a node tries to reach the ResourceManager before it ends its containers.")

// clang-format on

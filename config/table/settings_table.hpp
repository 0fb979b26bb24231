// The settings table: each setting is one row in a settings_of_*.hpp header. The rows generate the section structs, the
// readers, the bounds, `heddle config --list` and `--explain`.
//
// Columns: field, kind, key, default, lower bound, upper bound, unit of a number without suffix, aliases (keys of Spark
// and Hadoop), restart, description. Kinds: count, ratio, flag, duration, size (in bytes, or in MiB if the unit is
// mib), amount (of a resource: `2`, `2G`), text, choice (the lower bound lists the values). NAME in a key is a
// placeholder: a kind of device, or for the kind amount a resource name of YARN. Sizes and durations are written as in
// Spark (`64m`, `3s`). The description has the meaning of 0 and of an empty text.
#pragma once

#include "config/table/settings_of_cluster.hpp"
#include "config/table/settings_of_data.hpp"
#include "config/table/settings_of_map_reduce.hpp"
#include "config/table/settings_of_scheduling.hpp"

// clang-format off

/// All sections: struct, accessor in Settings, rows.
#define HEDDLE_SETTINGS_SECTIONS(SECTION) \
  SECTION(ApplicationSettings, application, HEDDLE_APPLICATION_SETTINGS) \
  SECTION(TaskSchedulerSettings, task_scheduler, HEDDLE_TASK_SCHEDULER_SETTINGS) \
  SECTION(LocalitySettings, locality, HEDDLE_LOCALITY_SETTINGS) \
  SECTION(StageSchedulerSettings, stage_scheduler, HEDDLE_STAGE_SCHEDULER_SETTINGS) \
  SECTION(SpeculationSettings, speculation, HEDDLE_SPECULATION_SETTINGS) \
  SECTION(ExclusionSettings, exclusion, HEDDLE_EXCLUSION_SETTINGS) \
  SECTION(DynamicAllocationSettings, dynamic_allocation, HEDDLE_DYNAMIC_ALLOCATION_SETTINGS) \
  SECTION(DriverSettings, driver, HEDDLE_DRIVER_SETTINGS) \
  SECTION(ExecutorSettings, executor, HEDDLE_EXECUTOR_SETTINGS) \
  SECTION(YarnAllocatorSettings, yarn_allocator, HEDDLE_YARN_ALLOCATOR_SETTINGS) \
  SECTION(YarnSettings, yarn, HEDDLE_YARN_SETTINGS) \
  SECTION(ResourceManagerSettings, resource_manager, HEDDLE_RESOURCE_MANAGER_SETTINGS) \
  SECTION(FairQueuesSettings, fair_queues, HEDDLE_FAIR_QUEUES_SETTINGS) \
  SECTION(FairPreemptionSettings, fair_preemption, HEDDLE_FAIR_PREEMPTION_SETTINGS) \
  SECTION(CapacityQueuesSettings, capacity_queues, HEDDLE_CAPACITY_QUEUES_SETTINGS) \
  SECTION(NodeManagerSettings, node_manager, HEDDLE_NODE_MANAGER_SETTINGS) \
  SECTION(MapReduceSettings, map_reduce, HEDDLE_MAP_REDUCE_SETTINGS) \
  SECTION(JobTrackerSettings, job_tracker, HEDDLE_JOB_TRACKER_SETTINGS) \
  SECTION(TaskTrackerSettings, task_tracker, HEDDLE_TASK_TRACKER_SETTINGS) \
  SECTION(MapOutputCopySettings, map_output_copies, HEDDLE_MAP_OUTPUT_COPY_SETTINGS) \
  SECTION(MapReduceMasterSettings, map_reduce_master, HEDDLE_MAP_REDUCE_MASTER_SETTINGS) \
  SECTION(JobHistorySettings, job_history, HEDDLE_JOB_HISTORY_SETTINGS) \
  SECTION(DeviceSettings, device, HEDDLE_DEVICE_SETTINGS) \
  SECTION(ContainerResourceSettings, container_resource, HEDDLE_CONTAINER_RESOURCE_SETTINGS) \
  SECTION(NetworkSettings, network, HEDDLE_NETWORK_SETTINGS) \
  SECTION(ShuffleSettings, shuffle, HEDDLE_SHUFFLE_SETTINGS) \
  SECTION(InputSettings, input, HEDDLE_INPUT_SETTINGS) \
  SECTION(OutputSettings, output, HEDDLE_OUTPUT_SETTINGS) \
  SECTION(HdfsClientSettings, hdfs_client, HEDDLE_HDFS_CLIENT_SETTINGS) \
  SECTION(TaskLogSettings, task_log, HEDDLE_TASK_LOG_SETTINGS) \
  SECTION(EventLogSettings, event_log, HEDDLE_EVENT_LOG_SETTINGS) \
  SECTION(DebugSettings, debug, HEDDLE_DEBUG_SETTINGS)

// clang-format on

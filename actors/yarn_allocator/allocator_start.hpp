// What a YarnAllocator is apart from its settings.
#pragma once

#include <cstdint>
#include <string>

#include "messages/handles.hpp"
#include "model/rack_table.hpp"
#include "model/time.hpp"
#include "policies/executors/executor_memory.hpp"

namespace heddle::actors {

/// Handed over when it is spawned.
struct YarnAllocatorStart {
  AttemptId attempt;
  std::string resource_manager_address;
  std::string driver_address;  // handed to every executor
  DriverActor driver;          // cluster mode: the Driver of this process; empty: connect to driver_address
  Resource executor;           // of the container of an executor of the default profile
  std::int32_t executor_cores = 1;
  policies::ExecutorMemory memory_rules;  // what containers of other profiles need beside their executor's memory
  std::int32_t executors_max = 0;         // most that are ever wanted; bounds the failures
  std::int32_t initial_executors = 0;
  bool driver_ends_application = true;  // client mode: without its Driver the application is over
  Duration spacing{0};                  // least time between two AllocateRequests; a real YARN wants some
  RackTable racks;
  ExtraResources executor_extras;  // beside `executor`
  ExtraResources device_extras;    // the same of other profiles: the devices of every executor
  std::string settings;            // of every executor: its launch, beside what the allocator adds
  std::string log_directory;
  std::int64_t first_shuffle = 0;                      // that this Driver makes
  Duration exclusion_timeout = std::chrono::hours{1};  // of a node where executors failed
  std::int32_t failed_executors_per_node = 2;          // one more excludes the node
};

}  // namespace heddle::actors

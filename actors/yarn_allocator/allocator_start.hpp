// Start parameters of a YarnAllocator, besides its settings.
#pragma once

#include <caf/actor_system.hpp>
#include <cstdint>
#include <string>

#include "config/table/sections.hpp"
#include "messages/handles.hpp"
#include "model/rack_table.hpp"
#include "model/time.hpp"
#include "policies/executors/executor_memory.hpp"
#include "runtime/actor_tools.hpp"

namespace heddle::actors {

struct YarnAllocatorStart {
  AttemptId attempt;
  std::string resource_manager_address;
  std::string host;            // of this process
  std::string driver_address;  // passed to each executor
  DriverActor driver;          // cluster mode: the Driver of this process; empty: connect to driver_address
  Resource executor;           // size of a container with an executor of the default profile
  std::int32_t executor_cores = 1;
  policies::ExecutorMemory memory_rules;  // memory of a container beyond the executor's, for other profiles
  std::int32_t executors_max = 0;         // largest target of executors; bounds the number of failures
  bool driver_ends_application = true;    // client mode: the end of the Driver ends the application
  Duration eager_interval{0};             // between AllocateRequests, for eager_time after a change of the totals
  Duration eager_time{0};                 // 0: a ResourceManager that announces grants
  RackTable racks;
  ResourceAmounts device_others;  // other resources of containers of other profiles: the devices of each executor
  std::string settings;           // launch settings of each executor
  std::string log_directory;
  std::int64_t first_shuffle = 0;                      // first shuffle id of this Driver
  Duration exclusion_timeout = std::chrono::hours{1};  // how long a node with failed executors stays excluded
  std::int32_t failed_executors_per_node = 2;          // failures on one node; one more excludes it
};

/// The actor ends with its application.
[[nodiscard]] YarnAllocatorActor spawn_yarn_allocator(caf::actor_system& system,
                                                      const config::YarnAllocatorSettings& settings,
                                                      const runtime::ActorTools& tools,
                                                      const YarnAllocatorStart& start);

}  // namespace heddle::actors

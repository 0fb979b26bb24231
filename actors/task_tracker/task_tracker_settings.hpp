// Settings of a TaskTracker, and the ports through which it reaches processes and files.
#pragma once

#include <caf/actor_system.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "messages/handles.hpp"
#include "messages/task_tracker.hpp"
#include "model/time.hpp"
#include "ports/application_files.hpp"
#include "ports/process_launcher.hpp"
#include "ports/transport_key.hpp"
#include "runtime/actor_tools.hpp"

namespace heddle::actors {

struct NodeLimits {
  std::int64_t start_space_min = 0;                     // free bytes below which a TaskTracker accepts no tasks
  std::int64_t kill_space_min = 0;                      // free bytes below which it kills attempts too
  std::int64_t log_bytes_max = std::int64_t{16} << 20;  // bytes per log file of a child
  std::int64_t map_memory = 0;                          // bytes of a child that runs a map; 0: no limit
  std::int64_t reduce_memory = 0;                       // and of one that runs a reduce
  Duration memory_check_interval = std::chrono::seconds{3};
};

struct TaskTrackerSettings {
  std::string job_tracker_address;
  std::string name;              // unique in the cluster
  std::int64_t incarnation = 0;  // of this process: greater than that of an earlier one with this name
  std::string host;              // host name for locality
  std::string rack;              // "/default-rack" if none
  std::string build_id;
  std::int32_t map_slots = 2;
  std::int32_t reduce_slots = 2;
  std::string program;                  // program that each child runs
  std::string child_settings;           // of children; format of config/files/settings_text.hpp
  std::string log_directory;            // of events of children; empty: none
  std::string owner;                    // content of the owner file of the outputs of jobs
  std::int32_t slowness_percent = 100;  // run time of tasks on this node; 200: twice as long
  NodeLimits limits;
  bool beat_on_change = true;                            // a heartbeat when an attempt has ended
  Duration job_tracker_wait = std::chrono::seconds{60};  // time to connect; then the TaskTracker ends
  Duration answer_wait = std::chrono::seconds{10};       // then a heartbeat is sent again
  Duration kill_wait = std::chrono::seconds{2};          // from SIGTERM to SIGKILL, and for a child to exit
  Duration child_start_wait = std::chrono::seconds{60};  // from the start of a process to its first message
  Duration attempt_timeout =
      std::chrono::seconds{600};  // without a sign of life of its child an attempt has failed (TA-1)
};

/// All ports must outlive the TaskTracker.
struct TaskTrackerPorts {
  std::string address;  // of this TaskTracker; empty: `publish` opens a port and returns it
  std::function<std::string(const TaskTrackerActor&)> publish{};
  ports::ProcessLauncher* launcher = nullptr;
  ports::ApplicationFiles* files = nullptr;
  std::function<std::int64_t()> free_bytes{};  // on the disk of its files; -1: unknown. Empty: nobody knows
  ports::TransportKey transport_key{};         // of the cluster, for children
};

/// The actor ends if no JobTracker can be reached for `job_tracker_wait`, or if it refuses the TaskTracker.
[[nodiscard]] TaskTrackerActor spawn_task_tracker(caf::actor_system& system, const TaskTrackerSettings& settings,
                                                  const runtime::ActorTools& tools, const TaskTrackerPorts& ports);

}  // namespace heddle::actors

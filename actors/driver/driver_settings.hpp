// Settings of a Driver, and the ports through which it reaches files and background threads.
#pragma once

#include <caf/actor_system.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "messages/handles.hpp"
#include "messages/job_reporter.hpp"
#include "model/ids.hpp"
#include "model/job_package.hpp"
#include "model/result.hpp"
#include "model/stage_work.hpp"
#include "policies/executors/allocation_settings.hpp"
#include "policies/stages/stage_scheduler_settings.hpp"
#include "policies/tasks/types/task_scheduler_settings.hpp"
#include "ports/background.hpp"
#include "ports/output_commit.hpp"
#include "runtime/actor_tools.hpp"

namespace heddle::actors {

/// Intervals of periodic work of the Driver.
struct DriverIntervals {
  Duration revive = std::chrono::seconds{1};
  Duration progress = std::chrono::milliseconds{200};
  Duration quiet_progress = std::chrono::seconds{1};  // while nothing changes but the time
  Duration speculation = std::chrono::milliseconds{100};
};

/// What the Driver does when a host is decommissioned.
struct DecommissionSettings {
  bool is_enabled = false;             // the host gets no more tasks
  Duration kill_wait{0};               // then its tasks are killed; 0: never
  bool moves_outputs = false;          // its map outputs are copied to other hosts
  std::int32_t moves_max = 8;          // executors that copy at the same time
  std::int32_t move_failures_max = 3;  // failed copies of one output before the Driver gives it up
};

/// Wait for executors before the first job starts (BE-13).
struct RegistrationWait {
  double ratio_min = 0;  // share of the initial target that must register first
  Duration wait_max = std::chrono::seconds{30};
};

/// Checks that there are enough task slots for a barrier stage.
struct BarrierChecks {
  Duration interval = std::chrono::seconds{15};
  std::int32_t failures_max = 40;
};

struct MapOutputSettings {
  bool reduce_locality = false;  // reduce tasks prefer hosts with a large part of their input (MOT-4)
  /// Executors serve map outputs, each those of its node, instead of the NodeManager. The outputs of a node are lost
  /// with its last executor.
  bool executors_serve = false;
};

/// Amount of one device kind that every task needs. The TaskScheduler knows a kind by its index in
/// DriverSettings::devices.
struct DeviceNeed {
  std::string name;
  double amount = 1;                 // per task; below 1: several tasks share an address
  std::int64_t executor_amount = 0;  // per executor; used to estimate the tasks of executors that do not run yet
};

struct DriverSettings {
  ApplicationId application;
  std::int32_t application_attempt = 1;
  std::string build_id;  // the Driver refuses executors of another build
  policies::TaskSchedulerSettings task_scheduler;
  policies::StageSchedulerSettings stage_scheduler;
  policies::ExecutorAllocationSettings allocation;
  std::map<std::string, std::string> racks;  // host, rack
  std::vector<DeviceNeed> devices;           // of every task
  Duration executor_timeout = std::chrono::seconds{120};
  Duration loss_reason_wait = std::chrono::seconds{2};
  bool shuffles_offers = true;    // false: offers are in order of executor ids, for deterministic tests (TS-2)
  std::int32_t queue_ahead = -1;  // tasks; -1: 10 ms of measured task time, at most 4096
  bool drain_excluded = false;    // an excluded executor finishes its tasks before it is killed
  MapOutputSettings map_outputs;
  Duration starvation_timeout = std::chrono::seconds{15};
  DriverIntervals intervals;
  DecommissionSettings decommission;
  RegistrationWait registration;
  BarrierChecks barrier;
  bool fix_starvation_until_launch = false;  // heddle.fix.starvation_until_launch (TS-14)
};

/// `commit` and `background` must outlive the Driver.
struct DriverPorts {
  ports::OutputCommit* commit = nullptr;
  ports::Background* background = nullptr;
  /// Returns why no executor can run this stage, such as an unknown task function; empty if no reason is known. If not
  /// set, the tasks fail instead.
  std::function<std::string(const StageProgram&)> task_binary_error{};
  /// Reads the package of a job from the file that SubmitJob names. Runs on the background thread. Its error has the
  /// path. `make_driver` sets it.
  std::function<Result<JobPackage>(const std::string& path)> read_package{};
  /// Gets the messages of clients that follow jobs; null: this Driver has no jobs that clients follow.
  JobReporterActor reporter{};
};

/// Spawns a Driver. The objects behind `tools` and `ports` must outlive it.
[[nodiscard]] DriverActor spawn_driver(caf::actor_system& system, const DriverSettings& settings,
                                       const runtime::ActorTools& tools, const DriverPorts& ports);

}  // namespace heddle::actors

// What a Driver is handed: its settings, and the ports through which it touches the outside.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "actors/driver/executor_devices.hpp"
#include "model/ids.hpp"
#include "model/stage_work.hpp"
#include "policies/executors/executor_allocation.hpp"
#include "policies/stages/stage_scheduler.hpp"
#include "policies/tasks/task_scheduler.hpp"
#include "ports/background.hpp"
#include "ports/output_commit.hpp"

namespace heddle::actors {

/// How often the Driver does what no message leads to.
struct DriverIntervals {
  Duration revive = std::chrono::seconds{1};
  Duration progress = std::chrono::milliseconds{200};
  Duration speculation = std::chrono::milliseconds{100};
};

/// What is done where a host will go.
struct DecommissionSettings {
  bool is_heeded = false;              // it is offered nothing more
  Duration kill_wait{0};               // what runs there is ended after it; 0: never
  bool moves_outputs = false;          // its map outputs are copied to others,
  std::int32_t moves_max = 8;          // by so many executors at once,
  std::int32_t move_failures_max = 3;  // each until it has failed so often
};

/// Until the first job starts (BE-13).
struct RegistrationWait {
  double ratio_min = 0;  // share of the executors wanted at first that registers before
  Duration wait_max = std::chrono::seconds{30};
};

/// Whether all tasks of a barrier stage have slots.
struct BarrierChecks {
  Duration interval = std::chrono::seconds{15};
  std::int32_t failures_max = 40;
};

struct DriverSettings {
  ApplicationId application;
  std::int32_t application_attempt = 1;
  std::string build_id;  // executors of another build are refused
  policies::TaskSchedulerSettings task_scheduler;
  policies::StageSchedulerSettings stage_scheduler;
  policies::ExecutorAllocationSettings allocation;
  std::map<std::string, std::string> racks;  // host, rack
  std::vector<DeviceNeed> devices;           // that every task holds
  Duration executor_timeout = std::chrono::seconds{120};
  Duration loss_reason_wait = std::chrono::seconds{2};
  bool shuffles_offers = true;    // false: in order of their ids, so that a test can name who gets a task (TS-2)
  std::int32_t queue_ahead = -1;  // tasks; -1: 10 ms of measured task time, at most 4096
  bool reduce_locality = false;   // tasks that read a shuffle prefer hosts that hold much of it (MOT-4)
  bool drain_excluded = false;    // executors that are excluded finish their tasks before they go
  Duration starvation_timeout = std::chrono::seconds{15};
  DriverIntervals intervals;
  DecommissionSettings decommission;
  RegistrationWait registration;
  BarrierChecks barrier;
  bool fix_starvation_until_launch = false;  // heddle.fix.starvation_until_launch (TS-14)
};

/// Both outlive the Driver.
struct DriverPorts {
  ports::OutputCommit* commit = nullptr;
  ports::Background* background = nullptr;
  /// Why no executor could do this work; empty: nothing is known against it. None: whoever runs tasks finds out.
  std::function<std::string(const StageWork&)> fault_of_work{};
};

}  // namespace heddle::actors

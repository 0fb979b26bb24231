// Runs tasks for one Driver on the slots of its TaskRunner and reports their outcomes.
// Owns the connection to its Driver; the slots own the tasks.
// Receives from: Driver. Sends to: Driver; slot threads send their StatusUpdates without it.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "actors/executor/map_output_locations.hpp"
#include "actors/executor/slot_reports.hpp"
#include "messages/handles.hpp"
#include "ports/output_mover.hpp"
#include "ports/shuffle_files.hpp"
#include "ports/task_runner.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/timers.hpp"

namespace heddle::actors {

struct ExecutorSettings {
  ExecutorId executor;
  std::int32_t cores = 1;
  std::string host;  // name for locality
  MapOutputLocation shuffle_place;
  std::string build_id;
  std::vector<DeviceAddresses> devices;
  ProfileId profile{0};
  DriverActor driver;  // where it lives in this process; else it is connected to by address
  std::string driver_address;
  Duration register_timeout = std::chrono::seconds{30};
  Duration heartbeat_interval = std::chrono::seconds{10};
};

/// All of them outlive the Executor. `on_end` says why the Executor leaves; the wiring ends the process.
struct ExecutorPorts {
  ports::TaskRunner* runner = nullptr;
  std::function<void(const std::string& reason)> on_end;
  ports::OutputMover* mover = nullptr;           // null: it takes no map outputs over
  ports::ShuffleFiles* shuffle_files = nullptr;  // null: files of ended jobs stay
};

class Executor {
public:
  Executor(ExecutorActor::pointer self, ExecutorSettings settings, runtime::ActorTools tools, ExecutorPorts ports);
  ~Executor() { reports_->close(); }
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  ExecutorActor::behavior_type make_behavior();

private:
  // -- from the Driver -------------------------------------------------------------
  void on_registered_executor(const RegisteredExecutor& message);
  void on_register_again(const RegisterAgain& message);
  void on_install_stage(InstallStage& message);
  void on_forget_stage(const ForgetStage& message);
  void on_map_outputs(const MapOutputs& message);
  void on_map_outputs_changed(const MapOutputsChanged& message);
  void on_take_outputs(const TakeOutputs& message);
  void on_remove_shuffles(const RemoveShuffles& message);
  void on_launch_task(LaunchTask& message);
  void on_retract_tasks(const RetractTasks& message);
  void on_kill_task(const KillTask& message);
  // -- timers ------------------------------------------------------------------------
  void on_executor_tick(const ExecutorTick& message);
  // -- effects (executor_effects.cpp) ------------------------------------------------
  void connect();
  void register_at(const DriverActor& driver);
  void send_registration();
  void send_heartbeat();
  void send_retracted(TasksRetracted answer);
  void take_outputs(const TakeOutputs& message);
  void arm_heartbeat();
  void stop_heartbeats();
  void leave(const std::string& reason);
  [[nodiscard]] bool is_current(Epoch epoch) const { return !epoch_.is_none() && epoch == epoch_; }

  ExecutorActor::pointer self_;
  ExecutorSettings settings_;
  runtime::ActorTools tools_;
  ExecutorPorts ports_;
  DriverActor driver_;
  Epoch epoch_;
  MapOutputLocations locations_;
  std::shared_ptr<StatusUpdates> reports_;  // slot threads may report a moment longer than it lives
  bool is_leaving_ = false;
  runtime::Timer tick_;
};

[[nodiscard]] ExecutorActor spawn_executor(caf::actor_system& system, ExecutorSettings settings,
                                           runtime::ActorTools tools, ExecutorPorts ports);

}  // namespace heddle::actors

// Runs tasks for one Driver on the task slots of its TaskRunner.
// The actor owns the connection to the Driver; slot threads own the running tasks.
// Receives from: Driver. Sends to: Driver. Slot threads send StatusUpdate to the Driver directly.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actors/executor/map_output_locations.hpp"
#include "actors/executor/status_reporter.hpp"
#include "messages/handles.hpp"
#include "ports/event_fields.hpp"
#include "ports/map_output_migrator.hpp"
#include "ports/shuffle_files.hpp"
#include "ports/task_runner.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/timers.hpp"

namespace heddle::actors {

struct ExecutorSettings {
  ExecutorId executor;
  std::int32_t cores = 1;
  std::string host;  // host name for locality
  MapOutputLocation shuffle_place;
  std::string build_id;
  std::vector<DeviceAddresses> devices;
  ProfileId profile{0};
  DriverActor driver;  // set if the Driver runs in this process; otherwise driver_address is used
  std::string driver_address;
  Duration register_timeout = std::chrono::seconds{30};
  Duration heartbeat_interval = std::chrono::seconds{10};
};

/// All ports must outlive the Executor. It calls `on_end` with the reason when it leaves; apps/roles then ends the
/// process. `has_failed`: neither the Driver stopped it, but for its build, nor was a Driver lost at which it had
/// registered.
struct ExecutorPorts {
  ports::TaskRunner* runner = nullptr;
  std::function<void(const std::string& reason, bool has_failed)> on_end;
  ports::MapOutputMigrator* migrator = nullptr;  // null: it refuses MigrateMapOutputs
  ports::ShuffleFiles* shuffle_files = nullptr;  // null: it ignores RemoveShuffles
};

class Executor {
public:
  using Handle = ExecutorActor;

  Executor(ExecutorActor::pointer self, const ExecutorSettings& settings, const runtime::ActorTools& tools,
           const ExecutorPorts& ports);
  ~Executor() { reports_->close(); }
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  ExecutorActor::behavior_type make_behavior();
  void on_role_failed(const std::string& why);

private:
  // -- from the Driver -------------------------------------------------------------
  void on_registered_executor(const RegisteredExecutor& message);
  void on_register_again(const RegisterAgain& message);
  void on_load_stage(LoadStage& message);
  void on_unload_stage(const UnloadStage& message);
  void on_map_outputs(const MapOutputs& message);
  void on_map_outputs_changed(const MapOutputsChanged& message);
  void on_migrate_map_outputs(const MigrateMapOutputs& message);
  void on_remove_shuffles(const RemoveShuffles& message);
  void on_launch_task(LaunchTask& message);
  void on_retract_tasks(const RetractTasks& message);
  void on_kill_task(const KillTask& message);
  // -- timers ------------------------------------------------------------------------
  void on_executor_tick(const ExecutorTick& message);
  /// Calls the handler, then checks the tables if tools_.checks_invariants.
  template <class Handler, class Message>
  void handle(Handler handler, Message& message);
  void write_event(std::string_view name, const ports::EventFields& fields);
  // -- effects (executor_effects.cpp) ------------------------------------------------
  void connect();
  void send_registration();
  void send_heartbeat();
  void send_retracted(TasksRetracted answer);
  void migrate_map_outputs(const MigrateMapOutputs& message);
  void arm_heartbeat();
  void stop_heartbeats();
  void leave(const std::string& reason, bool has_failed);
  [[nodiscard]] bool is_current(Epoch epoch) const { return !epoch_.is_none() && epoch == epoch_; }

  ExecutorActor::pointer self_;
  ExecutorSettings settings_;
  runtime::ActorTools tools_;
  ExecutorPorts ports_;
  DriverActor driver_;
  Epoch epoch_;
  MapOutputLocations locations_;
  std::shared_ptr<StatusReporter> reports_;  // shared: slot threads may use it after the Executor is destroyed
  bool has_registered_ = false;              // at least once
  bool is_leaving_ = false;
  runtime::Timer tick_;
};

[[nodiscard]] ExecutorActor spawn_executor(caf::actor_system& system, const ExecutorSettings& settings,
                                           const runtime::ActorTools& tools, const ExecutorPorts& ports);

}  // namespace heddle::actors

// Runs tasks for one Driver on the slots of its TaskRunner, and says what became of them.
// Owns the connection to its Driver; the slots own the tasks.
// Hears: Driver.  Tells: Driver; what its slots report goes there without it.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <functional>
#include <map>
#include <memory>
#include <vector>

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
  // -- timers ------------------------------------------------------------------------
  void on_executor_tick(const ExecutorTick& message);
  // -- telling -----------------------------------------------------------------------
  void connect();
  void register_at(const DriverActor& driver);
  void introduce();
  void leave(const std::string& reason);
  [[nodiscard]] bool is_current(Epoch epoch) const { return !epoch_.is_none() && epoch == epoch_; }

  ExecutorActor::pointer self_;
  ExecutorSettings settings_;
  runtime::ActorTools tools_;
  ExecutorPorts ports_;
  DriverActor driver_;
  Epoch epoch_;
  std::map<ShuffleId, std::shared_ptr<ports::ShuffleLocations>>
      locations_;                                           // until the last stage that reads them is forgotten
  std::map<ShuffleId, ports::ShuffleLocations> partial_;    // tables of which parts are missing
  std::map<StageKey, std::vector<ShuffleId>> shuffles_of_;  // what installed stages read
  std::map<ShuffleId, std::int32_t> readers_;               // how many of them read it
  std::shared_ptr<StatusUpdates> reports_;                  // slot threads may speak a moment longer than it lives
  bool is_leaving_ = false;
  runtime::Timer tick_;
};

[[nodiscard]] ExecutorActor spawn_executor(caf::actor_system& system, ExecutorSettings settings,
                                           runtime::ActorTools tools, ExecutorPorts ports);

}  // namespace heddle::actors

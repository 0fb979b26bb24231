// Life of an Executor: connect -> register -> run tasks in one epoch -> leave. If the Driver has removed the executor
// and then receives a heartbeat from it, it sends RegisterAgain: the executor drops its tasks and registers under the
// same id for a new epoch.
#include "actors/executor/executor.hpp"

#include <optional>
#include <utility>

namespace heddle::actors {

Executor::Executor(ExecutorActor::pointer self, ExecutorSettings settings, runtime::ActorTools tools,
                   ExecutorPorts ports)
    : self_{self},
      settings_{std::move(settings)},
      tools_{std::move(tools)},
      ports_{std::move(ports)},
      reports_{std::make_shared<StatusUpdates>(settings_.executor)} {
  self_->set_down_handler([this](caf::down_msg&) { leave("the connection to the driver is lost"); });
  ports_.runner->start([way = reports_](std::vector<ports::TaskReport> reports) { way->tell(std::move(reports)); });
  if (settings_.driver) register_at(settings_.driver);
  else connect();
}

ExecutorActor::behavior_type Executor::make_behavior() {
  return {
      [this](const RegisteredExecutor& message) { on_registered_executor(message); },
      [this](const RegisterAgain& message) { on_register_again(message); },
      [this](LoadStage& message) { on_load_stage(message); },
      [this](const UnloadStage& message) { on_unload_stage(message); },
      [this](const MapOutputs& message) { on_map_outputs(message); },
      [this](const MapOutputsChanged& message) { on_map_outputs_changed(message); },
      [this](const MigrateMapOutputs& message) { on_migrate_map_outputs(message); },
      [this](const RemoveShuffles& message) { on_remove_shuffles(message); },
      [this](LaunchTask& message) { on_launch_task(message); },
      [this](const RetractTasks& message) { on_retract_tasks(message); },
      [this](const KillTask& message) { on_kill_task(message); },
      [this](const StopExecutor& message) { leave(message.reason); },
      [this](const ExecutorTick& message) { on_executor_tick(message); },
  };
}

void Executor::on_registered_executor(const RegisteredExecutor& message) {
  epoch_ = message.epoch;
  reports_->open(driver_, epoch_);
  arm_heartbeat();
}

void Executor::on_register_again(const RegisterAgain& message) {
  if (!is_current(message.epoch)) return;  // a repeated request: the executor has registered again already
  epoch_ = Epoch{};
  reports_->close();
  stop_heartbeats();
  ports_.runner->drop_all("the driver had removed this executor as lost");
  for (const auto& stage : locations_.clear()) ports_.runner->unload_stage(stage);
  send_registration();
}

void Executor::on_load_stage(LoadStage& message) {
  if (!is_current(message.epoch)) return;
  locations_.add_stage(message.work);
  ports_.runner->load_stage(std::make_shared<const StageProgram>(std::move(message.work)));
  for (auto& range : message.tasks) ports_.runner->run(std::move(range));
}

void Executor::on_unload_stage(const UnloadStage& message) {
  if (!is_current(message.epoch)) return;
  for (const auto& stage : message.stages) {
    ports_.runner->unload_stage(stage);
    locations_.remove_stage(stage);
  }
}

void Executor::on_map_outputs(const MapOutputs& message) {
  if (!is_current(message.epoch)) return;
  if (const auto table = locations_.add_part(message)) ports_.runner->set_locations(table);
}

void Executor::on_map_outputs_changed(const MapOutputsChanged& message) {
  if (!is_current(message.epoch)) return;
  if (const auto table = locations_.change(message)) ports_.runner->set_locations(table);
}

void Executor::on_migrate_map_outputs(const MigrateMapOutputs& message) {
  if (is_current(message.epoch)) migrate_map_outputs(message);
}

void Executor::on_remove_shuffles(const RemoveShuffles& message) {
  if (is_current(message.epoch) && ports_.shuffle_files != nullptr)
    ports_.shuffle_files->remove(message.before, message.except);
}

void Executor::on_launch_task(LaunchTask& message) {
  if (!is_current(message.epoch)) return;
  for (auto& range : message.tasks) ports_.runner->run(std::move(range));
}

void Executor::on_retract_tasks(const RetractTasks& message) {
  if (!is_current(message.epoch)) return;
  send_retracted({settings_.executor, epoch_, ports_.runner->retract(message.count)});
}

void Executor::on_kill_task(const KillTask& message) {
  if (is_current(message.epoch)) ports_.runner->kill(message.stage, message.index, message.attempt, message.reason);
}

void Executor::on_executor_tick(const ExecutorTick& message) {
  if (!tick_.accept(message.epoch)) return;
  send_heartbeat();
  arm_heartbeat();
}

namespace {

struct ExecutorState {
  static constexpr const char* name = "executor";
  std::optional<Executor> role;
};

ExecutorActor::behavior_type run_executor(ExecutorActor::stateful_pointer<ExecutorState> self,
                                          ExecutorSettings settings, runtime::ActorTools tools, ExecutorPorts ports) {
  return self->state.role.emplace(self, std::move(settings), std::move(tools), std::move(ports)).make_behavior();
}

}  // namespace

ExecutorActor spawn_executor(caf::actor_system& system, ExecutorSettings settings, runtime::ActorTools tools,
                             ExecutorPorts ports) {
  return system.spawn(run_executor, std::move(settings), std::move(tools), std::move(ports));
}

}  // namespace heddle::actors

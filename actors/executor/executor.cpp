// Life of an Executor: connect -> register -> run tasks in one epoch -> leave. If the Driver has removed the executor
// and then receives a heartbeat from it, it sends RegisterAgain: the executor drops its tasks and registers under the
// same id for a new epoch.
#include "actors/executor/executor.hpp"

#include <utility>

#include "policies/containers/executor_loss.hpp"
#include "runtime/net/io_thread_actor.hpp"

namespace heddle::actors {

Executor::Executor(ExecutorActor::pointer self, const ExecutorSettings& settings, const runtime::ActorTools& tools,
                   const ExecutorPorts& ports)
    : self_{self},
      settings_{settings},
      tools_{tools},
      ports_{ports},
      reports_{std::make_shared<StatusReporter>(settings_.executor)} {
  self_->set_down_handler([this](caf::down_msg&) { leave("the connection to the driver is lost", !has_registered_); });
  ports_.runner->start(
      [reporter = reports_](std::vector<ports::TaskReport> reports) { reporter->report(std::move(reports)); });
  connect();
}

ExecutorActor::behavior_type Executor::make_behavior() {
  return {
      // CAF tries the handlers in order: first those of each job and each task.
      [this](LaunchTask& message) { handle(&Executor::on_launch_task, message); },
      [this](LoadStage& message) { handle(&Executor::on_load_stage, message); },
      [this](const RegisteredExecutor& message) { handle(&Executor::on_registered_executor, message); },
      [this](const RegisterAgain& message) { handle(&Executor::on_register_again, message); },
      [this](const UnloadStage& message) { handle(&Executor::on_unload_stage, message); },
      [this](const MapOutputs& message) { handle(&Executor::on_map_outputs, message); },
      [this](const MapOutputsChanged& message) { handle(&Executor::on_map_outputs_changed, message); },
      [this](const MigrateMapOutputs& message) { handle(&Executor::on_migrate_map_outputs, message); },
      [this](const RemoveShuffles& message) { handle(&Executor::on_remove_shuffles, message); },
      [this](const RetractTasks& message) { handle(&Executor::on_retract_tasks, message); },
      [this](const KillTask& message) { handle(&Executor::on_kill_task, message); },
      [this](const StopExecutor& message) { leave(message.reason, policies::is_failure(message.reason)); },
      [this](const ExecutorTick& message) { handle(&Executor::on_executor_tick, message); },
  };
}

template <class Handler, class Message>
void Executor::handle(Handler handler, Message& message) {
  (this->*handler)(message);
  if (tools_.checks_invariants) locations_.check_invariants();
}

void Executor::on_role_failed(const std::string& why) { leave("the executor failed: " + why, true); }

void Executor::write_event(std::string_view name, const ports::EventFields& fields) {
  if (tools_.events != nullptr) tools_.events->write(tools_.clock->now(), name, fields);
}

void Executor::on_registered_executor(const RegisteredExecutor& message) {
  epoch_ = message.epoch;
  has_registered_ = true;
  reports_->open(driver_, epoch_);
  arm_heartbeat();
  write_event("executor_begins", ports::EventFields{}.add("executor", settings_.executor).add("epoch", epoch_));
}

void Executor::on_register_again(const RegisterAgain& message) {
  if (!is_current(message.epoch)) return;  // a repeated request: the executor has registered again already
  epoch_ = Epoch{};
  reports_->close();
  stop_heartbeats();
  write_event("executor_registers_again", ports::EventFields{}.add("epoch", message.epoch));
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

ExecutorActor spawn_executor(caf::actor_system& system, const ExecutorSettings& settings,
                             const runtime::ActorTools& tools, const ExecutorPorts& ports) {
  // The handlers for a Driver in another process only pass work to slot threads and to the background thread, so they
  // run on the I/O thread.
  if (!settings.driver && system.has_middleman())
    return runtime::spawn_io_thread_role<Executor>(system, settings, tools, ports);
  return runtime::spawn_role<Executor>(system, settings, tools, ports);
}

}  // namespace heddle::actors

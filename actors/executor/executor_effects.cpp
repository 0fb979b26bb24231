// All messages that the Executor and its slot threads send, and its timer.
#include <caf/send.hpp>
#include <utility>

#include "actors/executor/executor.hpp"
#include "model/container_end.hpp"
#include "runtime/net/connect_peer.hpp"

namespace heddle::actors {

void Executor::connect() {
  if (settings_.driver) {
    driver_ = settings_.driver;
    self_->monitor(driver_);
    return send_registration();
  }
  runtime::connect_peer<DriverActor>(
      self_, tools_.connector, settings_.driver_address, settings_.register_timeout, [this](const DriverActor& found) {
        if (!found) return leave(describe_unreachable_driver(settings_.driver_address, settings_.host), true);
        driver_ = found;
        send_registration();
      });
}

void Executor::send_registration() {
  self_->send(driver_, RegisterExecutor{settings_.executor, settings_.cores, settings_.host, settings_.shuffle_place,
                                        settings_.build_id, settings_.devices, settings_.profile});
}

void Executor::send_heartbeat() {
  self_->send(driver_, Heartbeat{settings_.executor, epoch_, ports_.runner->running()});
}

void Executor::send_retracted(TasksRetracted answer) { self_->send(driver_, std::move(answer)); }

void Executor::migrate_map_outputs(const MigrateMapOutputs& message) {
  MapOutputsMigrated answer{settings_.executor, epoch_, message.shuffle, {}, "this executor cannot copy map outputs"};
  if (ports_.migrator == nullptr) return self_->send(driver_, std::move(answer));
  ports_.migrator->migrate({message.shuffle, message.partitions, message.maps, message.from},
                           [driver = driver_, answer = std::move(answer)](ports::MapOutputMigrationResult end) mutable {
                             answer.maps = std::move(end.migrated);
                             answer.text = std::move(end.text);
                             caf::anon_send(driver, std::move(answer));
                           });
}

void Executor::arm_heartbeat() { tick_.arm_shared<ExecutorTick>(self_, settings_.heartbeat_interval); }

void Executor::stop_heartbeats() { tick_.cancel(); }

void Executor::leave(const std::string& reason, bool has_failed) {
  if (is_leaving_) return;
  is_leaving_ = true;
  write_event("executor_leaves", ports::EventFields{}.add("reason", reason));
  reports_->close();
  stop_heartbeats();
  if (ports_.on_end) ports_.on_end(reason, has_failed);
  self_->quit();
}

void StatusReporter::report(std::vector<ports::TaskReport> reports) {
  auto message = coalesce_reports(std::move(reports));
  message.executor = executor_;
  DriverActor driver;
  {
    const std::lock_guard lock{mutex_};
    driver = driver_;
    message.epoch = epoch_;
  }
  if (driver) caf::anon_send(driver, std::move(message));
}

}  // namespace heddle::actors

// An Executor's life: connect -> register -> serve one epoch -> leave. A Driver that gave it up and hears it again asks
// it to register anew: under its own id, with nothing left of the epoch before.
#include "actors/executor/executor.hpp"

#include <algorithm>
#include <caf/send.hpp>
#include <optional>

namespace heddle::actors {
namespace {

/// Each number below 0, which stands for no place, or that of a place.
bool are_places(const std::vector<std::int32_t>& numbers, const std::vector<MapOutputLocation>& places) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [&](std::int32_t number) { return number < static_cast<std::int64_t>(places.size()); });
}

}  // namespace

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
      [this](InstallStage& message) { on_install_stage(message); },
      [this](const ForgetStage& message) { on_forget_stage(message); },
      [this](const MapOutputs& message) { on_map_outputs(message); },
      [this](const MapOutputsChanged& message) { on_map_outputs_changed(message); },
      [this](const TakeOutputs& message) { on_take_outputs(message); },
      [this](const RemoveShuffles& message) { on_remove_shuffles(message); },
      [this](LaunchTask& message) { on_launch_task(message); },
      [this](const RetractTasks& message) { on_retract_tasks(message); },
      [this](const KillTask& message) {
        if (is_current(message.epoch))
          ports_.runner->kill(message.stage, message.index, message.attempt, message.reason);
      },
      [this](const StopExecutor& message) { leave(message.reason); },
      [this](const ExecutorTick& message) { on_executor_tick(message); },
  };
}

void Executor::connect() {
  const ConnectPeer request{settings_.driver_address, to_milliseconds(settings_.register_timeout)};
  self_->request(tools_.connector, settings_.register_timeout + std::chrono::seconds{6}, request)
      .then([this](const caf::strong_actor_ptr& handle) { register_at(caf::actor_cast<DriverActor>(handle)); },
            [this](const caf::error&) { leave("the driver cannot be reached at " + settings_.driver_address); });
}

void Executor::register_at(const DriverActor& driver) {
  driver_ = driver;
  self_->monitor(driver_);
  introduce();
}

void Executor::introduce() {
  self_->send(driver_, RegisterExecutor{settings_.executor, settings_.cores, settings_.host, settings_.shuffle_place,
                                        settings_.build_id, settings_.devices, settings_.profile});
}

void Executor::on_registered_executor(const RegisteredExecutor& message) {
  epoch_ = message.epoch;
  reports_->open(driver_, epoch_);
  tick_.arm<ExecutorTick>(self_, settings_.heartbeat_interval);
}

void Executor::on_register_again(const RegisterAgain& message) {
  if (!is_current(message.epoch)) return;  // it was asked before, and has
  epoch_ = Epoch{};
  reports_->close();
  tick_.cancel();
  ports_.runner->drop_all("the driver had given its executor up");
  for (const auto& [stage, shuffles] : shuffles_of_) ports_.runner->forget_stage(stage);
  shuffles_of_.clear();
  readers_.clear();
  locations_.clear();
  partial_.clear();
  introduce();
}

void Executor::on_install_stage(InstallStage& message) {
  if (!is_current(message.epoch)) return;
  if (auto& shuffles = shuffles_of_[message.work.key]; shuffles.empty())
    for (const auto& input : message.work.shuffle_inputs) {
      shuffles.push_back(input.shuffle);
      ++readers_[input.shuffle];
    }
  ports_.runner->install_stage(std::make_shared<const StageWork>(std::move(message.work)));
  for (auto& range : message.tasks) ports_.runner->run(std::move(range));
}

void Executor::on_forget_stage(const ForgetStage& message) {
  if (!is_current(message.epoch)) return;
  for (const auto& stage : message.stages) {
    ports_.runner->forget_stage(stage);
    const auto known = shuffles_of_.find(stage);
    if (known == shuffles_of_.end()) continue;
    for (const auto shuffle : known->second)
      if (--readers_[shuffle] == 0) {
        readers_.erase(shuffle);
        locations_.erase(shuffle);
        partial_.erase(shuffle);
      }
    shuffles_of_.erase(known);
  }
}

void Executor::on_map_outputs(const MapOutputs& message) {
  if (!is_current(message.epoch)) return;
  if (message.first_map == 0) partial_.erase(message.shuffle);
  auto& next = partial_[message.shuffle];
  next.shuffle = message.shuffle;
  const auto known = static_cast<std::int64_t>(next.place_of_map.size());
  const auto after = known + static_cast<std::int64_t>(message.place_of_map.size());
  // Parts come in order. A table that does not fit together is dropped: numbers of a peer are no indices yet.
  if (message.first_map != known || after > message.maps || !are_places(message.place_of_map, message.places)) {
    partial_.erase(message.shuffle);
    return;
  }
  const auto base = static_cast<std::int32_t>(next.places.size());
  next.places.insert(next.places.end(), message.places.begin(), message.places.end());
  for (const auto place : message.place_of_map) next.place_of_map.push_back(place < 0 ? -1 : base + place);
  if (after < message.maps) return;
  // A task that begins to fetch meanwhile goes on with the former table, not with a part of this one.
  auto whole = std::make_shared<ports::ShuffleLocations>(std::move(next));
  partial_.erase(message.shuffle);
  locations_[message.shuffle] = whole;
  ports_.runner->set_locations(whole);
}

void Executor::on_map_outputs_changed(const MapOutputsChanged& message) {
  const auto known = locations_.find(message.shuffle);
  if (!is_current(message.epoch) || known == locations_.end()) return;
  const auto maps = static_cast<std::int64_t>(known->second->place_of_map.size());
  const bool are_maps = message.maps.size() == message.place_of_map.size() &&
                        std::all_of(message.maps.begin(), message.maps.end(),
                                    [maps](std::int32_t map) { return map >= 0 && map < maps; });
  if (!are_maps || !are_places(message.place_of_map, message.places)) return;
  auto next = std::make_shared<ports::ShuffleLocations>(*known->second);
  for (std::size_t i = 0; i < message.maps.size(); ++i) {
    std::int32_t number = -1;
    if (message.place_of_map[i] >= 0) {
      const auto& place = message.places[static_cast<std::size_t>(message.place_of_map[i])];
      const auto found = std::find(next->places.begin(), next->places.end(), place);
      number = static_cast<std::int32_t>(found - next->places.begin());
      if (found == next->places.end()) next->places.push_back(place);
    }
    next->place_of_map[static_cast<std::size_t>(message.maps[i])] = number;
  }
  known->second = next;
  ports_.runner->set_locations(next);
}

void Executor::on_take_outputs(const TakeOutputs& message) {
  if (!is_current(message.epoch)) return;
  OutputsTaken answer{settings_.executor, epoch_, message.shuffle, {}, "this executor takes no map outputs over"};
  if (ports_.mover == nullptr) return self_->send(driver_, std::move(answer));
  ports_.mover->take({message.shuffle, message.partitions, message.maps, message.from},
                     [driver = driver_, answer = std::move(answer)](ports::OutputMoveEnd end) mutable {
                       answer.maps = std::move(end.taken);
                       answer.text = std::move(end.text);
                       caf::anon_send(driver, std::move(answer));
                     });
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
  self_->send(driver_, TasksRetracted{settings_.executor, epoch_, ports_.runner->retract(message.count)});
}

void Executor::on_executor_tick(const ExecutorTick& message) {
  if (!tick_.accept(message.generation)) return;
  self_->send(driver_, Heartbeat{settings_.executor, epoch_, ports_.runner->running()});
  tick_.arm<ExecutorTick>(self_, settings_.heartbeat_interval);
}

void Executor::leave(const std::string& reason) {
  if (is_leaving_) return;
  is_leaving_ = true;
  reports_->close();
  tick_.cancel();
  if (ports_.on_end) ports_.on_end(reason);
  self_->quit();
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

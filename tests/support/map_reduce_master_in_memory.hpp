// A master of one MapReduce job in memory: its state machines, with a clock. The effects for other parties go to a
// cluster that the test plays.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "policies/map_reduce/map_reduce_machines.hpp"

namespace heddle::policies {

class MapReduceMasterInMemory {
public:
  explicit MapReduceMasterInMemory(MapReduceJobSettings settings, std::int32_t first_attempt = 0)
      : machines_{machine_settings(settings, first_attempt)} {}
  explicit MapReduceMasterInMemory(MapReduceMachineSettings settings) : machines_{std::move(settings)} {}

  void put(const map_reduce_job_input::Input& input) { machines_.apply(now, input); }
  void put(MapReduceJobEvent event) { put(map_reduce_job_input::Signal{event}); }
  void put(MapReduceTaskId task, const map_reduce_task_input::Input& input) { machines_.apply(now, task, input); }
  void put(MapReduceAttempt attempt, const map_reduce_attempt_input::Input& input) {
    machines_.apply(now, attempt, input);
  }
  void put(MapReduceAttempt attempt, MapReduceAttemptEvent event) {
    put(attempt, map_reduce_attempt_input::Signal{event});
  }
  /// Until the tasks run.
  void start() {
    put(map_reduce_job_input::Initialized{});
    put(MapReduceJobEvent::start);
    put(MapReduceJobEvent::setup_completed);
  }
  /// Tasks of an earlier master, before setup_completed.
  void recover(std::map<MapReduceTaskId, map_reduce_task_input::Recovered> tasks) {
    machines_.recover(std::move(tasks));
  }
  /// A copy, if the task still runs.
  void speculate(MapReduceTaskId task) { machines_.speculate(now, task); }
  /// The attempt gets a container on the host, and its child starts.
  void run(MapReduceAttempt attempt, const std::string& host = "h1") {
    put(attempt, map_reduce_attempt_input::Assigned{ContainerId{++containers}, host, {1024, 1}});
    put(attempt, MapReduceAttemptEvent::container_launched);
  }
  void finish(MapReduceAttempt attempt) {
    put(attempt, MapReduceAttemptEvent::done);
    put(attempt, MapReduceAttemptEvent::container_completed);
  }

  [[nodiscard]] const MapReduceJob& job() const { return machines_.job(); }
  [[nodiscard]] const MapReduceTask& task(MapReduceTaskId task) const { return machines_.task(task); }
  [[nodiscard]] const std::map<MapReduceTaskId, MapReduceTask>& tasks() const { return machines_.tasks(); }
  [[nodiscard]] const std::map<MapReduceAttempt, MapReduceTaskAttempt>& attempts() const {
    return machines_.attempts();
  }
  /// Effects for parties outside of the machines, in order.
  [[nodiscard]] MapReduceStateEffects take_outside() {
    static_cast<void>(machines_.take_changes());
    return machines_.take_outside();
  }
  [[nodiscard]] const std::vector<std::string>& errors() const { return machines_.errors(); }

  Instant now{std::chrono::seconds{1}};
  std::int64_t containers = 0;

private:
  static MapReduceMachineSettings machine_settings(const MapReduceJobSettings& settings, std::int32_t first_attempt) {
    MapReduceMachineSettings made;
    made.job = settings;
    made.map_task.first_attempt = made.reduce_task.first_attempt = first_attempt;
    return made;
  }

  MapReduceMachines machines_;
};

}  // namespace heddle::policies

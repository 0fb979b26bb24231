// Runs task attempts on slot threads. The Executor passes ranges of attempts and gets their outcomes in batches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/stage_work.hpp"
#include "model/time.hpp"
#include "ports/task_progress.hpp"

namespace heddle::ports {

/// A task attempt that ended, or that runs (outcome.state is running; outcome.text: what tasks wait for, or empty).
struct TaskReport {
  StageKey stage;
  std::int32_t index = 0;  // partition index
  std::int32_t attempt = 0;
  TaskOutcome outcome;
};

/// Locations of the map outputs of one shuffle, by map index. Shared between threads and never modified.
struct ShuffleLocations {
  ShuffleId shuffle;
  std::vector<MapOutputLocation> places;          // distinct locations
  std::vector<std::int32_t> place_of_map;         // index into places; -1: missing; or one of:
  static constexpr std::int32_t not_wanted = -2;  // not needed
  static constexpr std::int32_t expected = -3;    // the map has not ended: a task waits for a table with its location
  /// MapReduce: the attempt that wrote the output of each map. Its files are stored under the shuffle id plus this
  /// number, so that attempts of one map on one node do not replace each other. Empty: 0 for all.
  std::vector<std::int32_t> attempt_of_map = {};
  Duration longest_map{0};  // MapReduce: run time of the longest map that has succeeded

  [[nodiscard]] std::int32_t attempt_of(std::size_t map) const {
    return map < attempt_of_map.size() ? attempt_of_map[map] : 0;
  }
};

class TaskRunner {
public:
  /// Called on slot threads with one or more reports. Must not block for long.
  using OnReports = std::function<void(std::vector<TaskReport>)>;

  virtual ~TaskRunner() = default;
  virtual void start(OnReports on_reports) = 0;
  virtual void load_stage(std::shared_ptr<const StageProgram> work) = 0;
  virtual void unload_stage(const StageKey& stage) = 0;
  virtual void set_locations(std::shared_ptr<const ShuffleLocations> locations) = 0;
  /// Appends attempts to the queue. They start in order as task slots become free.
  virtual void run(TaskRange range) = 0;
  /// Removes up to `count` attempts that have not started from the end of the queue and returns them.
  virtual std::vector<TaskRange> retract(std::int32_t count) = 0;
  /// Kills an attempt: a queued one at once, a running command with its process group, a C++ function when it next
  /// checks.
  virtual void kill(const StageKey& stage, std::int32_t index, std::int32_t attempt, const std::string& reason) = 0;
  /// Kills all attempts as kill() does. Need not report their outcomes: the Driver has given up this executor.
  virtual void drop_all(const std::string& reason) = 0;
  /// Progress of the running attempts that have read records; empty if the runner does not measure it.
  virtual std::vector<RunningTask> running() { return {}; }
  /// What a running attempt reports about itself; nothing if it does not run, or if the runner does not measure it.
  virtual std::optional<TaskProgress> progress(const StageKey&, std::int32_t /*index*/, std::int32_t /*attempt*/) {
    return std::nullopt;
  }
  /// Kills all attempts and joins the threads. Does not call on_reports afterwards.
  virtual void stop() = 0;
};

}  // namespace heddle::ports

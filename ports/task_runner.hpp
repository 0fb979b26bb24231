// Runs task attempts on slot threads. The Executor hands ranges in and hears outcomes in batches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/stage_work.hpp"

namespace heddle::ports {

/// One attempt that ended, or began (outcome.state is running).
struct TaskReport {
  StageKey stage;
  std::int32_t index = 0;
  std::int32_t attempt = 0;
  TaskOutcome outcome;
};

/// The map outputs of one shuffle: a place per map index, as far as known. Shared, never changed in place.
struct ShuffleLocations {
  ShuffleId shuffle;
  std::vector<MapOutputLocation> places;   // distinct places
  std::vector<std::int32_t> place_of_map;  // index into places, -1: missing, not_wanted: left out
  static constexpr std::int32_t not_wanted = -2;
};

class TaskRunner {
public:
  /// Called from slot threads with one or more reports; must not block for long.
  using OnReports = std::function<void(std::vector<TaskReport>)>;

  virtual ~TaskRunner() = default;
  virtual void start(OnReports on_reports) = 0;
  virtual void install_stage(std::shared_ptr<const StageWork> work) = 0;
  virtual void forget_stage(const StageKey& stage) = 0;
  virtual void set_locations(std::shared_ptr<const ShuffleLocations> locations) = 0;
  /// Appends attempts to the queue; they start in order as slots come free.
  virtual void run(TaskRange range) = 0;
  /// Takes up to `count` attempts that have not started off the end of the queue; answers which.
  virtual std::vector<TaskRange> retract(std::int32_t count) = 0;
  /// Ends an attempt: a queued one at once, a running command by its group, a function when it next looks.
  virtual void kill(const StageKey& stage, std::int32_t index, std::int32_t attempt, const std::string& reason) = 0;
  /// Ends all attempts as kill() does, and may say nothing of them: nobody waits for them any more.
  virtual void drop_all(const std::string& reason) = 0;
  /// How far the attempts are that run now and have read something; a runner that does not know says nothing.
  virtual std::vector<RunningTask> running() { return {}; }
  /// Kills everything, joins the threads; on_reports is not called afterwards.
  virtual void stop() = 0;
};

}  // namespace heddle::ports

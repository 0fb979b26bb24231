// Chooses the tasks of one MapReduce job on YARN that get a speculative attempt, in scans. Order: maps before reduces,
// at most one of each per scan; the task with the largest gain; ties by index. Cost: an input is constant, plus the
// logarithm of the running tasks when a task starts or stops running; a scan is linear in the running tasks of a kind,
// or in its speculated tasks while too few have completed. Source: Hadoop's DefaultSpeculator (spec DS-1 to DS-7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "model/time.hpp"
#include "policies/map_reduce/run_time_estimate.hpp"
#include "policies/map_reduce/speculator_events.hpp"
#include "policies/map_reduce/speculator_inputs.hpp"

namespace heddle::policies {

/// Number of tasks of a kind that may have speculative attempts at a time (DS-5).
[[nodiscard]] std::int32_t speculation_allowance(std::int32_t tasks, std::int32_t running,
                                                 const SpeculatorSettings& settings);

class MapReduceSpeculator {
public:
  explicit MapReduceSpeculator(const SpeculatorSettings& settings);

  using Inputs = speculator_input::Input;
  using Effects = SpeculatorEffects;

  // Inputs; the comment of each is at its struct. Reports and states of unknown attempts are ignored.
  void apply(Instant now, const speculator_input::AttemptRequested& input);
  void apply(Instant now, const speculator_input::ContainersNeeded& input);
  void apply(Instant now, const speculator_input::AttemptLaunched& input);
  void apply(Instant now, const speculator_input::AttemptReported& input);
  void apply(Instant now, const speculator_input::AttemptSucceeded& input);
  void apply(Instant now, const speculator_input::AttemptStateChanged& input);
  void apply(Instant now, const speculator_input::TasksCompleted& input);
  void apply(Instant now, const speculator_input::ScanDue& input, SpeculatorEffects& effects);

  /// The next scan (DS-6). None before the first container is requested.
  [[nodiscard]] std::optional<Instant> next_due() const { return next_scan_; }

  // -- questions -------------------------------------------------------------------
  /// False: a scan passes over this kind, because containers of it are needed, or none was ever requested (DS-1).
  [[nodiscard]] bool is_scanned(bool is_reduce) const;
  /// Why a scan at `now` speculates the task or not (DS-3).
  [[nodiscard]] SpeculationValue value(bool is_reduce, std::int32_t index, Instant now) const;
  /// Run time that a new attempt is expected to have (DS-2).
  [[nodiscard]] std::int64_t new_attempt_ms(bool is_reduce) const {
    return kind(is_reduce).run_times.new_attempt_ms(settings_.estimates.estimator);
  }
  /// Attempts for which the last scan simulated a report (DS-4).
  [[nodiscard]] const std::vector<MapReduceAttempt>& simulated() const { return simulated_; }
  void check_invariants() const;

private:
  using State = speculator_input::State;
  /// What scans saw of an attempt, since when it is unchanged.
  struct Seen {
    std::int64_t run_ms = 0;
    float progress = 0;
    std::int64_t since_ms = 0;
  };
  struct Attempt {
    std::int32_t number = 0;
    State state = State::starting;
    float progress = 0;
    RunTimeEstimate estimate;
    std::optional<Seen> seen;
  };
  struct Task {
    std::vector<Attempt> attempts;  // ascending
    std::int32_t running = 0;       // attempts that start or run
    bool has_succeeded = false;
    bool was_speculated = false;
  };
  struct Kind {
    bool is_on = true;
    std::vector<Task> tasks;
    std::set<std::int32_t> running;     // tasks with an attempt that starts or runs
    std::set<std::int32_t> speculated;  // tasks that got a speculative attempt before
    RunTimeStatistics run_times;
    std::int32_t completed = 0;
    std::optional<std::int32_t> containers_needed;  // none: no container was ever requested
  };
  /// Values that all tasks of a kind share in a scan.
  struct Shared {
    std::int64_t now_ms = 0;
    std::int64_t new_attempt_ms = 0;
    bool has_threshold = false;
  };
  /// Tasks of a scan.
  struct Tally {
    std::int32_t running = 0;
    std::int32_t speculating = 0;
    std::optional<SpeculateTask> best;
  };

  [[nodiscard]] static bool is_running(State state) { return state == State::starting || state == State::running; }
  [[nodiscard]] Kind& kind(bool is_reduce) { return is_reduce ? reduces_ : maps_; }
  [[nodiscard]] const Kind& kind(bool is_reduce) const { return is_reduce ? reduces_ : maps_; }
  [[nodiscard]] Task& task(const MapReduceAttempt& name);
  [[nodiscard]] Attempt* find(const MapReduceAttempt& name);
  void change_need(Instant now, Kind& of, std::int32_t change);
  void set_state(const MapReduceAttempt& name, Attempt& attempt, State state);
  void report(const MapReduceAttempt& name, Attempt& attempt, std::int64_t now_ms);
  [[nodiscard]] Shared shared_values(const Kind& of, Instant now) const;
  [[nodiscard]] static std::optional<std::size_t> first_running(const Task& task);
  [[nodiscard]] SpeculationValue value_of(const Task& task, const Shared& shared) const;
  void scan(bool is_reduce, Instant now, SpeculatorEffects& effects);
  SpeculationValue look_at(bool is_reduce, std::int32_t index, const Shared& shared);
  void compare_with_last_look(const MapReduceAttempt& name, Attempt& attempt, std::int64_t now_ms);

  SpeculatorSettings settings_;
  Kind maps_;
  Kind reduces_;
  std::optional<Instant> next_scan_;
  std::vector<MapReduceAttempt> simulated_;
};

}  // namespace heddle::policies

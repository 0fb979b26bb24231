// State of a task child without its actor. attempt_flow.hpp changes it. It has no actor and no clock, and sends through
// effects only.
//
//   connecting --connected--> waiting --RunAttempt--> running --output needs permission--> committing
//                               ^                        |                                     |
//                               |                        v                                     v
//                               '---- the attempt ended, GetTask -------------------------------
//
// LeaveChild and the loss of the parent move each phase to leaving.
#pragma once

#include <cstdint>
#include <optional>

#include "actors/task_child/child_effects.hpp"
#include "actors/task_child/child_start.hpp"
#include "actors/task_child/map_locations.hpp"
#include "model/assert.hpp"

namespace heddle::actors {

enum class ChildPhase : std::uint8_t { connecting, waiting, running, committing, leaving };

struct ChildState {
  TaskChildStart start;
  ChildPhase phase = ChildPhase::connecting;
  AttemptLaunch launch = {};  // in phases running and committing
  bool has_output = false;    // the attempt needs the permission to commit
  Instant began = {};
  TaskOutcome outcome = {};                    // in phase committing
  std::optional<Instant> progress_due = {};    // next report about the attempt
  std::int64_t signs = 0;                      // of life of the running attempt, as reported last
  std::string status = {};                     // of it, as reported last
  AttemptCounters counters = {};               // of it, as reported last
  bool has_map_output = false;                 // the attempt is a map whose output reduces read
  std::optional<MapLocations> locations = {};  // of the running attempt, if it is a reduce

  void enter(ChildPhase next) {
    HEDDLE_ASSERT(phase != ChildPhase::leaving && (next != ChildPhase::running || phase == ChildPhase::waiting) &&
                      (next != ChildPhase::committing || phase == ChildPhase::running),
                  "illegal transition between phases of a task child");
    phase = next;
  }
  /// The parts that differ from those reported last, and stores them as reported.
  [[nodiscard]] AttemptCounters changed_counters(const AttemptCounters& now) {
    AttemptCounters changed;
    if (now.task != counters.task) changed.task = counters.task = now.task;
    if (now.user != counters.user) changed.user = counters.user = now.user;
    return changed;
  }
  /// It runs this attempt.
  [[nodiscard]] bool holds(const TaskAttemptId& attempt) const {
    return (phase == ChildPhase::running || phase == ChildPhase::committing) && launch.attempt == attempt;
  }
};

/// Context of one message: state, effects to push, time.
struct ChildTurn {
  ChildState& state;
  ChildEffects& effects;
  Instant now;  // the only reading of the clock for this message
};

}  // namespace heddle::actors

// Inputs of a MapReduceTask, one struct for each set of fields, with the field lists for the event log. Attempts are
// named by their number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "policies/map_reduce/map_reduce_attempt_inputs.hpp"
#include "policies/map_reduce/map_reduce_task_table.hpp"

namespace heddle::policies::map_reduce_task_input {

/// schedule, kill or add_spec_attempt.
struct Signal {
  MapReduceTaskEvent kind = MapReduceTaskEvent::schedule;
  [[nodiscard]] MapReduceTaskEvent event() const { return kind; }
  static void visit_fields(auto& visit, auto& self) { visit("event", self.kind); }
};

/// attempt_launched, attempt_commit_pending or attempt_succeeded.
struct AttemptSignal {
  MapReduceTaskEvent kind = MapReduceTaskEvent::attempt_launched;
  std::int32_t attempt = 0;
  [[nodiscard]] MapReduceTaskEvent event() const { return kind; }
  static void visit_fields(auto& visit, auto& self) {
    visit("event", self.kind);
    visit("attempt", self.attempt);
  }
};

/// `fast_fail`: other attempts would fail too, so the task fails.
struct AttemptFailed {
  std::int32_t attempt = 0;
  bool fast_fail = false;
  [[nodiscard]] static MapReduceTaskEvent event() { return MapReduceTaskEvent::attempt_failed; }
  static void visit_fields(auto& visit, auto& self) {
    visit("attempt", self.attempt);
    visit("fast_fail", self.fast_fail);
  }
};

/// `reschedule`: the replacement requests its container before other maps.
struct AttemptKilled {
  std::int32_t attempt = 0;
  bool reschedule = false;
  [[nodiscard]] static MapReduceTaskEvent event() { return MapReduceTaskEvent::attempt_killed; }
  static void visit_fields(auto& visit, auto& self) {
    visit("attempt", self.attempt);
    visit("reschedule", self.reschedule);
  }
};

/// Takes over a task that ended under an earlier master, instead of `schedule`. `adopts_output`, `adoption_fails`: as
/// those of an attempt.
struct Recovered {
  MapReduceTaskState end = MapReduceTaskState::succeeded;  // succeeded, failed or killed
  bool adopts_output = false;
  bool adoption_fails = false;
  std::vector<RecordedAttempt> attempts;  // in any order
  [[nodiscard]] static MapReduceTaskEvent event() { return MapReduceTaskEvent::recover; }
  static void visit_fields(auto& visit, auto& self) {
    visit("end", self.end);
    visit("adopts_output", self.adopts_output);
    visit("adoption_fails", self.adoption_fails);
    visit("attempts", self.attempts);
  }
};

/// No event: the state of an attempt, its progress and the host of its container, after each change. Ignored for an
/// attempt that the task has not started.
struct AttemptObserved {
  std::int32_t attempt = 0;
  MapReduceAttemptState state = MapReduceAttemptState::unassigned;
  float progress = 0;
  std::optional<std::string> host;
  static void visit_fields(auto& visit, auto& self) {
    visit("attempt", self.attempt);
    visit("state", self.state);
    visit("progress", self.progress);
    visit("host", self.host);
  }
};

using Input = std::variant<Signal, AttemptSignal, AttemptFailed, AttemptKilled, Recovered, AttemptObserved>;

}  // namespace heddle::policies::map_reduce_task_input

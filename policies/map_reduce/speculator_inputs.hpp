// Inputs of the MapReduceSpeculator, one struct each, with the record name and fields of the event log
// (runtime/event_log/recorded.hpp).
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "policies/map_reduce/map_reduce_events.hpp"

namespace heddle::policies::speculator_input {

inline constexpr auto visit_task_attempt = [](auto& visit, auto& attempt) {
  visit("reduce", attempt.is_reduce);
  visit("index", attempt.index);
  visit("attempt", attempt.attempt);
};

/// A task has a new attempt, which needs a container.
struct AttemptRequested {
  static constexpr std::string_view record = "speculator_attempt";
  MapReduceAttempt attempt;
  static void visit_fields(auto& visit, auto& self) { visit_task_attempt(visit, self.attempt); }
};

/// More or fewer containers are needed: -1 if an attempt has got its container, or ended without one.
struct ContainersNeeded {
  static constexpr std::string_view record = "speculator_containers";
  bool is_reduce = false;
  std::int32_t change = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit("reduce", self.is_reduce);
    visit("change", self.change);
  }
};

/// The attempt starts to run now.
struct AttemptLaunched {
  static constexpr std::string_view record = "speculator_launched";
  MapReduceAttempt attempt;
  static void visit_fields(auto& visit, auto& self) { visit_task_attempt(visit, self.attempt); }
};

/// The attempt reports its progress. Its state does not change.
struct AttemptReported {
  static constexpr std::string_view record = "speculator_status";
  MapReduceAttempt attempt;
  float progress = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit_task_attempt(visit, self.attempt);
    visit("progress", self.progress);
  }
};

/// The attempt has succeeded. The first success of a task adds its run time to the statistics.
struct AttemptSucceeded {
  static constexpr std::string_view record = "speculator_succeeded";
  MapReduceAttempt attempt;
  static void visit_fields(auto& visit, auto& self) { visit_task_attempt(visit, self.attempt); }
};

/// State of an attempt in the job.
enum class State : std::uint8_t { starting, running, commit_pending, succeeded, failed, killed };

/// The attempt has another state in the job, without a report.
struct AttemptStateChanged {
  static constexpr std::string_view record = "speculator_state";
  MapReduceAttempt attempt;
  State state = State::starting;
  static void visit_fields(auto& visit, auto& self) {
    visit_task_attempt(visit, self.attempt);
    visit("state", self.state);
  }
};

/// Number of completed tasks of the job.
struct TasksCompleted {
  static constexpr std::string_view record = "speculator_completed";
  std::int32_t maps = 0;
  std::int32_t reduces = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit("maps", self.maps);
    visit("reduces", self.reduces);
  }
};

/// Looks for slow tasks. The caller scans when next_due() has come; an early scan is a scan too.
struct ScanDue {
  static constexpr std::string_view record = "speculator_scan";
  static void visit_fields(auto&, auto&) {}
};

using Input = std::variant<AttemptRequested, ContainersNeeded, AttemptLaunched, AttemptReported, AttemptSucceeded,
                           AttemptStateChanged, TasksCompleted, ScanDue>;

}  // namespace heddle::policies::speculator_input

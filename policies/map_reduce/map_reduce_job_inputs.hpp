// Inputs of a MapReduceJob, one struct for each set of fields, with the field lists for the event log.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "model/node_condition.hpp"
#include "policies/map_reduce/map_reduce_state_effects.hpp"

namespace heddle::policies::map_reduce_job_input {

/// An event without fields.
struct Signal {
  MapReduceJobEvent kind = MapReduceJobEvent::start;
  [[nodiscard]] MapReduceJobEvent event() const { return kind; }
  static void visit_fields(auto& visit, auto& self) { visit("event", self.kind); }
};

/// The job package was read. `fails`: its splits are not readable; the master then passes init_failed.
struct Initialized {
  bool fails = false;
  [[nodiscard]] static MapReduceJobEvent event() { return MapReduceJobEvent::init; }
  static void visit_fields(auto& visit, auto& self) { visit("fails", self.fails); }
};

/// `state`: succeeded, failed or killed.
struct TaskCompleted {
  MapReduceTaskId task;
  MapReduceTaskState state = MapReduceTaskState::succeeded;
  [[nodiscard]] static MapReduceJobEvent event() { return MapReduceJobEvent::task_completed; }
  static void visit_fields(auto& visit, auto& self) {
    MapReduceTaskId::visit_fields(visit, self.task);
    visit("state", self.state);
  }
};

struct MapRescheduled {
  MapReduceTaskId task;
  [[nodiscard]] static MapReduceJobEvent event() { return MapReduceJobEvent::map_task_rescheduled; }
  static void visit_fields(auto& visit, auto& self) { MapReduceTaskId::visit_fields(visit, self.task); }
};

/// A completion event of a task. `host`: of the container of the attempt.
struct AttemptCompleted {
  AddCompletionEvent completion;
  std::string host;
  [[nodiscard]] static MapReduceJobEvent event() { return MapReduceJobEvent::task_attempt_completed; }
  static void visit_fields(auto& visit, auto& self) {
    MapReduceAttempt::visit_fields(visit, self.completion.attempt);
    visit("ending", self.completion.ending);
    visit("host", self.host);
  }
};

/// A reduce cannot fetch the outputs of these maps.
struct FetchFailed {
  MapReduceAttempt reduce;
  std::vector<MapReduceAttempt> maps;
  std::string host;
  [[nodiscard]] static MapReduceJobEvent event() { return MapReduceJobEvent::task_attempt_fetch_failure; }
  static void visit_fields(auto& visit, auto& self) {
    MapReduceAttempt::visit_fields(visit, self.reduce);
    visit("maps", self.maps);
    visit("host", self.host);
  }
};

struct NodesUpdated {
  std::vector<NodeUpdate> nodes;
  [[nodiscard]] static MapReduceJobEvent event() { return MapReduceJobEvent::updated_nodes; }
  static void visit_fields(auto& visit, auto& self) {
    visit.columns(self.nodes, "nodes", &NodeUpdate::node, "hosts", &NodeUpdate::host, "conditions",
                  &NodeUpdate::condition);
  }
};

/// Answer to AbortJobOutput, with its state.
struct AbortCompleted {
  MapReduceJobState final_state = MapReduceJobState::failed;
  [[nodiscard]] static MapReduceJobEvent event() { return MapReduceJobEvent::abort_completed; }
  static void visit_fields(auto& visit, auto& self) { visit("final_state", self.final_state); }
};

/// No event: the state of a task and its progress, after each change.
struct TaskObserved {
  MapReduceTaskId task;
  MapReduceTaskState state = MapReduceTaskState::created;
  float progress = 0;
  static void visit_fields(auto& visit, auto& self) {
    MapReduceTaskId::visit_fields(visit, self.task);
    visit("state", self.state);
    visit("progress", self.progress);
  }
};

/// No event: an attempt of a reduce copies map outputs, or does so no more.
struct CopyObserved {
  MapReduceAttempt reduce;
  bool copies = false;
  static void visit_fields(auto& visit, auto& self) {
    MapReduceAttempt::visit_fields(visit, self.reduce);
    visit("copies", self.copies);
  }
};

/// No event: the master has left the ResourceManager. Now clients may see the end of the job.
struct Unregistered {
  static void visit_fields(auto&, auto&) {}
};

using Input = std::variant<Signal, Initialized, TaskCompleted, MapRescheduled, AttemptCompleted, FetchFailed,
                           NodesUpdated, AbortCompleted, TaskObserved, CopyObserved, Unregistered>;

}  // namespace heddle::policies::map_reduce_job_input

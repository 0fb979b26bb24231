// Inputs of a MapReduceTaskAttempt, one struct for each set of fields, with the field lists for the event log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/ids.hpp"
#include "model/resources.hpp"
#include "model/time.hpp"
#include "policies/map_reduce/map_reduce_attempt_table.hpp"
#include "policies/map_reduce/map_reduce_events.hpp"

namespace heddle::policies {

/// Record of an attempt in the history of an earlier master.
struct RecordedAttempt {
  MapReduceAttempt attempt;
  std::optional<MapReduceAttemptState> end;  // succeeded, failed or killed; none: it had not ended
  std::string host;
  std::optional<Instant> start;
  std::optional<Instant> finish;
  static void visit_fields(auto& visit, auto& self) {
    MapReduceAttempt::visit_fields(visit, self.attempt);
    visit("end", self.end);
    visit("host", self.host);
    visit("start", self.start);
    visit("finish", self.finish);
  }
};

namespace map_reduce_attempt_input {

/// An event without fields. The request of a child to fail the whole task (fast fail) is lost, as in Hadoop 3.4.1.
struct Signal {
  MapReduceAttemptEvent kind = MapReduceAttemptEvent::schedule;
  [[nodiscard]] MapReduceAttemptEvent event() const { return kind; }
  static void visit_fields(auto& visit, auto& self) { visit("event", self.kind); }
};

struct Assigned {
  ContainerId container;
  std::string host;
  Resource resource;
  [[nodiscard]] static MapReduceAttemptEvent event() { return MapReduceAttemptEvent::assigned; }
  static void visit_fields(auto& visit, auto& self) {
    visit("container", self.container);
    visit("host", self.host);
    visit("resource", self.resource);
  }
};

/// A report of the child. `fetch_failed_maps`: of a reduce, since its last report.
struct Updated {
  float progress = 0;
  std::vector<MapReduceAttempt> fetch_failed_maps;
  [[nodiscard]] static MapReduceAttemptEvent event() { return MapReduceAttemptEvent::update; }
  static void visit_fields(auto& visit, auto& self) {
    visit("progress", self.progress);
    visit("fetch_failed_maps", self.fetch_failed_maps);
  }
};

/// `reschedule`: the next attempt requests its container before other maps. Without a value an earlier one stays.
struct Killed {
  std::optional<bool> reschedule;
  [[nodiscard]] static MapReduceAttemptEvent event() { return MapReduceAttemptEvent::kill; }
  static void visit_fields(auto& visit, auto& self) { visit("reschedule", self.reschedule); }
};

/// Takes over an attempt of an earlier master. `adopts_output`: if it succeeded, this master needs its output;
/// `adoption_fails`: the output cannot be adopted, so the attempt counts as killed.
struct Recovered {
  RecordedAttempt recorded;
  bool adopts_output = false;
  bool adoption_fails = false;
  [[nodiscard]] static MapReduceAttemptEvent event() { return MapReduceAttemptEvent::recover; }
  static void visit_fields(auto& visit, auto& self) {
    RecordedAttempt::visit_fields(visit, self.recorded);
    visit("adopts_output", self.adopts_output);
    visit("adoption_fails", self.adoption_fails);
  }
};

using Input = std::variant<Signal, Assigned, Updated, Killed, Recovered>;

}  // namespace map_reduce_attempt_input
}  // namespace heddle::policies

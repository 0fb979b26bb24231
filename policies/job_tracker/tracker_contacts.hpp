// Contacts of the JobTracker with its TaskTrackers: which heartbeats are new, repeated, stale or from an unknown
// TaskTracker (JT-1), and which TaskTrackers are silent (JT-4). A heartbeat carries the number of the last response
// that its TaskTracker got; the response to a new one has the next number. Cost: logarithmic in the trackers. After the
// heartbeat method of Hadoop 1.2's JobTracker.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "model/due_heap.hpp"
#include "model/time.hpp"

namespace heddle::policies {

/// What a heartbeat is.
enum class TrackerContact : std::uint8_t {
  first,     // the TaskTracker runs nothing; add it
  next,      // process it
  repeated,  // its response was lost: send the response again
  unknown,   // the TaskTracker must reinitialise
  stale      // of a process that a later one with the same name has replaced
};

class TrackerContacts {
public:
  explicit TrackerContacts(Duration expiry) : expiry_{expiry} {}

  /// After `first` and `next`, response_id() is the number of the response to send.
  [[nodiscard]] TrackerContact on_heartbeat(Instant now, const std::string& tracker, std::int64_t incarnation,
                                            bool is_initial_contact, std::int64_t response_id);
  void on_lost(const std::string& tracker);
  [[nodiscard]] std::int64_t response_id(const std::string& tracker) const { return rows_.at(tracker).response_id; }
  /// Removes and returns a tracker that is silent for longer than the expiry.
  [[nodiscard]] std::optional<std::string> take_silent(Instant now);
  [[nodiscard]] std::optional<Instant> next_due() { return dues_.next_due(); }

private:
  struct Row {
    std::int64_t incarnation = 0;
    std::int64_t response_id = 0;
  };

  Duration expiry_;
  std::map<std::string, Row> rows_;
  DueHeap<std::string> dues_;
};

}  // namespace heddle::policies

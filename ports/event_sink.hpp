// Where a role writes what it heard and did. One vocabulary: docs/event-log.md.
#pragma once

#include <string>
#include <string_view>

#include "model/time.hpp"
#include "ports/event_fields.hpp"

namespace heddle::ports {

class EventSink {
public:
  virtual ~EventSink() = default;
  /// Appends one event. `name` is a literal in snake_case that docs/event-log.md lists (tools/check_events).
  virtual void write(Instant when, std::string_view name, const EventFields& fields) = 0;
  void write(Instant when, std::string_view name) { write(when, name, EventFields{}); }
  /// What the last line will say if the log is closed now; replaces what was said before.
  virtual void summarize(const EventFields& totals) = 0;
  /// Writes out what is left and takes nothing more: for processes that end without destructors.
  virtual void close() {}
  /// False while the writer is behind: the next scheduling round waits, nothing is dropped.
  [[nodiscard]] virtual bool has_room() const = 0;
  /// Why the log ended before its time; empty if it did not.
  [[nodiscard]] virtual std::string error() const = 0;
};

}  // namespace heddle::ports

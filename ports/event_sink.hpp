// Event log of a role. docs/event-log.md lists the events.
#pragma once

#include <string>
#include <string_view>

#include "model/time.hpp"
#include "ports/event_fields.hpp"

namespace heddle::ports {

class EventSink {
public:
  virtual ~EventSink() = default;
  /// Appends one event. `name` is a snake_case literal from docs/event-log.md (tools/check_events).
  virtual void write(Instant when, std::string_view name, const EventFields& fields) = 0;
  void write(Instant when, std::string_view name) { write(when, name, EventFields{}); }
  /// Sets the fields of the last line, which is written when the log is closed. Replaces earlier ones.
  virtual void summarize(const EventFields& totals) = 0;
  /// Writes all waiting events and accepts no more. For processes that exit without running destructors.
  virtual void close() {}
  /// False while too many events wait to be written. The Driver then starts no tasks; no event is dropped.
  [[nodiscard]] virtual bool has_room() const = 0;
  /// Why writing stopped early; empty if it did not.
  [[nodiscard]] virtual std::string error() const = 0;
};

}  // namespace heddle::ports

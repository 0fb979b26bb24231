// Where a role writes what it heard and did. One vocabulary: docs/event-log.md.
#pragma once

#include <string_view>

#include "model/time.hpp"

namespace heddle::ports {

class EventSink {
public:
  virtual ~EventSink() = default;
  /// Appends one event. `fields` is the inside of a JSON object, without braces: `"task":7,"state":"running"`.
  virtual void write(Instant when, std::string_view name, std::string_view fields) = 0;
  /// False while the writer is behind: the next scheduling round waits, nothing is dropped.
  [[nodiscard]] virtual bool has_room() const = 0;
};

}  // namespace heddle::ports

// How kinds of resource beside memory and cores stand in the event log: a column of objects `name`, `amount`.
#pragma once

#include <string_view>

#include "model/extra_resource.hpp"
#include "runtime/event_log/field_writer.hpp"

namespace heddle {

template <class Visit>
void visit_fields(Visit& visit, ExtraResource& value) {
  visit("name", value.name);
  visit("amount", value.amount);
}

namespace runtime {

/// Absent if there are none.
inline void add_extras(ports::EventFields& fields, std::string_view key, ExtraResources extras) {
  if (!extras.empty()) FieldWriter{fields}(key, extras);
}

}  // namespace runtime
}  // namespace heddle

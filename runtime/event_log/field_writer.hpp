// Writes a settings struct as fields of an event. The struct's members are listed once, by a function
// `visit_fields(visit, value)` that the writer and whoever reads the log back both use.
#pragma once

#include <concepts>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "model/resources.hpp"
#include "model/time.hpp"
#include "ports/event_fields.hpp"

namespace heddle::runtime {

class FieldWriter {
public:
  explicit FieldWriter(ports::EventFields& fields) : fields_{fields} {}

  /// A whole number, a truth, a text, a duration in microseconds, a finite double.
  template <class Value>
  void operator()(std::string_view key, Value& value) {
    if constexpr (std::is_enum_v<Value>) fields_.add(key, static_cast<std::int64_t>(value));
    else if constexpr (requires { fields_.add(key, value); }) fields_.add(key, value);
    else if constexpr (requires { value.value; }) fields_.add(key, value.value);
    else fields_.add(key, of(value));
  }
  /// Absent if there is none.
  template <class Value>
  void operator()(std::string_view key, std::optional<Value>& value) {
    if (value) (*this)(key, *value);
  }
  template <class Value>
  void operator()(std::string_view key, std::vector<Value>& values) {
    fields_.add_column(key, values, [](Value value) {
      if constexpr (std::is_arithmetic_v<Value> || std::same_as<Value, std::string>) return value;
      else return of(value);
    });
  }
  void operator()(std::string_view key, std::set<std::string>& values) { fields_.add_column(key, values); }
  /// Memory in MiB, then cores.
  void operator()(std::string_view key, Resource& value) {
    fields_.add_column(key, std::vector<std::int64_t>{value.memory_mib, value.cores});
  }

private:
  template <class Value>
  static ports::EventFields of(Value& value) {
    ports::EventFields fields;
    FieldWriter writer{fields};
    visit_fields(writer, value);
    return fields;
  }
  ports::EventFields& fields_;
};

/// The members of a struct as fields.
template <class Value>
[[nodiscard]] ports::EventFields to_fields(Value value) {
  ports::EventFields fields;
  FieldWriter writer{fields};
  visit_fields(writer, value);
  return fields;
}

}  // namespace heddle::runtime

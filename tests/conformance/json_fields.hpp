// Optional fields of a recorded case.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <type_traits>

namespace heddle::conformance {

inline std::string text(const boost::json::value& value) { return std::string{value.as_string()}; }

/// The number of this field, or `missing`. A float is the nearest to the recorded double.
template <class T>
T number(const boost::json::object& fields, const char* name, T missing) {
  const auto* value = fields.if_contains(name);
  if (value == nullptr) return missing;
  if constexpr (std::is_same_v<T, float>) return static_cast<float>(value->to_number<double>());
  else return value->to_number<T>();
}

}  // namespace heddle::conformance

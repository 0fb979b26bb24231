// Fields of a recorded case: optional ones, names of enumerators, comparison.
#pragma once

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

#include "tests/conformance/kind.hpp"

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

inline bool flag(const boost::json::object& fields, std::string_view name, bool missing = false) {
  const auto* value = fields.if_contains(name);
  return value == nullptr ? missing : value->as_bool();
}

/// This field, or null.
inline boost::json::value value_or_null(const boost::json::object& fields, std::string_view name) {
  const auto* value = fields.if_contains(name);
  return value == nullptr ? boost::json::value{} : *value;
}

/// Names of the fields that at least one of both has.
inline std::set<std::string> field_names(const boost::json::object& expected, const boost::json::object& got) {
  std::set<std::string> names;
  for (const auto* fields : {&expected, &got})
    for (const auto& field : *fields) names.emplace(field.key());
  return names;
}

/// The enumerator whose name is `name`. `names`: by value of the enumerator.
template <class Enum, class Text, std::size_t count>
Enum value_in(const std::array<Text, count>& names, std::string_view name) {
  const auto row = std::find(names.begin(), names.end(), name);
  require(row != names.end(), "unknown name " + std::string{name});
  return static_cast<Enum>(row - names.begin());
}

}  // namespace heddle::conformance

// Fields of a recorded map_reduce_states case as values of the state machines, and the effects of a step as the record
// lists them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "policies/map_reduce/map_reduce_attempt_inputs.hpp"
#include "policies/map_reduce/map_reduce_state_effects.hpp"
#include "tests/conformance/json_fields.hpp"
#include "tests/conformance/map_reduce_names.hpp"

namespace heddle::conformance::map_reduce_states_kind {

namespace json = boost::json;
using namespace heddle::policies;

inline constexpr std::array<std::string_view, 5> ending_names{"SUCCEEDED", "FAILED", "KILLED", "OBSOLETE", "TIPFAILED"};

[[nodiscard]] inline std::string text(const json::object& fields, std::string_view name) {
  return conformance::text(fields.at(name));
}

template <class Enum, std::size_t count>
[[nodiscard]] std::string_view name_in(const std::array<std::string_view, count>& names, Enum value) {
  return names.at(static_cast<std::size_t>(value));
}

/// Each name once, in order.
[[nodiscard]] json::array sorted_names(std::vector<std::string> names);

/// `fields`: the row of an attempt in the history of an earlier application attempt.
[[nodiscard]] RecordedAttempt recorded_attempt(const json::object& fields, MapReduceAttempt attempt);

/// Adds the fields `events` and `calls` to the result of a step.
void write_effects(const MapReduceStateEffects& effects, json::object& result);

}  // namespace heddle::conformance::map_reduce_states_kind

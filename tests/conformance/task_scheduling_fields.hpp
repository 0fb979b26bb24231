// Fields of a recorded task_scheduling case as values of the TaskScheduler, and the names that the record uses.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "policies/tasks/types/task_effects.hpp"
#include "policies/tasks/types/task_scheduler_settings.hpp"
#include "policies/tasks/types/task_set_key.hpp"
#include "tests/conformance/kind.hpp"

namespace heddle::conformance::task_scheduling_kind {

namespace json = boost::json;
using namespace heddle::policies;

[[nodiscard]] inline Duration milliseconds_of(const json::value& value) {
  return std::chrono::milliseconds{value.to_number<std::int64_t>()};
}
[[nodiscard]] inline std::int32_t int_of(const json::value& value) { return value.to_number<std::int32_t>(); }
[[nodiscard]] inline std::string text_of(const json::value& value) { return std::string{value.as_string()}; }
[[nodiscard]] inline std::string text_of(TaskSetKey key) {
  return std::to_string(key.stage.value) + "." + std::to_string(key.attempt);
}
[[nodiscard]] inline SchedulingMode mode_of(const json::value& value) {
  return value.as_string() == "FAIR" ? SchedulingMode::fair : SchedulingMode::fifo;
}

[[nodiscard]] const char* text_of(LocalityLevel level);
[[nodiscard]] const char* text_of(AttemptOutcome outcome);
[[nodiscard]] TaskSchedulerSettings settings_of(const json::object& given);

}  // namespace heddle::conformance::task_scheduling_kind

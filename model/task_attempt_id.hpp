// Id of one attempt of a map or a reduce, and what an attempt does.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "model/ids.hpp"

namespace heddle {

/// In Hadoop's order: job, maps before reduces, task, attempt. Setup and cleanup tasks of a job have the task numbers
/// after its maps or reduces. `attempt` counts from 0.
struct TaskAttemptId {
  JobId job;
  bool is_reduce = false;
  std::int32_t task = 0;
  std::int32_t attempt = 0;
  auto operator<=>(const TaskAttemptId&) const = default;
};

/// "attempt_7_m_3_0": attempt 0 of map 3 of job 7.
[[nodiscard]] inline std::string to_string(const TaskAttemptId& id) {
  return "attempt_" + to_string(id.job) + (id.is_reduce ? "_r_" : "_m_") + std::to_string(id.task) + "_" +
         std::to_string(id.attempt);
}

/// `task_cleanup` removes what a failed or killed attempt wrote; it runs under the id of that attempt.
enum class AttemptType : std::uint8_t { map, reduce, job_setup, job_cleanup, task_cleanup };
constexpr AttemptType last_of(AttemptType) { return AttemptType::task_cleanup; }

}  // namespace heddle

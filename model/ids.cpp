#include "model/ids.hpp"

#include <fmt/format.h>

namespace heddle {

std::string to_string(const ApplicationId& id) {
  return fmt::format("application_{}_{:04}", id.cluster_start, id.number);
}

std::string to_string(const AttemptId& id) {
  return fmt::format("appattempt_{}_{:04}_{:06}", id.application.cluster_start, id.application.number, id.attempt);
}

std::string to_string(const TaskId& id) {
  return fmt::format("{}.{}.{}.{}.{}", id.job.value, id.stage.value, id.stage_attempt, id.index, id.attempt);
}

}  // namespace heddle

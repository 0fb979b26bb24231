// What a running task attempt reports about itself, for masters that judge progress and silence.
#pragma once

#include <cstdint>
#include <string>

#include "model/attempt_work.hpp"

namespace heddle::ports {

using heddle::TaskPhase;

struct TaskProgress {
  TaskPhase phase = TaskPhase::starting;
  /// Part of the task that is done, 0 to 1. A map: of the bytes of its split. A reduce: a third each for copying,
  /// merging and reducing; the last third is counted at its end only.
  float fraction = 0;
  std::int64_t signs = 0;      // grows with each sign of life: input read, output or a line on stderr written
  std::string status;          // last reporter:status line
  AttemptCounters counters{};  // so far; of an attempt of a MapReduce job
};

}  // namespace heddle::ports

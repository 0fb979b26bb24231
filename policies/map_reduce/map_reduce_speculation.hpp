// Chooses the task of a MapReduce job on YARN that gets a speculative copy. Order: the task with the largest gain; ties
// by order of the input. Cost: linear in the tasks of one kind. After Hadoop's DefaultSpeculator with the legacy
// estimator (spec DS-1 to DS-7): only whether the threshold is known matters.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/time.hpp"

namespace heddle::policies {

struct MapReduceSpeculationSettings {
  float of_running = 0.1F;
  float of_total = 0.01F;
  std::int32_t allowed_min = 10;
  float completed_part = 0.05F;  // part of the tasks of a kind that must be completed
  std::int32_t completed_min = 1;
  Duration retry_after_none = std::chrono::seconds{1};
  Duration retry_after_one = std::chrono::seconds{15};
};

/// Number of tasks of a kind that may have copies at a time.
[[nodiscard]] std::int32_t speculation_allowance(std::int32_t tasks, std::int32_t running,
                                                 const MapReduceSpeculationSettings& settings);

struct SpeculationCandidate {
  std::int32_t task = 0;
  std::int32_t running_attempts = 0;
  Instant started;  // of the running attempt
  double progress = 0;
  bool was_speculated = false;
};

struct MapReduceSpeculationInput {
  Instant now;
  std::int32_t tasks = 0;  // of this kind
  std::int32_t completed = 0;
  Duration mean_of_completed{0};      // run time
  bool waits_for_containers = false;  // of this kind
  std::vector<SpeculationCandidate> candidates;
};

enum class SpeculationVerdict : std::uint8_t {
  good,
  on_schedule,
  already,
  too_new,
  progress_is_good,
  too_late,
  not_running
};

struct SpeculationValue {
  SpeculationVerdict verdict = SpeculationVerdict::not_running;
  Duration gain{0};  // if the value is `good`
  bool operator==(const SpeculationValue&) const = default;
};

/// Gain of a copy of this task that starts now.
[[nodiscard]] SpeculationValue speculation_value(const SpeculationCandidate& task,
                                                 const MapReduceSpeculationInput& input,
                                                 const MapReduceSpeculationSettings& settings);
/// The task that gets a copy, or none. At most one per scan.
[[nodiscard]] std::optional<std::int32_t> choose_speculation(const MapReduceSpeculationInput& input,
                                                             const MapReduceSpeculationSettings& settings);

}  // namespace heddle::policies

#include "policies/map_reduce/map_reduce_speculation.hpp"

#include <algorithm>

#include "model/java_number.hpp"

namespace heddle::policies {

std::int32_t speculation_allowance(std::int32_t tasks, std::int32_t running,
                                   const MapReduceSpeculationSettings& settings) {
  const auto by_total = java::to_int(static_cast<double>(settings.of_total * static_cast<float>(tasks)));
  const auto by_running = java::to_int(static_cast<double>(settings.of_running * static_cast<float>(running)));
  return std::max({settings.allowed_min, by_total, by_running});
}

SpeculationValue speculation_value(const SpeculationCandidate& task, const MapReduceSpeculationInput& input,
                                   const MapReduceSpeculationSettings& settings) {
  const bool knows_threshold =
      input.completed >= settings.completed_min &&
      static_cast<float>(input.completed) / static_cast<float>(input.tasks) >= settings.completed_part;
  if (!knows_threshold && !task.was_speculated) return {SpeculationVerdict::on_schedule, {}};
  if (task.running_attempts > 1) return {SpeculationVerdict::already, {}};
  if (task.running_attempts == 0) return {SpeculationVerdict::not_running, {}};
  if (task.started > input.now) return {SpeculationVerdict::too_new, {}};
  const auto ran = static_cast<double>((input.now - task.started).count());
  const Instant estimated_end = task.started + Duration{java::to_long(ran / std::max(0.0001, task.progress))};
  if (estimated_end < input.now) return {SpeculationVerdict::progress_is_good, {}};
  const Instant copy_end = input.now + input.mean_of_completed;
  if (copy_end >= estimated_end) return {SpeculationVerdict::too_late, {}};
  return {SpeculationVerdict::good, estimated_end - copy_end};
}

std::optional<std::int32_t> choose_speculation(const MapReduceSpeculationInput& input,
                                               const MapReduceSpeculationSettings& settings) {
  if (input.waits_for_containers) return std::nullopt;
  std::int32_t running = 0;
  std::int32_t already = 0;
  std::optional<std::int32_t> best;
  Duration most{0};
  for (const SpeculationCandidate& task : input.candidates) {
    running += task.running_attempts > 0 ? 1 : 0;
    const SpeculationValue value = speculation_value(task, input, settings);
    already += value.verdict == SpeculationVerdict::already ? 1 : 0;
    if (value.verdict != SpeculationVerdict::good || value.gain <= most) continue;
    most = value.gain;
    best = task.task;
  }
  if (speculation_allowance(input.tasks, running, settings) <= already) return std::nullopt;
  return best;
}

}  // namespace heddle::policies

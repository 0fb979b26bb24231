// Decides whether a job with barrier stages starts: all tasks of a barrier stage must run at the same time (Spark:
// SPARK-24819). Pure. Cost: linear in the barrier stages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace heddle::policies {

/// A barrier stage, and the number of its tasks that can run at the same time on the registered executors.
struct BarrierStageSlots {
  std::int32_t stage = 0;
  std::int32_t tasks = 0;
  std::int64_t slots = 0;
};

/// The first stage with too few task slots.
[[nodiscard]] inline std::optional<BarrierStageSlots> first_shortage(std::span<const BarrierStageSlots> stages) {
  for (const auto& stage : stages)
    if (stage.tasks > stage.slots) return stage;
  return std::nullopt;
}

enum class BarrierAdmission : std::uint8_t { start, check_again, fail };

/// `failed_checks` includes this check. Example with at most 2 failures: check_again, check_again, fail.
[[nodiscard]] inline BarrierAdmission admit(bool has_shortage, std::int32_t failed_checks,
                                            std::int32_t failed_checks_max) {
  if (!has_shortage) return BarrierAdmission::start;
  return failed_checks > failed_checks_max ? BarrierAdmission::fail : BarrierAdmission::check_again;
}

}  // namespace heddle::policies

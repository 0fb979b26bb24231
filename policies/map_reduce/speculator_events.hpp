// Effects of the MapReduceSpeculator.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "model/time.hpp"
#include "policies/map_reduce/map_reduce_master_settings.hpp"

namespace heddle::policies {

/// The task gets one more attempt, which would end `gain_ms` earlier than the running one.
struct SpeculateTask {
  bool is_reduce = false;
  std::int32_t index = 0;
  std::int64_t gain_ms = 0;
  bool operator==(const SpeculateTask&) const = default;
  static void visit_fields(auto& visit, auto& self) {
    visit("reduce", self.is_reduce);
    visit("index", self.index);
    visit("gain_ms", self.gain_ms);
  }
};

using SpeculatorEffect = std::variant<SpeculateTask>;
using SpeculatorEffects = std::vector<SpeculatorEffect>;

/// Why a task gets no speculative attempt (DS-3). `good`: it may get one.
enum class SpeculationVerdict : std::uint8_t {
  good,
  on_schedule,
  already_speculating,
  too_new,
  progress_is_good,
  too_late,
  not_running
};

/// Value of a speculative attempt that starts now.
struct SpeculationValue {
  SpeculationVerdict verdict = SpeculationVerdict::not_running;
  std::int64_t gain_ms = 0;  // if the verdict is `good`
  bool operator==(const SpeculationValue&) const = default;
};

}  // namespace heddle::policies

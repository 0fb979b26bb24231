// How many reduces of a MapReduce job may ask for containers while maps still run, and when running reduces must make
// room. Order: victims by progress, least first; ties in the order of assignment. Cost: constant, plus the waits and
// reduces named. After Hadoop's RMContainerAllocator: fractions are floats, a resource times a fraction is cut from
// double, quotients truncate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/resources.hpp"
#include "model/time.hpp"

namespace heddle::policies {

/// Sizes and counts that both decisions look at.
struct ReduceLoad {
  Resource map;                     // size of every map
  Resource reduce;                  // size of every reduce; nothing: no reduce is known
  Resource headroom;                // what the ResourceManager would still give
  std::int32_t scheduled_maps = 0;  // asked for, not assigned
  std::int32_t assigned_maps = 0;
  std::int32_t scheduled_reduces = 0;  // asked for, not assigned
  std::int32_t assigned_reduces = 0;
  bool schedule_cores = false;  // else memory alone counts
};

struct ReduceScheduleInput {
  ReduceLoad load;
  std::int32_t total_maps = 0;
  std::int32_t completed_maps = 0;
  std::int32_t pending_reduces = 0;  // not asked for yet
  float ramp_up_limit = 0.5F;        // at most this part of all goes to reduces while maps wait
  float slow_start = 0.05F;          // part of the maps that must be complete before the first reduce
  bool is_started = false;           // slow start was passed before
};

struct ReduceSchedule {
  bool is_started = false;
  bool schedule_all = false;   // ask for every pending reduce
  std::int32_t ramp_up = 0;    // pending reduces to ask for
  std::int32_t ramp_down = 0;  // asked reduces to withdraw
  bool operator==(const ReduceSchedule&) const = default;
};

[[nodiscard]] ReduceSchedule schedule_reduces(const ReduceScheduleInput& input);

struct ReducePreemptionInput {
  ReduceLoad load;
  std::span<const Duration> map_waits;         // of each scheduled map
  std::int32_t delay_sec = 0;                  // a map that has no room waits longer than this
  std::int32_t unconditional_delay_sec = 300;  // a map waits longer than this, room or not; negative: never
  float preemption_limit = 0.5F;               // part of all that may be taken, or one map's worth
};

struct ReducePreemption {
  bool is_due = false;       // then every scheduled reduce is withdrawn first
  std::int32_t reduces = 0;  // running reduces to end, as far as there are
  bool operator==(const ReducePreemption&) const = default;
};

[[nodiscard]] ReducePreemption preempt_reduces(const ReducePreemptionInput& input);

/// Numbers of the reduces to end, given each one's progress in the order of assignment.
[[nodiscard]] std::vector<std::int32_t> choose_reduce_victims(std::span<const float> progress, std::int32_t count);

/// How many whole units fit; a unit of nothing always fits. Truncates towards zero, also below it.
[[nodiscard]] std::int32_t containers_in(const Resource& room, const Resource& unit, bool schedule_cores);

}  // namespace heddle::policies

// Number of reduces of a MapReduce job that may request containers while maps run, and number of reduces to preempt for
// maps. Order: victims by progress, least first; ties in the order of assignment. Cost: constant, plus the named waits
// and reduces. After Hadoop's RMContainerAllocator: fractions are floats, a resource times a fraction is truncated from
// double, quotients truncate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/resources.hpp"
#include "model/time.hpp"

namespace heddle::policies {

/// Sizes and counts that both decisions use.
struct ReduceLoad {
  Resource map;                     // size of every map
  Resource reduce;                  // of every reduce; empty: no reduce is known
  Resource headroom;                // resources that the ResourceManager would still grant
  std::int32_t scheduled_maps = 0;  // requested, not assigned
  std::int32_t assigned_maps = 0;
  std::int32_t scheduled_reduces = 0;  // requested, not assigned
  std::int32_t assigned_reduces = 0;
  bool schedule_cores = false;  // false: only memory counts
};

struct ReduceScheduleInput {
  ReduceLoad load;
  std::int32_t total_maps = 0;
  std::int32_t completed_maps = 0;
  std::int32_t pending_reduces = 0;  // not requested yet
  float ramp_up_limit = 0.5F;        // largest part of all resources for reduces while maps wait
  float slow_start = 0.05F;          // part of the maps that must be complete before the first reduce
  bool is_started = false;           // slow start was passed before
};

struct ReduceSchedule {
  bool is_started = false;
  bool schedule_all = false;   // request all pending reduces
  std::int32_t ramp_up = 0;    // number of pending reduces to request
  std::int32_t ramp_down = 0;  // number of requested reduces to cancel
  bool operator==(const ReduceSchedule&) const = default;
};

/// Number of completed maps after which reduces may request containers (CA-16).
[[nodiscard]] std::int32_t slow_start_maps(std::int32_t total_maps, float slow_start);

/// Resources for reduces while maps wait.
struct ReduceShare {
  Resource limit;     // of all maps and reduces
  float part = 0;     // of the limit, for reduces
  Resource reduces;   // this part
  Resource leftover;  // what maps leave of the rest
};

/// CA-18, CA-19
[[nodiscard]] ReduceShare share_of_reduces(const ReduceScheduleInput& input);

[[nodiscard]] ReduceSchedule schedule_reduces(const ReduceScheduleInput& input);

struct ReducePreemptionInput {
  ReduceLoad load;
  std::span<const Duration> map_waits;         // of each scheduled map
  std::int32_t delay_sec = 0;                  // preempt if a map without room waits longer
  std::int32_t unconditional_delay_sec = 300;  // preempt if a map waits longer, with room or not; negative: never
  float preemption_limit = 0.5F;               // part of all resources that may be preempted, at least one map
};

struct ReducePreemption {
  bool is_due = false;       // true: cancel all scheduled reduces first
  std::int32_t reduces = 0;  // number of running reduces to preempt
  bool operator==(const ReducePreemption&) const = default;
};

[[nodiscard]] ReducePreemption preempt_reduces(const ReducePreemptionInput& input);

/// Indices of the reduces to preempt, given their progress in the order of assignment.
[[nodiscard]] std::vector<std::int32_t> choose_reduce_victims(std::span<const float> progress, std::int32_t count);

/// Number of whole units that fit. A part that is 0 in `unit` always fits. Truncates towards zero, also below zero.
[[nodiscard]] std::int32_t containers_in(const Resource& room, const Resource& unit, bool schedule_cores);

}  // namespace heddle::policies

// Texts of decisions for the user: rule, numbers, decision.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/node_condition.hpp"
#include "policies/map_reduce/map_reduce_events.hpp"
#include "policies/map_reduce/map_reduce_requests.hpp"
#include "policies/map_reduce/map_reduce_state_effects.hpp"
#include "policies/map_reduce/reduce_ramp_up.hpp"

namespace heddle::actors {

/// The reduces may request containers now (CA-16). Empty if they had to wait for one map at most.
[[nodiscard]] std::string slow_start_text(const policies::ReduceScheduleInput& input);
/// Some reduces request containers, the others wait for maps (CA-18, CA-19).
[[nodiscard]] std::string ramp_up_text(const policies::ReduceScheduleInput& input);
/// The others request containers too (CA-17).
[[nodiscard]] std::string all_reduces_text(std::int32_t reduces);
/// Why the running reduce is killed (CA-25). `preempted`: number of them. `progress`: of this one.
[[nodiscard]] std::string preemption_text(const policies::ReduceLoad& load, std::int32_t preempted, float progress);

/// The host has so many failed attempts that the job avoids it (RR-4), unless exclusions are ignored (RR-5).
[[nodiscard]] std::string avoided_host_text(const std::string& host, const policies::HostExclusion& excluded,
                                            const policies::HostExclusionSettings& rules);
/// Exclusions are ignored from now on, or count again (RR-5).
[[nodiscard]] std::string ignored_exclusion_text(const policies::HostExclusion& excluded,
                                                 const policies::HostExclusionSettings& rules);

/// What nodes that became unusable mean for the job.
struct LostWork {
  std::vector<NodeUpdate> nodes = {};  // unusable ones
  std::int32_t killed = 0;             // running attempts
  std::int32_t maps = 0;               // finished maps that run again
  std::int32_t reduces = 0;            // that have not ended
  std::int32_t all_reduces = 0;
};
[[nodiscard]] std::string lost_work_text(const LostWork& lost);

/// Numbers of the decision to start a second attempt (DS-3).
struct SecondAttempt {
  policies::MapReduceTaskId task;
  float progress = 0;
  std::int64_t gain_ms = 0;
  std::int64_t new_attempt_ms = 0;
};
[[nodiscard]] std::string second_attempt_text(const SecondAttempt& second);

}  // namespace heddle::actors

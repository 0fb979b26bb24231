// What the TaskScheduler answers: progress of a task set, why it launches nothing, decommissioned executors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/ids.hpp"
#include "model/locality.hpp"
#include "model/preferred_location.hpp"
#include "model/time.hpp"
#include "policies/tasks/types/task_set_key.hpp"

namespace heddle::policies {

/// Progress of one set, updated with each change. Task indices below `tasks` are pending, assigned, running or
/// finished.
struct TaskSetProgress {
  TaskSetKey key;
  std::int32_t tasks = 0;
  std::int32_t running = 0;                    // running attempts
  std::int32_t queued = 0;                     // attempts queued ahead
  std::int32_t successful = 0;                 // task indices
  std::int32_t failures = 0;                   // attempts that ended without success
  std::int32_t speculative = 0;                // launched copies
  std::int64_t launched[5] = {0, 0, 0, 0, 0};  // attempts by LocalityLevel
  bool large_task_binary = false;              // a warning was reported
  bool zombie = false;                         // launches nothing any more
  bool finished = false;                       // removed at the next round or submission
};

/// Why a set launches nothing now.
enum class TaskRefusal : std::uint8_t {
  none,
  unknown_set,
  zombie,
  nothing_pending,
  no_executor,
  no_free_slot,
  waiting_for_locality,
  excluded,
  behind_other_sets,
  no_free_resource,
  no_room_for_all
};
struct TaskSetExplanation {
  TaskRefusal refusal = TaskRefusal::none;
  LocalityLevel allowed = LocalityLevel::any;  // the farthest level that is allowed now
  std::int32_t index = -1;                     // the checked task: the next waiting one
  std::string holder;                          // the set, attempts or hosts that hold the missing resource; empty: none
  std::optional<Instant> retry_at;             // when the next level opens, or the set is aborted
  // number of rounds after which the answer may change; 0: a round alone changes nothing
  std::int32_t after_rounds = 0;
  std::string text;  // one sentence for the user
};

/// Start of the decommissioning of an executor; `host`: of its whole host.
struct DecommissionState {
  Instant since;
  std::optional<HostId> host;
};

}  // namespace heddle::policies

// What inputs of the TaskScheduler describe: task sets, free cores of executors, and attempts. Hosts, executors and
// stages are numbers; the owner of the names registers them (task_input::HostIntroduced).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/ids.hpp"
#include "model/preferred_location.hpp"
#include "model/time.hpp"
#include "policies/tasks/types/task_resources.hpp"
#include "policies/tasks/types/task_set_key.hpp"

namespace heddle::policies {

/// The tasks of one stage attempt. Task index i is the i-th of `partitions`, concatenated (empty: partition i).
struct TaskSetDescription {
  TaskSetKey key;
  JobId job;  // its number is the priority
  TaskSetKind kind = TaskSetKind::result;
  std::string pool;  // empty: the default pool; only FAIR uses it
  std::int32_t tasks = 0;
  std::vector<IndexRange> partitions;
  TaskSetLocations places;
  std::int32_t task_cores = 0;                  // of each task; 0: the setting
  std::optional<TaskNeed> need = std::nullopt;  // none: only cores, on executors of the default profile
  /// All tasks are launched in one round, or none. Each task has one attempt, and a failure ends the set.
  bool is_barrier = false;
  /// Expected run times of local tasks by index, relative to their mean, which is declared or measured; null: all
  /// equal. Only adaptive waits use it.
  std::shared_ptr<const std::vector<std::int32_t>> expected_shares = nullptr;
  /// Bytes of the task binary, which executors get before the tasks; -1: it cannot be serialized.
  std::int64_t task_binary_bytes = 0;
};

/// Free cores of one executor. `detail` must outlive the call; null: the default profile, cores only.
struct SlotOffer {
  ExecutorId executor;
  HostId host;
  std::int32_t free_cores = 0;
  const OfferDetail* detail = nullptr;
};

/// State of an attempt as its executor reports it.
enum class AttemptState : std::uint8_t { running, finished, failed, killed, lost };

/// Why an attempt failed, as far as decisions depend on it.
enum class AttemptFailure : std::uint8_t {
  unknown,
  exception,
  not_serializable,
  output_exists,
  fetch_failed,
  result_lost,
  commit_denied,
  unreachable  // its file system did not serve for long: counts as an exception and ends the set
};

/// Records that an attempt has read so far, and its run time.
struct AttemptProgress {
  std::int64_t records = 0;
  Duration run_time = Duration::zero();
};

struct AttemptStatus {
  AttemptState state = AttemptState::finished;
  AttemptFailure failure = AttemptFailure::unknown;  // of state failed
  ExecutorId source_executor;                        // fetch_failed: the executor with the map output; none: unknown
  HostId source_host;
  std::optional<AttemptProgress> progress = std::nullopt;  // states running and finished
  std::int64_t result_bytes = 0;                           // state finished
};

}  // namespace heddle::policies

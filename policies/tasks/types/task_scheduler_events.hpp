// The words of the task scheduler: its settings, what it is told, and what has to happen as a result.
// Hosts, executors and stages are numbers; the owner of the names introduces them (TaskScheduler::introduce_host).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "model/executor_loss.hpp"
#include "model/ids.hpp"
#include "model/locality.hpp"
#include "model/time.hpp"
#include "policies/tasks/types/preferred_location.hpp"
#include "policies/tasks/types/task_resources.hpp"

namespace heddle::policies {

/// One launched attempt, numbered from 0 in launch order over the life of the scheduler.
using LaunchId = StrongId<struct LaunchIdTag>;

/// One attempt of a stage. Written "stage.attempt"; its name in a pool is "TaskSet_stage.attempt".
struct TaskSetKey {
  StageId stage;
  std::int32_t attempt = 0;
  constexpr TaskSetKey() = default;
  constexpr TaskSetKey(StageId of_stage, std::int32_t number) : stage{of_stage}, attempt{number} {}
  auto operator<=>(const TaskSetKey&) const = default;
};

enum class SchedulingMode : std::uint8_t { fifo, fair };
enum class TaskSetKind : std::uint8_t { map, result };

// -- settings ------------------------------------------------------------------

struct PoolSettings {
  std::string name;
  SchedulingMode mode = SchedulingMode::fifo;
  std::int32_t weight = 1;
  std::int32_t min_share = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit("name", self.name);
    visit("mode", self.mode);
    visit("weight", self.weight);
    visit("min_share", self.min_share);
  }
};

/// spark.excludeOnFailure.*
struct ExclusionSettings {
  std::int32_t task_attempts_per_executor = 1;
  std::int32_t task_attempts_per_node = 2;
  std::int32_t stage_failed_tasks_per_executor = 2;
  std::int32_t stage_failed_executors_per_node = 2;
  std::int32_t application_failed_tasks_per_executor = 2;
  std::int32_t application_failed_executors_per_node = 2;
  Duration timeout = std::chrono::hours{1};
  bool kill_excluded_executors = false;
  bool fetch_failure = false;
  /// False: failures exclude for tasks and stages, never for the application (HT-10).
  bool application = true;
  /// False: failures are recorded for the application, but no task set excludes anything (EXC-7).
  bool task_and_stage = true;
  static void visit_fields(auto& visit, auto& self) {
    visit("task_attempts_per_executor", self.task_attempts_per_executor);
    visit("task_attempts_per_node", self.task_attempts_per_node);
    visit("stage_failed_tasks_per_executor", self.stage_failed_tasks_per_executor);
    visit("stage_failed_executors_per_node", self.stage_failed_executors_per_node);
    visit("application_failed_tasks_per_executor", self.application_failed_tasks_per_executor);
    visit("application_failed_executors_per_node", self.application_failed_executors_per_node);
    visit("timeout", self.timeout);
    visit("kill_excluded_executors", self.kill_excluded_executors);
    visit("fetch_failure", self.fetch_failure);
    visit("task_and_stage", self.task_and_stage);
    visit("application", self.application);
  }
};

/// spark.speculation.*
struct SpeculationSettings {
  double quantile = 0.9;
  double multiplier = 3;
  Duration min_runtime = std::chrono::milliseconds{100};
  std::optional<Duration> threshold;
  std::optional<Duration> decommission_kill_interval;
  /// spark.speculation.efficiency.*: below `long_run_factor` limits only attempts slower than this share of the average
  /// are copied.
  bool efficiency = true;  // false: every attempt beyond the limit
  double process_rate_share = 0.75;
  double long_run_factor = 2;
  static void visit_fields(auto& visit, auto& self) {
    visit("quantile", self.quantile);
    visit("multiplier", self.multiplier);
    visit("min_runtime", self.min_runtime);
    visit("threshold", self.threshold);
    visit("decommission_kill_interval", self.decommission_kill_interval);
    visit("efficiency", self.efficiency);
    visit("process_rate_share", self.process_rate_share);
    visit("long_run_factor", self.long_run_factor);
  }
};

/// heddle.locality.adaptive.*: a set waits for places near its data only as long as it can win by it. What is not
/// declared is measured.
struct AdaptiveLocality {
  Duration task_time = Duration::zero();  // of a task near its data
  double far_cost = 0;                    // how much longer it takes away from it; 1: not at all
  static void visit_fields(auto& visit, auto& self) {
    visit("task_time", self.task_time);
    visit("far_cost", self.far_cost);
  }
};

/// heddle.fix.*: where Spark has a fault. False: as Spark.
struct TaskSchedulerFixes {
  /// Spark counts the copies of a task below 0 when a partition was done elsewhere and an executor on which the task
  /// had failed is lost; the task is then never launched again, and its job hangs.
  bool copies_below_zero = true;
  bool reject_of_stale = false;        // heddle.fix.reject_of_stale_entries (TSM-6)
  bool unschedulable_removed = false;  // heddle.fix.unschedulable_removed_for_all (TS-8)
};

struct TaskSchedulerSettings {
  static constexpr std::string_view record = "task_scheduler_settings";
  Duration wait_process = std::chrono::seconds{3};
  Duration wait_node = std::chrono::seconds{3};
  Duration wait_rack = std::chrono::seconds{3};
  bool legacy_reset = false;
  std::optional<AdaptiveLocality> adaptive = std::nullopt;  // then the waits above are upper bounds
  std::int32_t max_failures = 4;
  std::int32_t task_cores = 1;
  std::optional<std::int32_t> executor_cores;
  SchedulingMode mode = SchedulingMode::fifo;
  /// The pools of the pool file; none: there is no file.
  std::optional<std::vector<PoolSettings>> pools;
  bool shuffle_service = false;
  std::optional<ExclusionSettings> exclusion;
  Duration unschedulable_timeout = std::chrono::seconds{120};
  bool dynamic_allocation = false;
  std::optional<SpeculationSettings> speculation;
  /// spark.driver.maxResultSize: bytes that the results of a result set may have in sum; 0: no limit.
  std::int64_t result_bytes_max = 0;
  /// spark.rpc.message.maxSize: bytes that reach it are not sent ahead of a set's tasks (BE-6); 0: no limit.
  std::int64_t description_bytes_max = 0;
  /// Decommissioned executors of which the state can be asked for after they are gone.
  std::int32_t decommissioned_retained = 0;
  /// Decommissions said of executors that are not known yet, and kept until they are; the oldest are forgotten first.
  std::int32_t unknown_decommissions_retained = 0;
  TaskSchedulerFixes fixes;
  static void visit_fields(auto& visit, auto& self) {
    visit("wait_process", self.wait_process);
    visit("wait_node", self.wait_node);
    visit("wait_rack", self.wait_rack);
    visit("legacy_reset", self.legacy_reset);
    visit("adaptive", self.adaptive);
    visit("max_failures", self.max_failures);
    visit("task_cores", self.task_cores);
    visit("executor_cores", self.executor_cores);
    visit("mode", self.mode);
    visit("pools", self.pools);
    visit("shuffle_service", self.shuffle_service);
    visit("exclusion", self.exclusion);
    visit("unschedulable_timeout", self.unschedulable_timeout);
    visit("dynamic_allocation", self.dynamic_allocation);
    visit("speculation", self.speculation);
    visit("result_bytes_max", self.result_bytes_max);
    visit("description_bytes_max", self.description_bytes_max);
    visit("decommissioned_retained", self.decommissioned_retained);
    visit("unknown_decommissions_retained", self.unknown_decommissions_retained);
    visit("fix_copies_below_zero", self.fixes.copies_below_zero);
    visit("fix_reject_of_stale", self.fixes.reject_of_stale);
    visit("fix_unschedulable_removed", self.fixes.unschedulable_removed);
  }
};

/// From more bytes on a description is told to be large (TSM-10).
inline constexpr std::int64_t description_bytes_recommended = 1000 * 1024;

// -- what the scheduler is told ------------------------------------------------

/// The tasks of one stage attempt. Index i is the i-th of `partitions` laid end to end (empty: partition i).
struct TaskSetDescription {
  TaskSetKey key;
  JobId job;  // its number is the priority
  TaskSetKind kind = TaskSetKind::result;
  std::string pool;  // empty: none named; only FAIR looks at it
  std::int32_t tasks = 0;
  std::vector<IndexRange> partitions;
  TaskSetLocations places;
  std::int32_t task_cores = 0;                  // of each task; 0: the setting's
  std::optional<TaskNeed> need = std::nullopt;  // none: cores of an executor of the default profile
  /// All tasks are launched in one round, or none; each has one attempt, and a failure ends the set.
  bool is_barrier = false;
  /// What each task is expected to take near its data against the others, by index, about a mean that is declared or
  /// measured; null: all the same. Only adaptive waits look at it.
  std::shared_ptr<const std::vector<std::int32_t>> expected_shares = nullptr;
  /// What goes ahead to an executor of which all tasks of the set have need; -1: it cannot be put into words.
  std::int64_t description_bytes = 0;
};

/// Free cores of one executor. `detail` has to live as long as the call; none: the default profile, and nothing but
/// cores.
struct SlotOffer {
  ExecutorId executor;
  HostId host;
  std::int32_t free_cores = 0;
  const OfferDetail* detail = nullptr;
};

/// What an executor says about an attempt.
enum class AttemptState : std::uint8_t { running, finished, failed, killed, lost };

/// Why an attempt failed, as far as it changes decisions.
enum class AttemptFailure : std::uint8_t {
  unknown,
  exception,
  not_serializable,
  output_exists,
  fetch_failed,
  result_lost,
  commit_denied
};

/// Records that an attempt has read so far, and how long it has run for them.
struct AttemptProgress {
  std::int64_t records = 0;
  Duration run_time = Duration::zero();
};

struct AttemptStatus {
  AttemptState state = AttemptState::finished;
  AttemptFailure failure = AttemptFailure::unknown;  // state failed
  ExecutorId source_executor;                        // fetch_failed: who should have served; none: not known
  HostId source_host;
  std::optional<AttemptProgress> progress = std::nullopt;  // states running and finished
  std::int64_t result_bytes = 0;                           // state finished
};

// -- what has to happen --------------------------------------------------------

/// Run this attempt. `speculative`: a copy of one that runs. `queued`: assigned ahead, behind what runs on the
/// executor.
struct TaskLaunch {
  LaunchId id;
  TaskSetKey set;
  std::int32_t index = 0;
  std::int32_t partition = 0;
  std::int32_t attempt = 0;
  ExecutorId executor;
  LocalityLevel level = LocalityLevel::any;
  bool speculative = false;
  bool queued = false;
  std::int32_t cores = 1;  // that it holds until it ends
  static void visit_fields(auto& visit, auto& self) {
    visit("id", self.id);
    visit("stage", self.set.stage);
    visit("stage_attempt", self.set.attempt);
    visit("index", self.index);
    visit("partition", self.partition);
    visit("attempt", self.attempt);
    visit("executor", self.executor);
    visit("level", self.level);
    visit("speculative", self.speculative);
    visit("queued", self.queued);
  }
};

enum class AttemptOutcome : std::uint8_t {
  success,
  resubmitted,
  killed,
  exception,
  fetch_failed,
  result_lost,
  commit_denied,
  unknown,
  executor_lost,
  executor_lost_by_application
};

/// An attempt ended. `resubmitted`: one that had succeeded; its output went with its executor and it will run again.
struct TaskEnded {
  LaunchId id;
  TaskSetKey set;
  std::int32_t index = 0;
  std::int32_t partition = 0;
  std::int32_t attempt = 0;
  ExecutorId executor;
  AttemptOutcome outcome = AttemptOutcome::success;
  bool speculative = false;
  bool queued = false;  // assigned ahead, and nobody has said that it ran
  std::int32_t cores = 1;
  static void visit_fields(auto& visit, auto& self) {
    visit("id", self.id);
    visit("partition", self.partition);
    visit("executor", self.executor);
    visit("outcome", self.outcome);
  }
};
struct ExecutorAdded {
  ExecutorId executor;
  HostId host;
  static void visit_fields(auto& visit, auto& self) {
    visit("executor", self.executor);
    visit("host", self.host);
  }
};
struct ExecutorLost {
  ExecutorId executor;
  static void visit_fields(auto& visit, auto& self) { visit("executor", self.executor); }
};
enum class SetFailure : std::uint8_t {
  too_many_failures,
  not_serializable,
  output_exists,
  excluded_everywhere,
  results_too_large,
  barrier_not_placed,
  not_describable,
  description_too_large
};
/// The set is given up. What still runs of it goes on until somebody kills it. `index`: the task that decided it.
/// `results`: how many of its results have come so far, of so many bytes in sum.
struct TaskSetFailed {
  TaskSetKey set;
  SetFailure failure = SetFailure::too_many_failures;
  std::int32_t index = 0;
  std::int32_t results = 0;
  std::int64_t result_bytes = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.set.stage);
    visit("stage_attempt", self.set.attempt);
    visit("failure", self.failure);
    visit("index", self.index);
    visit("results", self.results);
    visit("result_bytes", self.result_bytes);
  }
};
/// What goes ahead of the set's tasks is more than is recommended; told with its first launch.
struct LargeTaskBinary {
  TaskSetKey set;
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.set.stage);
    visit("stage_attempt", self.set.attempt);
  }
};
/// A copy of this task is wanted: it has been running for too long.
struct SpeculativeTaskSubmitted {
  TaskSetKey set;
  std::int32_t index = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.set.stage);
    visit("stage_attempt", self.set.attempt);
    visit("index", self.index);
  }
};
/// Nothing of the set can run on what is there (dynamic allocation gets more), or a task was launched after all.
struct UnschedulableSetAdded {
  TaskSetKey set;
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.set.stage);
    visit("stage_attempt", self.set.attempt);
  }
};
struct UnschedulableSetRemoved {
  TaskSetKey set;
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.set.stage);
    visit("stage_attempt", self.set.attempt);
  }
};
/// Tell the executor to stop the attempt: another one succeeded, or the stage was killed.
struct KillAttempt {
  LaunchId id;
  TaskSetKey set;
  std::int32_t index = 0;
  std::int32_t attempt = 0;
  ExecutorId executor;
  static void visit_fields(auto& visit, auto& self) {
    visit("id", self.id);
    visit("executor", self.executor);
  }
};
/// Kill an executor or all of a host, without changing the target and without counting failures. `idle`: to make room
/// for another.
struct KillExcludedExecutor {
  ExecutorId executor;
  bool idle = false;
  static void visit_fields(auto& visit, auto& self) {
    visit("executor", self.executor);
    visit("idle", self.idle);
  }
};
struct KillExcludedHost {
  HostId host;
  static void visit_fields(auto& visit, auto& self) { visit("host", self.host); }
};
/// No attempt of the set is running and none will be launched: it is forgotten.
struct TaskSetFinished {
  TaskSetKey set;
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.set.stage);
    visit("stage_attempt", self.set.attempt);
  }
};
/// An offer round is due: offer all executors.
struct ReviveOffersWanted {
  static void visit_fields(auto&, auto&) {}
};

using TaskSchedulerEffect =
    std::variant<TaskEnded, ExecutorAdded, ExecutorLost, TaskSetFailed, SpeculativeTaskSubmitted, UnschedulableSetAdded,
                 UnschedulableSetRemoved, KillAttempt, KillExcludedExecutor, KillExcludedHost, TaskSetFinished,
                 ReviveOffersWanted, LargeTaskBinary>;

/// Addresses that a launched attempt may use.
struct LaunchResources {
  LaunchId id;
  std::vector<ResourceShare> shares;
};

/// What a call decided. Launches are in launch order and stand apart because there are many; `events` are in their
/// order and come first. The caller clears it between calls.
struct TaskSchedulerEffects {
  std::vector<TaskLaunch> launches;
  std::vector<TaskSchedulerEffect> events;
  std::vector<LaunchResources> resources;  // of launches that need any
  void clear() {
    launches.clear();
    events.clear();
    resources.clear();
  }
  /// What a digest covers; resources follow from the launches.
  [[nodiscard]] auto lists() const { return std::tie(events, launches); }
};

// -- what can be asked ---------------------------------------------------------

/// Progress of one set, kept as it changes. Indices below `tasks` are pending, assigned, running or finished.
struct TaskSetProgress {
  TaskSetKey key;
  std::int32_t tasks = 0;
  std::int32_t running = 0;                    // attempts
  std::int32_t queued = 0;                     // attempts assigned ahead
  std::int32_t successful = 0;                 // indices
  std::int32_t failures = 0;                   // attempts that ended in another way than success
  std::int32_t speculative = 0;                // copies launched
  std::int64_t launched[5] = {0, 0, 0, 0, 0};  // attempts by LocalityLevel
  bool large_description = false;              // as it was told
  bool zombie = false;                         // launches nothing any more
  bool finished = false;                       // forgotten at the next round or submission
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
  LocalityLevel allowed = LocalityLevel::any;  // the farthest level that may be taken now
  std::int32_t index = -1;                     // the task that is looked at: the next one that waits
  std::string holder;                          // who has what is missing: a set, attempts, hosts; empty: nobody
  std::optional<Instant> ask_again;            // when the next level opens, or the set is given up
  std::int32_t after_rounds = 0;               // the answer can change with so many rounds; 0: not with a round alone
  std::string text;                            // one sentence for a person
};

/// Since when an executor is being decommissioned; `host`: its whole host is.
struct DecommissionState {
  Instant since;
  std::optional<HostId> host;
};

}  // namespace heddle::policies

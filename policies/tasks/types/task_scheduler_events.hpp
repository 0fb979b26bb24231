// Settings and effects of the task scheduler, and the types of its inputs. Hosts, executors and stages are numbers; the
// owner of the names registers them (task_input::HostIntroduced).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

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
  /// spark.speculation.efficiency.*: after less than `long_run_factor` limits, only attempts slower than this share of
  /// the average are copied.
  bool efficiency = true;  // false: every attempt over the limit is copied
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

/// heddle.locality.adaptive.*: a set waits for local slots only while the wait pays. Values that are not declared are
/// measured.
struct AdaptiveLocality {
  Duration task_time = Duration::zero();  // of a local task; zero: measured
  double far_cost = 0;                    // how much longer a task runs without local data; 1: no longer
  static void visit_fields(auto& visit, auto& self) {
    visit("task_time", self.task_time);
    visit("far_cost", self.far_cost);
  }
};

/// heddle.fix.*: faults of Spark that are fixed if true.
struct TaskSchedulerFixes {
  /// In Spark the count of attempts of a task falls below 0 if another attempt finished its partition and an executor
  /// on which the task had failed is lost. The task is then never launched again, and its job hangs.
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
  std::optional<AdaptiveLocality> adaptive = std::nullopt;  // if set, the waits above are upper bounds
  std::int32_t max_failures = 4;
  std::int32_t task_cores = 1;
  std::optional<std::int32_t> executor_cores;
  SchedulingMode mode = SchedulingMode::fifo;
  /// The pools of the pool file; none if there is no file.
  std::optional<std::vector<PoolSettings>> pools;
  bool shuffle_service = false;
  std::optional<ExclusionSettings> exclusion;
  Duration unschedulable_timeout = std::chrono::seconds{120};
  bool dynamic_allocation = false;
  std::optional<SpeculationSettings> speculation;
  /// spark.driver.maxResultSize: bytes of all results of a result set; 0: no limit.
  std::int64_t result_bytes_max = 0;
  /// spark.rpc.message.maxSize: a stage description of this many bytes or more is not sent (BE-6); 0: no limit.
  std::int64_t description_bytes_max = 0;
  /// Number of removed executors whose decommissioning state is kept for questions.
  std::int32_t decommissioned_retained = 0;
  /// Number of decommissions of unknown executors that are kept until the executor is offered. The oldest are dropped
  /// first.
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

/// Stage descriptions of more bytes cause a warning (TSM-10).
inline constexpr std::int64_t description_bytes_recommended = 1000 * 1024;

// -- inputs ----------------------------------------------------------------------

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
  /// Bytes of the stage description, which executors get before the tasks; -1: it cannot be serialized.
  std::int64_t description_bytes = 0;
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
  commit_denied
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

/// Why an executor is gone. `pending`: the reason is still asked for; its tasks stay as they are until it is known.
enum class LossKind : std::uint8_t { exited, process_lost, killed, pending, decommissioned };
struct LossReason {
  LossKind kind = LossKind::process_lost;
  bool by_application = true;  // exited and process_lost: counts against the tasks
};

// -- effects ---------------------------------------------------------------------

/// Run this attempt. `speculative`: a copy of a running attempt. `queued`: behind the running tasks of the executor.
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
  std::int32_t cores = 1;  // in use until the attempt ends
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

/// An attempt ended. `resubmitted`: an earlier success whose output was lost with its executor; the task runs again.
struct TaskEnded {
  LaunchId id;
  TaskSetKey set;
  std::int32_t index = 0;
  std::int32_t partition = 0;
  std::int32_t attempt = 0;
  ExecutorId executor;
  AttemptOutcome outcome = AttemptOutcome::success;
  bool speculative = false;
  bool queued = false;  // queued ahead, and never reported as running
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
/// The set is aborted. Its running attempts continue until they are killed. `index`: the task that caused it.
/// `results`: number of results received so far, with `result_bytes` in total.
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
/// The stage description of the set is larger than recommended. Pushed with the first launch of the set.
struct LargeTaskBinary {
  TaskSetKey set;
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.set.stage);
    visit("stage_attempt", self.set.attempt);
  }
};
/// The task runs too long and a copy of it is to be launched.
struct SpeculativeTaskSubmitted {
  TaskSetKey set;
  std::int32_t index = 0;
  static void visit_fields(auto& visit, auto& self) {
    visit("stage", self.set.stage);
    visit("stage_attempt", self.set.attempt);
    visit("index", self.index);
  }
};
/// No executor can run a task of the set (dynamic allocation requests more), or a task was launched after all.
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
/// Kill the attempt: another attempt succeeded, or the stage was killed.
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
/// Kill an executor or all executors of a host, without changing the target and without counting failures. `idle`: to
/// make room for another executor.
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
/// No attempt of the set runs and none will be launched. The scheduler removes the set.
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

/// Addresses of devices for a launched attempt.
struct LaunchResources {
  LaunchId id;
  std::vector<ResourceShare> shares;
};

/// Effects of one input. Launches are in launch order, in their own list because there are many; the role applies
/// `events` first, in their order. The caller clears it between calls.
struct TaskSchedulerEffects {
  std::vector<TaskLaunch> launches;
  std::vector<TaskSchedulerEffect> events;
  std::vector<LaunchResources> resources;  // for launches that need devices
  void clear() {
    launches.clear();
    events.clear();
    resources.clear();
  }
  /// The lists that a digest covers; resources follow from the launches.
  [[nodiscard]] auto lists() const { return std::tie(events, launches); }
};

// -- questions --------------------------------------------------------------------

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
  bool large_description = false;              // a warning was reported
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

// Decides how many executors the application requests, when, and which idle executors are removed. Order: profiles
// ascending; executors to remove by the decimal text of their ids. A poll is suspended while it needs an answer. Cost
// per listener event: constant in executors and tasks; per poll with nothing due: constant per profile. Source: Spark
// 3.5's ExecutorAllocationManager (spec EAM-1 to EAM-15) with its ExecutorMonitor. If `dynamic` is false the number is
// fixed and requested once, at the start.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/ids.hpp"
#include "model/preferred_location.hpp"
#include "model/result.hpp"
#include "model/time.hpp"
#include "policies/executors/allocation_inputs.hpp"
#include "policies/executors/executor_monitor.hpp"
#include "policies/tasks/types/index_bits.hpp"

namespace heddle::policies {

/// Checks the rules between settings (EAM-1). The error names the first broken rule.
[[nodiscard]] Result<Done> validate(const ExecutorAllocationSettings& settings);

/// Why a profile does not get more executors.
enum class AllocationRefusal : std::uint8_t {
  none,
  fixed_number,
  initial_number,
  at_maximum,
  enough,
  no_backlog,
  backlog_must_last
};

struct AllocationExplanation {
  AllocationRefusal refusal = AllocationRefusal::none;
  std::int32_t target = 0;
  std::int32_t needed = 0;
  std::int32_t to_add = 0;
  std::optional<Instant> next_add;
  std::string text;
};

/// Decides about executors. One overload of apply per event of Spark's listener bus; PollDue runs the poll.
class ExecutorAllocation {
public:
  explicit ExecutorAllocation(ExecutorAllocationSettings settings);

  using Inputs = allocation_input::Input;
  using Effects = AllocationEffects;

  // Inputs; the comment of each is at its struct.
  void apply(Instant now, const allocation_input::Started& input, AllocationEffects& effects);
  void apply(Instant now, const allocation_input::PollDue& input, AllocationEffects& effects);
  void apply(Instant now, const allocation_input::RequestAnswered& input, AllocationEffects& effects);
  void apply(Instant now, const allocation_input::KillAnswered& input, AllocationEffects& effects);
  void apply(Instant now, const allocation_input::ProfileDescribed& input);
  void apply(Instant now, const allocation_input::Reset& input);
  void apply(Instant now, const allocation_input::StageBegun& input, AllocationEffects& effects);
  void apply(Instant now, const allocation_input::StageEnded& input);
  void apply(Instant now, const allocation_input::TaskStarted& input);
  void apply(Instant now, const allocation_input::TaskStopped& input);
  void apply(Instant now, const allocation_input::CopySubmitted& input);
  void apply(Instant now, const allocation_input::SetUnschedulable& input);
  void apply(Instant now, const allocation_input::SetSchedulable& input);
  void apply(Instant now, const allocation_input::JobBegun& input);
  void apply(Instant now, const allocation_input::JobDone& input);
  void apply(Instant now, const allocation_input::ExecutorActive& input);
  void apply(Instant now, const allocation_input::ExecutorRegistered& input);
  std::optional<RemovalKind> apply(Instant now, const allocation_input::ExecutorGone& input);
  void apply(Instant now, const allocation_input::BlockUpdated& input);
  void apply(Instant now, const allocation_input::DatasetDropped& input);
  void apply(Instant now, const allocation_input::ShuffleDropped& input);

  // -- time ------------------------------------------------------------------------
  /// The next poll that can change something. None if the number is fixed or nothing can change.
  [[nodiscard]] std::optional<Instant> next_due() const;

  // -- questions -------------------------------------------------------------------
  /// None if the profile is unknown.
  [[nodiscard]] std::optional<std::int32_t> target(ProfileId profile) const;
  [[nodiscard]] std::optional<std::int32_t> to_add(ProfileId profile) const;
  [[nodiscard]] std::int32_t needed(ProfileId profile) const;
  [[nodiscard]] std::optional<Instant> add_time() const { return add_time_; }
  [[nodiscard]] const ExecutorMonitor& monitor() const { return monitor_; }
  [[nodiscard]] AllocationExplanation explain(ProfileId profile) const;
  void check_invariants() const;

private:
  /// Contribution of one stage attempt. Removed when the attempt has neither tasks nor hints.
  struct Attempt {
    std::optional<ProfileId> profile;   // profile whose sums include it; none: not counted
    std::optional<std::int32_t> tasks;  // set while the attempt is active
    std::int32_t running = 0;
    std::optional<IndexBits> started;              // task indices that started and have not failed since
    std::optional<IndexBits> speculative_running;  // task indices with a running copy
    std::optional<IndexBits> speculative_pending;  // task indices whose copy is requested
    bool is_unschedulable = false;
    std::optional<ProfileId> hint_profile;  // profile whose hints include the next two
    std::int32_t locality_tasks = 0;
    std::vector<HostTasks> hosts;      // ascending
    std::int32_t counted_pending = 0;  // contribution to the sums of its profile
    std::int32_t counted_speculative = 0;
    std::int32_t counted_running = 0;
    bool counted_unschedulable = false;
  };
  struct Profile {
    std::int32_t target = -1;  // -1: no target yet
    std::int32_t to_add = -1;
    std::int64_t pending = 0;  // sums over the attempts of the profile
    std::int64_t speculative = 0;
    std::int64_t running = 0;
    std::int32_t unschedulable = 0;
    std::int32_t locality_tasks = 0;
    std::map<HostId, std::int32_t> hosts;
    // Change the target. Return the difference.
    std::int32_t lower(std::int32_t wanted, const ExecutorAllocationSettings& settings);
    std::int32_t raise(std::int32_t wanted, std::int32_t executors, const ExecutorAllocationSettings& settings);
  };
  /// Stage attempts with tasks or copies.
  struct Backlog {
    std::int32_t active_attempts = 0;  // with a known number of tasks
    std::int32_t attempts_with_pending = 0;
    std::int32_t attempts_with_speculative = 0;  // with pending copies
    std::int32_t speculative_sets = 0;  // sets of copies, pending or started, of stage attempts that are not completed
    [[nodiscard]] bool has_pending_tasks() const { return attempts_with_pending > 0 || attempts_with_speculative > 0; }
  };
  /// A change of target whose request is not answered yet.
  struct Update {
    std::int32_t profile = 0;
    std::int32_t delta = 0;
    std::int32_t old_target = 0;
  };
  using AttemptKey = std::pair<StageId, std::int32_t>;

  Profile& profile(ProfileId id);
  void recount(Attempt& attempt);
  void drop_if_unused(AttemptKey key);
  void set_hints(Attempt& attempt, const std::vector<IndexRange>& partitions, const TaskSetLocations& places);
  void drop_hints(Attempt& attempt);
  void mark_backlog(Instant now);
  void mark_drained();
  void update_targets(Instant now, AllocationEffects& effects);
  void remove_timed_out(const std::vector<ExecutorMonitor::TimedOut>& timed_out, AllocationEffects& effects);
  [[nodiscard]] RequestExecutorTotals totals(bool needs_answer) const;

  ExecutorAllocationSettings settings_;
  ExecutorMonitor monitor_;
  std::vector<Profile> profiles_;
  std::map<AttemptKey, Attempt> attempts_;
  Backlog backlog_;
  std::optional<Instant> add_time_;
  bool is_initializing_ = true;
  std::vector<ExecutorMonitor::TimedOut> to_remove_;  // of the poll that waits for an answer
  std::vector<Update> updates_;                       // of the request that waits for an answer
  bool awaits_request_ = false;
  bool awaits_kill_ = false;
  Instant last_poll_{};
  bool has_started_ = false;
  bool has_changed_ = false;  // since the last poll
};

}  // namespace heddle::policies

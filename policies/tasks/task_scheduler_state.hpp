// The tables of the task scheduler and the steps that its events share. Private to task_scheduler*.cpp.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "policies/tasks/application_health.hpp"
#include "policies/tasks/offer_deadlines.hpp"
#include "policies/tasks/task_pools.hpp"
#include "policies/tasks/task_scheduler.hpp"
#include "policies/tasks/task_set.hpp"
#include "policies/tasks/types/attempt_table.hpp"
#include "policies/tasks/types/executor_directory.hpp"

namespace heddle::policies {

struct TaskSchedulerState {
  using Effects = TaskSchedulerEffects;

  /// One offer during a round, as far as it still has room.
  struct OpenOffer {
    OfferPlace place;
    std::int32_t free_cores = 0;
    std::int32_t detail = -1;  // in open_details; -1: the default profile, and nothing but cores
  };
  struct OpenDetail {
    ProfileId profile;
    FreeShares free;
  };
  /// A task of a barrier set that has a place in this round, and is launched if all have.
  struct PlacedTask {
    std::size_t offer = 0;  // in open
    TaskSet::Dequeued task;
    std::vector<ResourceShare> shares;
  };
  /// What a pass, or all passes of one set, came to.
  struct PassResult {
    bool launched = false;
    bool rejected = false;
    LocalityLevel nearest = LocalityLevel::any;
  };
  /// A set that can run nowhere is given up at `expiry`. The row outlives the set, as in the original.
  struct Unschedulable {
    Instant expiry;
    std::int32_t index = 0;
    bool has_fired = false;
    std::uint64_t order = 0;  // in which the timers were set
  };
  /// A timer is not taken back: the first one that runs out at a time counts.
  struct AbortTimer {
    Instant expiry;
    std::uint64_t order = 0;  // 0: none was set yet
  };

  explicit TaskSchedulerState(TaskSchedulerSettings given) : settings{std::move(given)}, pools{settings} {
    if (settings.exclusion) health.emplace(*settings.exclusion, settings.shuffle_service);
  }

  // -- sets (task_scheduler.cpp) -------------------------------------------------
  TaskSetSlot make_set(Instant now, const TaskSetDescription& description);
  /// The slot of a set that is known or has just finished; no_set: none.
  [[nodiscard]] TaskSetSlot slot_of(TaskSetKey key) const;
  [[nodiscard]] const TaskSet* find_set(TaskSetKey key) const;
  void explain(Instant now, TaskSetSlot slot, TaskSetExplanation& explanation) const;
  /// The first set before this one in pool order in which a task really waits; no_set: none.
  [[nodiscard]] TaskSetSlot set_ahead_of(TaskSetSlot slot) const;
  /// Forgets a zombie without running attempts.
  void maybe_finish(Instant now, TaskSetSlot slot, Effects& effects);
  /// A task has to run (again).
  void add_pending(TaskSet& set, std::int32_t index) {
    set.add_pending(index, directory);
    pools.note_waiting(set);
  }
  void abort(Instant now, TaskSetSlot slot, SetFailure failure, std::int32_t index, Effects& effects);
  /// When executors or hosts are let go of that a waiting set could use, unless that was told.
  [[nodiscard]] std::optional<Instant> next_exclusion_expiry() const;
  /// Gives back the slots of sets that are finished and that no timer holds.
  void sweep_finished();

  // -- rounds (task_rounds.cpp) --------------------------------------------------
  bool register_offers(Instant now, std::span<const SlotOffer> offers, Effects& effects);
  void take_decommission_said_before(Instant now, std::int32_t executor);
  void open_offers(std::span<const SlotOffer> given);
  void offer_to_set(Instant now, TaskSetSlot slot, bool is_full, Effects& effects);
  /// The set had its turn: when all executors have to be offered for it, if some were refused and may take more.
  void update_deadline(Instant now, TaskSetSlot slot, const LocalityWaits::Timer& before, bool is_full);
  void offer_at_level(Instant now, TaskSetSlot slot, LocalityLevel level, PassResult& result, Effects& effects);
  bool offer_slot(Instant now, TaskSetSlot slot, OpenOffer& offer, LocalityLevel level, PassResult& result,
                  Effects& effects);
  /// A task of the set is about to be launched. False: its description cannot go ahead, and the set is given up.
  bool may_describe(Instant now, TaskSetSlot slot, std::int32_t index, Effects& effects);
  AttemptSlot launch(Instant now, TaskSetSlot slot, const OfferPlace& place, const TaskSet::Dequeued& task, bool queued,
                     Effects& effects);
  /// What is told of a launch.
  [[nodiscard]] TaskLaunch launch_of(const LiveAttempt& attempt) const;
  /// Whether a task of the set could run on the offer, cores apart; leaves in `assigning` what it would take.
  [[nodiscard]] bool has_what_it_needs(const TaskSet& set, const OpenOffer& offer);
  /// True if some slot that the last round left has it. Precondition: the set needs something.
  [[nodiscard]] bool has_what_it_needs(const TaskSet& set) const;
  void take_assigned(const OpenOffer& offer, Effects& effects);
  /// How many tasks of the set fit into what is open, places apart.
  [[nodiscard]] std::int64_t slots_for_set(const TaskSet& set) const;
  void place(OpenOffer& offer, TaskSet& set, const TaskSet::Dequeued& task);
  /// Launches the placed tasks of a barrier set if they are all, or takes them back.
  void settle_placed(Instant now, TaskSetSlot slot, Effects& effects);
  void find_least_cores();
  /// Sets that a launch took off the list of unschedulable sets, and that still are, are looked at again.
  void look_again_at_freed(Instant now);
  void look_for_unschedulable(Instant now, TaskSetSlot slot, Effects& effects);
  [[nodiscard]] bool can_run_nowhere(const TaskSet& set, std::int32_t index) const;

  // -- endings (task_endings.cpp) ------------------------------------------------
  void start_running(AttemptSlot slot);
  /// Takes the attempt off the running attempts and off the tables. What it was is in the copy that is returned.
  LiveAttempt end_attempt(AttemptSlot slot);
  void succeed(Instant now, AttemptSlot slot, Effects& effects);
  /// True if the result still fits; else the set is given up and the attempt counts as killed (TSM-17).
  bool take_result(Instant now, AttemptSlot slot, std::int64_t bytes, Effects& effects);
  struct Failing {
    AttemptOutcome outcome = AttemptOutcome::unknown;
    bool not_serializable = false;
    bool output_exists = false;
    std::int32_t source_executor = -1;
    HostId source_host;
  };
  /// True if the attempt's task has to run again.
  bool fail(Instant now, AttemptSlot slot, const Failing& failing, Effects& effects);
  void count_failure(Instant now, TaskSetSlot slot, const LiveAttempt& attempt, Effects& effects);
  void remember_map(const TaskSet& set, const LiveAttempt& attempt);
  void remove_executor(Instant now, std::int32_t executor, LossReason reason, Effects& effects);
  void resubmit_lost_maps(std::int32_t number, TaskSetSlot slot, const std::vector<EndedMapAttempt>& ended,
                          LossReason reason, Effects& effects);
  void fail_on_lost_executor(Instant now, TaskSetSlot slot, std::int32_t executor, LossReason reason, Effects& effects);
  void tell_ended(const TaskSet& set, const LiveAttempt& attempt, AttemptOutcome outcome, Effects& effects) const;

  // -- tables --------------------------------------------------------------------
  TaskSchedulerSettings settings;
  ExecutorDirectory directory;
  AttemptTable attempts;
  TaskSets sets;
  std::vector<TaskSetSlot> free_sets;
  std::vector<TaskSetSlot> finished_sets;
  std::map<StageId, std::map<std::int32_t, TaskSetSlot>> by_stage;
  TaskPools pools;
  std::optional<ApplicationHealth> health;
  std::map<TaskSetSlot, Unschedulable> unschedulable;
  std::map<TaskSetSlot, AbortTimer> abort_timers;
  std::uint64_t timers_set = 0;
  std::uint64_t next_order = 0;
  LocalityHistory locality_history;
  std::int32_t sets_with_cores = 0;  // sets that know and need other cores than the setting says
  OfferDeadlines offer_deadlines;
  std::optional<Instant> expiry_told;  // of an exclusion: all executors were offered for it
  std::deque<std::pair<std::int32_t, DecommissionState>> gone_decommissioned;  // oldest first
  std::deque<std::pair<std::int32_t, bool>> unknown_decommissions;  // executor, its whole host too; oldest first

  // -- room for a round, kept between rounds ---------------------------------------
  std::vector<OpenOffer> open;
  std::vector<OpenDetail> open_details;
  std::vector<ResourceShare> assigning;  // to the task that is about to be launched
  std::vector<PlacedTask> placed;        // of the barrier set that is looked at
  std::vector<TaskSetSlot> freed;        // from the list of unschedulable sets
  std::int32_t open_with_room = 0;       // offers with at least `least_cores`
  std::int32_t least_cores = 1;          // that a task of any set needs
};

}  // namespace heddle::policies

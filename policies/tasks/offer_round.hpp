// One offer round: the free part of each offer, and the assignment of tasks to slots. Kept between rounds to reuse its
// memory. Order and cost: see task_scheduler.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policies/tasks/task_pools.hpp"
#include "policies/tasks/task_set.hpp"
#include "policies/tasks/types/task_descriptions.hpp"
#include "policies/tasks/types/task_effects.hpp"
#include "policies/tasks/types/task_resources.hpp"

namespace heddle::policies {

struct TaskSchedulerState;

class OfferRound {
public:
  /// The free part of one offer during a round.
  struct OpenOffer {
    OfferPlace place;
    std::int32_t free_cores = 0;
    std::int32_t detail = -1;  // index in open_details; -1: default profile, cores only
  };
  /// Result of one pass, or of all passes of one set.
  struct PassResult {
    bool launched = false;
    bool rejected = false;
    LocalityLevel nearest = LocalityLevel::any;
  };

  void open_offers(const TaskSchedulerState& state, std::span<const SlotOffer> given);
  void offer_to_set(TaskSchedulerState& state, Instant now, TaskSetSlot slot, bool is_full,
                    TaskSchedulerEffects& effects);
  void offer_at_level(TaskSchedulerState& state, Instant now, TaskSetSlot slot, LocalityLevel level, PassResult& result,
                      TaskSchedulerEffects& effects);
  bool offer_slot(TaskSchedulerState& state, Instant now, TaskSetSlot slot, OpenOffer& offer, LocalityLevel level,
                  PassResult& result, TaskSchedulerEffects& effects);
  void find_least_cores(const TaskSchedulerState& state);
  /// True if the round did not check some sets: they had a launch, or another set removed them from the list.
  [[nodiscard]] bool needs_unschedulable_check() const { return !unchecked_sets.empty(); }
  /// Requests another round to check these sets, unless nothing was launched.
  void schedule_unschedulable_check(TaskSchedulerState& state, Instant now, bool has_launched);
  /// True if a slot that the last round left free has the resources. Precondition: the set needs resources besides
  /// cores.
  [[nodiscard]] bool has_needed_resources(const TaskSet& set) const;
  /// Number of tasks of the set that fit into the open offers, ignoring locality.
  [[nodiscard]] std::int64_t slots_for_set(const TaskSet& set) const;

  std::vector<OpenOffer> open;
  std::int32_t open_with_room = 0;  // offers with at least `least_cores`
  bool is_partly_placed = false;    // a barrier set was placed in part by the last round over all executors, or later

private:
  struct OpenDetail {
    ProfileId profile;
    FreeShares free;
  };
  /// A task of a barrier set with a slot in this round. Launched only if all tasks of the set get a slot.
  struct PlacedTask {
    std::size_t offer = 0;  // index in open
    TaskSet::Dequeued task;
    std::vector<ResourceShare> shares;
  };

  /// True if the offer has the resources of a task besides cores. Stores in `assigning` what the task would use.
  [[nodiscard]] bool has_needed_resources(const TaskSet& set, const OpenOffer& offer);
  void use_assigned(const OpenOffer& offer, TaskSchedulerEffects& effects);
  void place(OpenOffer& offer, TaskSet& set, const TaskSet::Dequeued& task);
  /// Launches the placed tasks of a barrier set if all tasks are placed; otherwise returns them to the pending lists.
  void launch_or_revert_placed(TaskSchedulerState& state, Instant now, TaskSetSlot slot, TaskSchedulerEffects& effects);

  std::vector<OpenDetail> open_details;
  std::vector<ResourceShare> assigning;  // resources of the task that is launched next
  std::vector<PlacedTask> placed;        // of the current barrier set
  std::vector<TaskSetSlot> unchecked_sets;
  std::int32_t least_cores = 1;  // smallest number of cores that a task of any set needs
};

}  // namespace heddle::policies

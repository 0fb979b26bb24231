// One round of offers: what of each offer is still free, and which slot gets which task. Kept between rounds for its
// memory. Order and cost: see task_scheduler.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policies/tasks/task_pools.hpp"
#include "policies/tasks/task_set.hpp"
#include "policies/tasks/types/task_resources.hpp"

namespace heddle::policies {

struct TaskSchedulerState;

class OfferRound {
public:
  /// One offer during a round, as far as it still has room.
  struct OpenOffer {
    OfferPlace place;
    std::int32_t free_cores = 0;
    std::int32_t detail = -1;  // in open_details; -1: the default profile, and nothing but cores
  };
  /// What a pass, or all passes of one set, came to.
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
  /// Sets may be unschedulable that this round did not look at: they had a launch, or one took them off the list.
  [[nodiscard]] bool has_to_look() const { return !to_look_at.empty(); }
  /// Another round is due for those that are, unless nothing was launched.
  void look_for_unschedulable_later(TaskSchedulerState& state, Instant now, bool has_launched);
  /// True if some slot that the last round left has it. Precondition: the set needs something.
  [[nodiscard]] bool has_what_it_needs(const TaskSet& set) const;
  /// How many tasks of the set fit into what is open, places apart.
  [[nodiscard]] std::int64_t slots_for_set(const TaskSet& set) const;

  std::vector<OpenOffer> open;
  std::int32_t open_with_room = 0;  // offers with at least `least_cores`
  bool is_partly_placed = false;    // a barrier set, by the last round over all executors or a later one

private:
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

  /// Whether a task of the set could run on the offer, cores apart; leaves in `assigning` what it would take.
  [[nodiscard]] bool has_what_it_needs(const TaskSet& set, const OpenOffer& offer);
  void take_assigned(const OpenOffer& offer, TaskSchedulerEffects& effects);
  void place(OpenOffer& offer, TaskSet& set, const TaskSet::Dequeued& task);
  /// Launches the placed tasks of a barrier set if they are all, or takes them back.
  void settle_placed(TaskSchedulerState& state, Instant now, TaskSetSlot slot, TaskSchedulerEffects& effects);

  std::vector<OpenDetail> open_details;
  std::vector<ResourceShare> assigning;  // to the task that is about to be launched
  std::vector<PlacedTask> placed;        // of the barrier set that is looked at
  std::vector<TaskSetSlot> to_look_at;
  std::int32_t least_cores = 1;  // that a task of any set needs
};

}  // namespace heddle::policies

// Number of executors: growth, limits, need, unschedulable sets. C-EAM-nn are numbered cases of the specification.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "tests/policies/executors/allocation_script.hpp"

namespace heddle::policies {
namespace executor_allocation_test {

namespace {

using Ints = std::vector<std::int32_t>;
using Allocation = AllocationScript;

}  // namespace

BOOST_AUTO_TEST_SUITE(executor_allocation)

// C-EAM-01
BOOST_AUTO_TEST_CASE(bounds_are_checked_against_each_other) {
  struct Row {
    std::int32_t least;
    std::int32_t most;
    bool is_fine;
  };
  for (const Row& row :
       {Row{-1, 5, false}, Row{0, -1, false}, Row{2, 1, false}, Row{0, 0, false}, Row{1, 1, true}, Row{1, 2, true}}) {
    BOOST_TEST(validate(Allocation::settings_of(row.least, row.most, 1, {1}, 1.0, false)).has_value() == row.is_fine);
  }
  auto settings = Allocation::settings_of(1, 2, 1, {1}, 0.0, false);
  BOOST_TEST(!validate(settings).has_value());
  settings.ratio = 1.0;
  settings.monitor.shuffle_tracking = false;
  BOOST_TEST(!validate(settings).has_value());
  settings.reliable_shuffle_storage = true;
  BOOST_TEST(validate(settings).has_value());
}

// C-EAM-02
BOOST_AUTO_TEST_CASE(the_first_request_is_the_initial_number) {
  Allocation it{1, 5, 1};
  BOOST_TEST(it.target() == 1);
  BOOST_TEST(it.to_add() == 1);
  BOOST_TEST(it.add_time_ms() == -1);
  BOOST_TEST(it.requests.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_fixed_number_is_asked_for_once_and_never_again) {
  ExecutorAllocationSettings settings;
  settings.dynamic = false;
  settings.executors_initial = 7;
  ExecutorAllocation decider{settings};
  AllocationEffects effects;
  decider.apply(Instant{}, allocation_input::Started{}, effects);
  decider.apply(Instant{}, allocation_input::StageBegun{StageId{0}, 0, 100, ProfileId{0}, {IndexRange{0, 100}}, {}},
                effects);
  decider.apply(Instant{}, allocation_input::ExecutorRegistered{ExecutorId{0}, ProfileId{0}});
  decider.apply(Instant{}, allocation_input::TaskStarted{StageId{0}, 0, 0, ExecutorId{0}, false});
  decider.apply(Instant{} + std::chrono::hours{1}, allocation_input::PollDue{}, effects);
  BOOST_TEST(effects.size() == 1U);
  const auto& request = std::get<RequestExecutorTotals>(effects[0]);
  BOOST_TEST(request.profiles.size() == 1U);
  BOOST_TEST(request.profiles[0].total == 7);
  BOOST_TEST(!request.needs_answer);
  BOOST_TEST(!decider.next_due().has_value());
}

// C-EAM-03, C-EAM-36
BOOST_AUTO_TEST_CASE(adds_double_while_they_are_granted_in_full) {
  Allocation it{1, 10, 1};
  it.submit(0, 1'000);
  Ints targets;
  Ints to_add;
  for (int round = 0; round < 6; ++round) {
    it.poll(2'000);
    targets.push_back(it.target());
    to_add.push_back(it.to_add());
    it.add(1, it.target());
  }
  BOOST_TEST((targets == Ints{2, 4, 8, 10, 10, 10}));
  BOOST_TEST((to_add == Ints{2, 4, 8, 1, 1, 1}));
}

// C-EAM-04, C-EAM-05
BOOST_AUTO_TEST_CASE(profiles_grow_on_their_own) {
  Allocation it{1, 10, 1, {1, 1}};
  BOOST_TEST(it.target(1) == -1);
  it.submit(0, 1'000, 0);
  it.submit(1, 1'000, 1);
  BOOST_TEST(it.requests.size() == 2U);
  Ints first;
  Ints second;
  for (int round = 0; round < 4; ++round) {
    it.poll(2'000);
    first.push_back(it.target(0));
    second.push_back(it.target(1));
  }
  BOOST_TEST((first == Ints{2, 4, 8, 10}));
  BOOST_TEST(first == second);
}

BOOST_AUTO_TEST_CASE(a_profile_that_is_described_later_counts_with_its_own_tasks_per_executor) {
  Allocation it{0, 100, 0};
  it.decider.apply(Instant{}, allocation_input::ProfileDescribed{ProfileId{2}, 4});
  it.submit(0, 9, 2);
  BOOST_TEST(it.decider.needed(ProfileId{2}) == 3);
  it.submit(1, 9, 1);  // the profile is not described
  BOOST_TEST(it.decider.needed(ProfileId{1}) == 9);
}

// C-EAM-09
BOOST_AUTO_TEST_CASE(the_ratio_asks_for_less_than_full_parallelism) {
  struct Row {
    std::int32_t tasks_per_executor;
    double ratio;
    std::int32_t target;
  };
  for (const Row& row : {Row{1, 0.5, 10}, Row{1, 1.0 / 3.0, 7}, Row{2, 1.0 / 3.0, 4}, Row{1, 0.385, 8}, Row{1, 1.0, 15},
                         Row{4, 1.0 / 3.0, 3}}) {
    Allocation it{3, 15, 3, {row.tasks_per_executor}, row.ratio};
    it.submit(0, 20);
    for (int round = 0; round < 6; ++round) it.poll(2'000);
    BOOST_TEST(it.target() == row.target);
  }
}

// C-EAM-10, C-EAM-37
BOOST_AUTO_TEST_CASE(adds_stop_at_the_need_and_go_on_with_the_next_poll_after_new_tasks) {
  Allocation it{0, 10, 0};
  it.submit(0, 5);
  Ints targets;
  for (int round = 0; round < 3; ++round) {
    it.poll(2'000);
    targets.push_back(it.target());
  }
  BOOST_TEST((targets == Ints{1, 3, 5}));
  BOOST_TEST(it.to_add() == 1);
  it.poll(2'000);
  BOOST_TEST(it.target() == 5);
  it.submit(1, 3);
  it.start(1, 0, 1);
  it.poll(100);
  BOOST_TEST(it.target() == 6);
  BOOST_TEST(it.to_add() == 2);
  it.poll(2'000);
  BOOST_TEST(it.target() == 8);
}

// C-EAM-11
BOOST_AUTO_TEST_CASE(executors_are_added_for_copies_too) {
  Allocation it{0, 10, 0};
  it.submit(0, 2);
  it.decider.apply(it.now, allocation_input::CopySubmitted{StageId{0}, 0, 0});
  it.poll(2'000);
  BOOST_TEST(it.target() == 1);
  it.decider.apply(it.now, allocation_input::CopySubmitted{StageId{0}, 0, 1});
  it.decider.apply(it.now, allocation_input::CopySubmitted{StageId{0}, 0, 2});
  it.poll(2'000);
  BOOST_TEST(it.target() == 3);
  it.poll(2'000);
  BOOST_TEST(it.target() == 5);
  BOOST_TEST(it.to_add() == 1);
  it.start(0, 0, 1);
  it.poll(2'000);
  BOOST_TEST(it.target() == 5);
  it.start(0, 0, 2, true);
  it.poll(2'000);
  BOOST_TEST(it.target() == 5);
}

BOOST_AUTO_TEST_CASE(copies_are_needed_until_they_start) {
  Allocation it{0, 10, 0};
  it.submit(0, 2);
  it.decider.apply(it.now, allocation_input::CopySubmitted{StageId{0}, 0, 0});
  BOOST_TEST(it.needed() == 3);
  it.decider.apply(it.now, allocation_input::CopySubmitted{StageId{0}, 0, 1});
  it.decider.apply(it.now, allocation_input::CopySubmitted{StageId{0}, 0, 1});
  BOOST_TEST(it.needed() == 4);
  it.start(0, 0, 1);
  it.start(0, 0, 2, true);
  BOOST_TEST(it.needed() == 4);
}

// C-EAM-12
BOOST_AUTO_TEST_CASE(an_unschedulable_set_asks_for_one_more_than_there_are) {
  Allocation it{0, 5, 0, {2}};
  it.submit(0, 2);
  it.poll(2'000);
  it.add(1, 1);
  it.start(0, 0, 1);
  it.start(0, 1, 1);
  it.decider.apply(it.now, allocation_input::SetUnschedulable{StageId{0}, 0});
  BOOST_TEST(it.needed() == 2);
  it.poll(1'000);
  BOOST_TEST(it.target() == 2);
  it.add(2, 2);
  it.decider.apply(Instant{}, allocation_input::SetSchedulable{StageId{0}, 0});
  it.poll(100);
  BOOST_TEST(it.target() == 1);
}

// C-EAM-13
BOOST_AUTO_TEST_CASE(several_unschedulable_sets_ask_for_more_than_there_are) {
  Allocation it{0, 10, 0, {2}};
  for (std::int64_t stage = 0; stage < 3; ++stage) it.submit(stage, 2);
  it.poll(1'000);
  BOOST_TEST(it.target() == 1);
  it.poll(2'000);
  it.poll(2'000);
  BOOST_TEST(it.target() == 3);
  it.add(0, 2);
  for (std::int64_t stage = 0; stage < 3; ++stage)
    for (std::int32_t index = 0; index < 2; ++index) it.start(stage, index, stage);
  for (std::int32_t index = 0; index < 2; ++index) it.end(0, index, 0);
  it.decider.apply(Instant{}, allocation_input::StageEnded{StageId{0}, 0});
  for (std::int64_t stage = 1; stage < 3; ++stage)
    it.decider.apply(it.now, allocation_input::SetUnschedulable{StageId{stage}, 0});
  it.poll(1'000);
  BOOST_TEST(it.target() == 4);
  BOOST_TEST(it.needed() == 4);
  it.add(3, 3);
  it.decider.apply(Instant{}, allocation_input::SetSchedulable{StageId{1}, 0});
  it.poll(1'000);
  BOOST_TEST(it.target() == 4);
  BOOST_TEST(it.needed() == 5);
}

// C-EAM-14
BOOST_AUTO_TEST_CASE(what_an_unschedulable_set_asked_for_goes_when_it_has_run) {
  Allocation it{0, 10, 0, {2}};
  it.submit(0, 10);
  it.poll(1'000);
  for (int i = 0; i < 3; ++i) it.poll(2'000);
  BOOST_TEST(it.target() == 5);
  it.add(0, 4);
  for (std::int32_t index = 0; index < 10; ++index) it.start(0, index, index / 2);
  for (std::int32_t index = 0; index < 8; ++index) it.end(0, index, index / 2);
  it.poll(1'000);
  BOOST_TEST(it.target() == 1);
  BOOST_TEST(it.needed() == 1);
  it.poll(3'000);
  BOOST_TEST((it.removals == std::vector<std::vector<std::int64_t>>{{0, 1, 2, 3}}));
  for (std::int64_t id = 0; id < 4; ++id)
    it.decider.apply(Instant{}, allocation_input::ExecutorGone{ExecutorId{id}, LossKind::process_lost});
  it.decider.apply(it.now, allocation_input::SetUnschedulable{StageId{0}, 0});
  it.poll(1'000);
  BOOST_TEST(it.target() == 2);
  BOOST_TEST(it.needed() == 2);
  it.add(5, 5);
  it.decider.apply(Instant{}, allocation_input::SetSchedulable{StageId{0}, 0});
  it.poll(1'000);
  BOOST_TEST(it.target() == 1);
  BOOST_TEST(it.needed() == 1);
  for (std::int32_t index = 8; index < 10; ++index) it.end(0, index, 4);
  it.removals.clear();
  it.poll(1'000);
  BOOST_TEST(it.target() == 0);
  BOOST_TEST(it.needed() == 0);
  it.poll(5'000);
  std::vector<std::int64_t> removed;
  for (const auto& each : it.removals) removed.insert(removed.end(), each.begin(), each.end());
  std::sort(removed.begin(), removed.end());
  BOOST_TEST(removed == (std::vector<std::int64_t>{4, 5}), boost::test_tools::per_element());
}

// C-EAM-21: idle executors are removed down to the target, while the target grows.
BOOST_AUTO_TEST_CASE(adding_and_removing_interleave) {
  Allocation it{5, 12, 5};
  it.submit(0, 1000);
  it.poll(1'000);
  it.poll(2'000);
  BOOST_TEST(it.target() == 8);
  it.accepts = false;  // the target stays while executors are added and removed
  it.add(1, 8);
  it.poll(4'000);
  BOOST_TEST(it.removals.empty());
  it.add(9, 12);
  it.poll(4'000);
  BOOST_TEST_REQUIRE(it.removals.size() == 1U);
  BOOST_TEST(it.removals[0].size() == 4U);
  for (const std::int64_t id : it.removals[0])
    it.decider.apply(Instant{}, allocation_input::ExecutorGone{ExecutorId{id}, LossKind::process_lost});
  it.poll(4'000);
  BOOST_TEST(it.removals.size() == 1U);
  it.add(13, 16);
  it.poll(4'000);
  BOOST_TEST_REQUIRE(it.removals.size() == 2U);
  BOOST_TEST(it.removals[1].size() == 4U);
  for (const std::int64_t id : it.removals[1])
    it.decider.apply(Instant{}, allocation_input::ExecutorGone{ExecutorId{id}, LossKind::process_lost});
  it.accepts = true;
  it.poll(2'000);
  BOOST_TEST(it.target() == 12);
  it.poll(2'000);
  BOOST_TEST(it.target() == 12);
}

// C-EAM-15, C-EAM-16
BOOST_AUTO_TEST_CASE(a_killed_original_is_not_pending_again_but_a_failed_one_is) {
  Allocation it{0, 20, 0, {4}};
  it.submit(0, 40);
  for (std::int32_t index = 0; index < 40; ++index) it.start(0, index, index / 4);
  BOOST_TEST(it.needed() == 10);
  for (std::int32_t index = 0; index < 30; ++index) it.end(0, index, index / 4);
  BOOST_TEST(it.needed() == 3);
  for (std::int32_t index = 30; index < 40; ++index)
    it.decider.apply(it.now, allocation_input::CopySubmitted{StageId{0}, 0, index});
  BOOST_TEST(it.needed() == 5);
  for (std::int32_t index = 30; index < 40; ++index) it.start(0, index, index % 4, true);
  BOOST_TEST(it.needed() == 5);
  for (std::int32_t index = 30; index < 36; ++index) it.end(0, index, index % 4, TaskEndReason::success, true);
  BOOST_TEST(it.needed() == 4);
  for (std::int32_t index = 30; index < 36; ++index) it.end(0, index, index / 4, TaskEndReason::killed);
  BOOST_TEST(it.needed() == 2);
  it.end(0, 36, 9);
  it.end(0, 36, 0, TaskEndReason::killed, true);
  it.end(0, 37, 9);
  it.end(0, 37, 1, TaskEndReason::success, true);
  BOOST_TEST(it.needed() == 1);
  it.end(0, 38, 9, TaskEndReason::failed);
  it.end(0, 39, 3, TaskEndReason::failed, true);
  it.decider.apply(it.now, allocation_input::CopySubmitted{StageId{0}, 0, 39});
  BOOST_TEST(it.needed() == 2);
  it.start(0, 39, 3, true);
  BOOST_TEST(it.needed() == 1);
}

// C-EAM-17. The answer of Spark 3.5.3: the late start creates the set of started copies again, so that it never becomes
// empty.
BOOST_AUTO_TEST_CASE(a_copy_that_starts_after_its_attempt_is_complete_keeps_the_timer_running) {
  for (const bool is_copy : {false, true}) {
    AllocationScript it{0, 10, 0};
    it.submit(0, 2);
    it.decider.apply(Instant{}, allocation_input::StageEnded{StageId{0}, 0});
    it.start(0, 0, 1, is_copy);
    it.submit(1, 2);
    BOOST_TEST(it.add_time_ms() == 1000);
    it.decider.apply(Instant{}, allocation_input::StageEnded{StageId{1}, 0});
    BOOST_TEST(it.add_time_ms() == (is_copy ? 1000 : -1));
  }
}

BOOST_AUTO_TEST_CASE(tasks_of_a_completed_attempt_are_needed_until_they_end) {
  Allocation it{0, 10, 0};
  it.submit(0, 5);
  it.start(0, 0, 1);
  it.start(0, 1, 2);
  it.decider.apply(Instant{}, allocation_input::StageEnded{StageId{0}, 0});
  BOOST_TEST(it.needed() == 2);
  it.end(0, 0, 1);
  BOOST_TEST(it.needed() == 1);
  it.end(0, 1, 2);
  BOOST_TEST(it.needed() == 0);
}

// C-EAM-18
BOOST_AUTO_TEST_CASE(what_is_no_longer_needed_is_no_longer_asked_for) {
  Allocation it{0, 10, 0};
  it.submit(0, 5);
  for (int round = 0; round < 3; ++round) it.poll(2'000);
  BOOST_TEST(it.target() == 5);
  for (int round = 0; round < 2; ++round) {
    it.start(0, 0, 1);
    it.end(0, 0, 1);
  }
  it.poll(100);
  BOOST_TEST(it.target() == 4);
}

// heddle.fix.jump_to_need (EAM-8): 12 tasks wait, and the maximum is 10 executors.
BOOST_AUTO_TEST_CASE(the_whole_need_is_asked_for_at_once_only_if_mended) {
  for (const bool mended : {false, true}) {
    auto settings = Allocation::settings_of(1, 10, 1, {1}, 1.0, false);
    settings.jump_to_need = mended;
    Allocation it{1, 10, 1};
    it.decider = ExecutorAllocation{settings};
    it.act([&](AllocationEffects& effects) { it.decider.apply(it.now, allocation_input::Started{}, effects); });
    it.submit(0, 5);
    it.poll(2'000);
    BOOST_TEST(it.target() == (mended ? 5 : 2));
    it.submit(1, 7);
    it.poll(2'000);
    BOOST_TEST(it.target() == (mended ? 10 : 4));
    it.poll(10'000);
    BOOST_TEST(it.target() == (mended ? 10 : 8));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace executor_allocation_test
}  // namespace heddle::policies

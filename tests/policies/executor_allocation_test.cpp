// How many executors: growth, caps, need, backlog, hints. Numbered cases of the specification are named C-EAM-nn.
#include "policies/executor_allocation.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace heddle::policies {

namespace {

using Ints = std::vector<std::int32_t>;

/// Executors from 1, backlog 1 s, sustained 2 s, idle 3 s; the back end accepts everything unless told otherwise.
struct Allocation {
  explicit Allocation(std::int32_t least, std::int32_t most, std::int32_t initial, Ints tasks_per_executor = {1}, double ratio = 1.0,
                      bool decommission = false)
      : decider{settings_of(least, most, initial, std::move(tasks_per_executor), ratio, decommission)} {
    act([&](AllocationEffects& effects) { decider.on_start(now, effects); });
  }
  static ExecutorAllocationSettings settings_of(std::int32_t least, std::int32_t most, std::int32_t initial, Ints tasks_per_executor,
                                                double ratio, bool decommission) {
    ExecutorAllocationSettings settings;
    settings.executors_min = least;
    settings.executors_max = most;
    settings.executors_initial = initial;
    settings.tasks_per_executor = std::move(tasks_per_executor);
    settings.ratio = ratio;
    settings.sustained_timeout = std::chrono::seconds{2};
    settings.monitor.idle_timeout = std::chrono::seconds{3};
    settings.decommission = decommission;
    return settings;
  }

  ExecutorAllocation decider;
  Instant now{};
  bool accepts = true;
  std::vector<RequestExecutorTotals> requests;
  std::vector<std::vector<std::int64_t>> removals;

  template <class Act>
  void act(Act function) {
    AllocationEffects effects;
    function(effects);
    while (!effects.empty()) {
      AllocationEffects next;
      for (const AllocationEffect& effect : effects) {
        if (const auto* request = std::get_if<RequestExecutorTotals>(&effect)) {
          requests.push_back(*request);
          if (request->needs_answer) decider.on_request_answered(now, accepts, next);
        } else {
          const auto& removal = std::get<RemoveIdleExecutors>(effect);
          std::vector<std::int64_t> ids;
          for (const ExecutorId id : removal.executors) ids.push_back(id.value);
          removals.push_back(std::move(ids));
          decider.on_kill_answered(now, removal.executors, next);
        }
      }
      effects = std::move(next);
    }
    decider.check_invariants();
  }
  void poll(std::int64_t after_ms) {
    now += std::chrono::milliseconds{after_ms};
    act([&](AllocationEffects& effects) { decider.on_poll(now, effects); });
  }
  void submit(std::int64_t stage, std::int32_t tasks, std::int32_t profile = 0, TaskSetPlaces places = {}) {
    act([&](AllocationEffects& effects) {
      decider.on_stage_submitted(now, StageId{stage}, 0, tasks, ProfileId{profile}, {IndexRange{0, tasks}}, places, effects);
    });
  }
  void start(std::int64_t stage, std::int32_t index, std::int64_t executor, bool is_copy = false) {
    decider.on_task_started(now, StageId{stage}, 0, index, ExecutorId{executor}, is_copy);
    decider.check_invariants();
  }
  void end(std::int64_t stage, std::int32_t index, std::int64_t executor, TaskEndReason reason = TaskEndReason::success,
           bool is_copy = false) {
    decider.on_task_ended(now, StageId{stage}, 0, index, ExecutorId{executor}, is_copy, reason);
    decider.check_invariants();
  }
  void add(std::int64_t first, std::int64_t last, std::int32_t profile = 0) {
    for (std::int64_t id = first; id <= last; ++id) decider.on_executor_added(now, ExecutorId{id}, ProfileId{profile});
  }
  [[nodiscard]] std::int32_t target(std::int32_t profile = 0) const { return decider.target(ProfileId{profile}).value_or(-1); }
  [[nodiscard]] std::int32_t to_add(std::int32_t profile = 0) const { return decider.to_add(ProfileId{profile}).value_or(-1); }
  [[nodiscard]] std::int32_t needed(std::int32_t profile = 0) const { return decider.needed(ProfileId{profile}); }
  [[nodiscard]] std::int64_t add_time_ms() const {
    return decider.add_time() ? to_milliseconds(decider.add_time()->time_since_epoch()) : -1;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(executor_allocation)

// C-EAM-01
BOOST_AUTO_TEST_CASE(bounds_are_checked_against_each_other) {
  struct Row {
    std::int32_t least;
    std::int32_t most;
    bool is_fine;
  };
  for (const Row& row : {Row{-1, 5, false}, Row{0, -1, false}, Row{2, 1, false}, Row{0, 0, false}, Row{1, 1, true}, Row{1, 2, true}}) {
    BOOST_TEST(validate(Allocation::settings_of(row.least, row.most, 1, {1}, 1.0, false)).has_value() == row.is_fine);
  }
  auto settings = Allocation::settings_of(1, 2, 1, {1}, 0.0, false);
  BOOST_TEST(!validate(settings).has_value());
  settings.ratio = 1.0;
  settings.monitor.shuffle_tracking = false;
  BOOST_TEST(!validate(settings).has_value());
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
  decider.on_start(Instant{}, effects);
  decider.on_stage_submitted(Instant{}, StageId{0}, 0, 100, ProfileId{0}, {IndexRange{0, 100}}, {}, effects);
  decider.on_executor_added(Instant{}, ExecutorId{0}, ProfileId{0});
  decider.on_task_started(Instant{}, StageId{0}, 0, 0, ExecutorId{0}, false);
  decider.on_poll(Instant{} + std::chrono::hours{1}, effects);
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

// C-EAM-09
BOOST_AUTO_TEST_CASE(the_ratio_asks_for_less_than_full_parallelism) {
  struct Row {
    std::int32_t tasks_per_executor;
    double ratio;
    std::int32_t target;
  };
  for (const Row& row :
       {Row{1, 0.5, 10}, Row{1, 1.0 / 3.0, 7}, Row{2, 1.0 / 3.0, 4}, Row{1, 0.385, 8}, Row{1, 1.0, 15}, Row{4, 1.0 / 3.0, 3}}) {
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
BOOST_AUTO_TEST_CASE(copies_are_needed_until_they_start) {
  Allocation it{0, 10, 0};
  it.submit(0, 2);
  it.decider.on_speculative_submitted(it.now, StageId{0}, 0, 0);
  BOOST_TEST(it.needed() == 3);
  it.decider.on_speculative_submitted(it.now, StageId{0}, 0, 1);
  it.decider.on_speculative_submitted(it.now, StageId{0}, 0, 1);
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
  it.decider.on_unschedulable_added(it.now, StageId{0}, 0);
  BOOST_TEST(it.needed() == 2);
  it.poll(1'000);
  BOOST_TEST(it.target() == 2);
  it.add(2, 2);
  it.decider.on_unschedulable_removed(StageId{0}, 0);
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
  it.decider.on_stage_completed(StageId{0}, 0);
  for (std::int64_t stage = 1; stage < 3; ++stage) it.decider.on_unschedulable_added(it.now, StageId{stage}, 0);
  it.poll(1'000);
  BOOST_TEST(it.target() == 4);
  BOOST_TEST(it.needed() == 4);
  it.add(3, 3);
  it.decider.on_unschedulable_removed(StageId{1}, 0);
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
  for (std::int64_t id = 0; id < 4; ++id) it.decider.on_executor_removed(ExecutorId{id}, ExecutorEnd::other);
  it.decider.on_unschedulable_added(it.now, StageId{0}, 0);
  it.poll(1'000);
  BOOST_TEST(it.target() == 2);
  BOOST_TEST(it.needed() == 2);
  it.add(5, 5);
  it.decider.on_unschedulable_removed(StageId{0}, 0);
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

// C-EAM-21: idle executors go as far as the target allows, while the target grows.
BOOST_AUTO_TEST_CASE(adding_and_removing_interleave) {
  Allocation it{5, 12, 5};
  it.submit(0, 1000);
  it.poll(1'000);
  it.poll(2'000);
  BOOST_TEST(it.target() == 8);
  it.accepts = false;  // the target stays while executors come and go
  it.add(1, 8);
  it.poll(4'000);
  BOOST_TEST(it.removals.empty());
  it.add(9, 12);
  it.poll(4'000);
  BOOST_TEST_REQUIRE(it.removals.size() == 1U);
  BOOST_TEST(it.removals[0].size() == 4U);
  for (const std::int64_t id : it.removals[0]) it.decider.on_executor_removed(ExecutorId{id}, ExecutorEnd::other);
  it.poll(4'000);
  BOOST_TEST(it.removals.size() == 1U);
  it.add(13, 16);
  it.poll(4'000);
  BOOST_TEST_REQUIRE(it.removals.size() == 2U);
  BOOST_TEST(it.removals[1].size() == 4U);
  for (const std::int64_t id : it.removals[1]) it.decider.on_executor_removed(ExecutorId{id}, ExecutorEnd::other);
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
  for (std::int32_t index = 30; index < 40; ++index) it.decider.on_speculative_submitted(it.now, StageId{0}, 0, index);
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
  it.decider.on_speculative_submitted(it.now, StageId{0}, 0, 39);
  BOOST_TEST(it.needed() == 2);
  it.start(0, 39, 3, true);
  BOOST_TEST(it.needed() == 1);
}

// C-EAM-17
BOOST_AUTO_TEST_CASE(tasks_of_a_completed_attempt_are_needed_until_they_end) {
  Allocation it{0, 10, 0};
  it.submit(0, 5);
  it.start(0, 0, 1);
  it.start(0, 1, 2);
  it.decider.on_stage_completed(StageId{0}, 0);
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

// C-EAM-19
BOOST_AUTO_TEST_CASE(ends_of_executors_are_counted_by_their_cause) {
  for (const bool drains : {false, true}) {
    Allocation it{0, 5, 0, {1}, 1.0, drains};
    it.submit(0, 1);
    it.add(1, 4);
    it.decider.on_stage_completed(StageId{0}, 0);
    it.poll(3'000);
    BOOST_TEST(it.removals.size() == 1U);
    const auto finished = it.decider.on_executor_removed(ExecutorId{1}, ExecutorEnd::decommission_finished);
    const auto other = it.decider.on_executor_removed(ExecutorId{2}, ExecutorEnd::other);
    BOOST_TEST((finished == RemovalKind::graceful));
    BOOST_TEST((other == (drains ? RemovalKind::unfinished : RemovalKind::driver_killed)));
    BOOST_TEST(!it.decider.on_executor_removed(ExecutorId{9}, ExecutorEnd::other).has_value());
    it.add(9, 9);
    BOOST_TEST((it.decider.on_executor_removed(ExecutorId{9}, ExecutorEnd::other) == RemovalKind::unexpected));
  }
}

// C-EAM-06, C-EAM-07, C-EAM-20
BOOST_AUTO_TEST_CASE(removal_stops_at_the_minimum_and_at_the_target) {
  Allocation it{5, 12, 5};
  it.add(1, 10);
  it.poll(3'000);
  BOOST_TEST((it.removals == std::vector<std::vector<std::int64_t>>{{1, 10, 2, 3, 4}}));
  it.poll(100);
  BOOST_TEST(it.removals.size() == 1U);
  for (const std::int64_t id : {1, 10, 2, 3, 4}) it.decider.on_executor_removed(ExecutorId{id}, ExecutorEnd::other);
  it.poll(100);
  BOOST_TEST(it.removals.size() == 1U);
}

// C-EAM-08
BOOST_AUTO_TEST_CASE(the_minimum_holds_per_profile) {
  Allocation it{5, 12, 5, {1, 1}};
  it.submit(0, 1, 1);
  it.decider.on_stage_completed(StageId{0}, 0);
  it.add(1, 10, 0);
  it.add(11, 20, 1);
  it.poll(3'000);
  BOOST_TEST((it.removals == std::vector<std::vector<std::int64_t>>{{1, 10, 11, 12, 13, 14, 15, 2, 3, 4}}));
}

// C-EAM-22, C-EAM-27, C-EAM-32
BOOST_AUTO_TEST_CASE(the_add_timer_starts_with_a_backlog_and_ends_with_it) {
  Allocation it{2, 10, 2};
  it.now += std::chrono::milliseconds{8'888};
  it.submit(0, 2);
  BOOST_TEST(it.add_time_ms() == 9'888);
  it.now += std::chrono::milliseconds{100};
  it.submit(1, 1);
  BOOST_TEST(it.add_time_ms() == 9'888);
  it.start(0, 0, 1);
  it.start(0, 1, 1);
  BOOST_TEST(it.add_time_ms() == 9'888);
  it.start(1, 0, 2);
  BOOST_TEST(it.add_time_ms() == -1);
  it.end(1, 0, 2, TaskEndReason::failed);
  BOOST_TEST(it.add_time_ms() == 9'988);
  BOOST_TEST(it.needed() == 3);
}

// C-EAM-24
BOOST_AUTO_TEST_CASE(polls_add_on_time_and_begin_anew_after_a_drain) {
  Allocation it{0, 20, 0};
  it.now += std::chrono::milliseconds{2'020};
  it.submit(0, 1'000);
  struct Row {
    std::int64_t after;
    std::int32_t target;
  };
  for (const Row& row : {Row{500, 0}, Row{1'000, 1}, Row{1'000, 1}, Row{2'000, 3}, Row{2'000, 7}}) {
    it.poll(row.after);
    BOOST_TEST(it.target() == row.target);
  }
}

// C-EAM-23
BOOST_AUTO_TEST_CASE(without_events_nothing_is_asked_for) {
  Allocation it{0, 20, 0};
  for (const std::int64_t after : {2'020, 100, 1'000, 10'000}) it.poll(after);
  BOOST_TEST(it.requests.size() == 1U);
  BOOST_TEST(!it.decider.next_due().has_value());
}

// C-EAM-25, C-EAM-26
BOOST_AUTO_TEST_CASE(idle_executors_go_when_their_time_is_up) {
  for (const bool drains : {false, true}) {
    Allocation it{1, 20, 1, {1}, 1.0, drains};
    it.now += std::chrono::milliseconds{2'020};
    it.add(1, 3);
    it.poll(1'500);
    BOOST_TEST(it.removals.empty());
    it.poll(3'000);
    BOOST_TEST((it.removals == std::vector<std::vector<std::int64_t>>{{1, 2}}));
    BOOST_TEST(it.decider.monitor().pending_removal().size() == (drains ? 0U : 2U));
    BOOST_TEST(it.decider.monitor().decommissioning().size() == (drains ? 2U : 0U));
  }
}

// C-EAM-28
BOOST_AUTO_TEST_CASE(growth_begins_at_what_there_is) {
  Allocation it{0, 100'000, 0};
  it.submit(0, 1'000);
  for (int round = 0; round < 4; ++round) it.poll(2'000);
  BOOST_TEST(it.target() == 15);
  it.add(1, 15);
  for (std::int32_t index = 0; index < 15; ++index) it.start(0, index, index + 1);
  it.decider.on_stage_completed(StageId{0}, 0);
  for (std::int32_t index = 0; index < 15; ++index) it.end(0, index, index + 1);
  it.poll(100);
  BOOST_TEST(it.target() == 0);
  it.submit(1, 1'000);
  it.poll(1'000);
  BOOST_TEST(it.target() == 16);
}

// C-EAM-29, C-EAM-30, C-EAM-35
BOOST_AUTO_TEST_CASE(the_initial_number_stays_until_a_stage_comes_or_somebody_is_idle_too_long) {
  Allocation by_stage{2, 5, 3};
  by_stage.poll(100);
  BOOST_TEST(by_stage.target() == 3);
  by_stage.submit(0, 2);
  by_stage.poll(100);
  BOOST_TEST(by_stage.target() == 2);
  Allocation by_idling{1, 5, 3};
  by_idling.add(1, 3);
  by_idling.poll(100);
  BOOST_TEST(by_idling.target() == 3);
  by_idling.poll(3'000);
  BOOST_TEST(by_idling.target() == 1);
}

// C-EAM-31, C-EAM-38
BOOST_AUTO_TEST_CASE(hints_count_tasks_with_places_and_travel_only_with_a_request) {
  const auto places_of = [](const std::vector<Ints>& hosts) {
    auto lists = std::make_shared<PlaceLists>();
    for (const Ints& of_task : hosts) {
      std::vector<TaskPlace> places;
      for (const std::int32_t host : of_task) places.emplace_back(HostId{host});
      lists->add(places);
    }
    TaskSetPlaces places;
    places.lists = std::move(lists);
    return places;
  };
  const auto hints = [](const RequestExecutorTotals& request) {
    std::map<std::int32_t, std::int32_t> tasks;
    for (const HostTasks& hint : request.profiles[0].hosts) tasks[hint.host.value] = hint.tasks;
    return tasks;
  };
  Allocation it{0, 100, 0};
  it.submit(1, 5, 0, places_of({{1, 2, 3}, {1, 2, 4}, {2, 3, 4}, {}, {}}));
  BOOST_TEST(it.requests.size() == 1U);
  it.poll(1'000);
  BOOST_TEST(it.requests.back().profiles[0].locality_tasks == 3);
  BOOST_TEST((hints(it.requests.back()) == std::map<std::int32_t, std::int32_t>{{1, 2}, {2, 3}, {3, 2}, {4, 2}}));
  it.submit(2, 3, 0, places_of({{2, 3, 5}, {3, 4, 5}, {}}));
  it.poll(2'000);
  BOOST_TEST(it.requests.back().profiles[0].locality_tasks == 5);
  BOOST_TEST((hints(it.requests.back()) == std::map<std::int32_t, std::int32_t>{{1, 2}, {2, 4}, {3, 4}, {4, 3}, {5, 2}}));
  it.decider.on_stage_completed(StageId{1}, 0);
  it.submit(3, 50);
  it.poll(2'000);
  BOOST_TEST(it.requests.back().profiles[0].locality_tasks == 2);
  BOOST_TEST((hints(it.requests.back()) == std::map<std::int32_t, std::int32_t>{{2, 1}, {3, 2}, {4, 1}, {5, 2}}));
}

// C-EAM-33
BOOST_AUTO_TEST_CASE(a_reset_begins_anew) {
  Allocation it{1, 5, 1};
  it.submit(0, 10);
  for (int round = 0; round < 3; ++round) it.poll(2'000);
  BOOST_TEST(it.target() == 5);
  it.add(1, 5);
  it.decider.on_reset();
  BOOST_TEST(it.target() == 1);
  BOOST_TEST(it.to_add() == 1);
  BOOST_TEST(it.decider.monitor().executors() == 0);
  it.poll(100);
  BOOST_TEST(it.target() == 2);
}

// C-EAM-34
BOOST_AUTO_TEST_CASE(idle_executors_go_without_a_change_of_target) {
  Allocation it{1, 2, 1};
  it.submit(0, 2);
  it.poll(1'000);
  it.add(1, 2);
  it.start(0, 0, 1);
  it.start(0, 1, 2);
  it.end(0, 0, 1);
  BOOST_TEST(it.needed() == 1);
  BOOST_TEST(it.target() == 2);
  it.poll(100);
  BOOST_TEST(it.target() == 1);
  BOOST_TEST(it.removals.empty());
  it.poll(3'000);
  BOOST_TEST((it.removals == std::vector<std::vector<std::int64_t>>{{1}}));
  BOOST_TEST(it.target() == 1);
}

BOOST_AUTO_TEST_CASE(a_refused_request_restores_the_target_and_is_tried_with_the_next_poll) {
  Allocation it{0, 10, 0};
  it.submit(0, 5);
  it.accepts = false;
  it.poll(1'000);
  BOOST_TEST(it.target() == 0);
  BOOST_TEST((it.decider.next_due() == it.now + std::chrono::milliseconds{100}));
  it.accepts = true;
  it.poll(100);
  BOOST_TEST(it.target() == 1);
}

/// Polling only when next_due() says so leads to the same requests as polling every 100 ms.
BOOST_AUTO_TEST_CASE(polls_that_are_not_due_would_change_nothing) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random{seed};
    Allocation every{1, 12, 2, {2}};
    Allocation due{1, 12, 2, {2}};
    std::vector<std::pair<std::int64_t, std::int32_t>> running;  // executor of each task, and its index
    std::int64_t stage = -1;
    std::int32_t next_index = 0;
    const auto both = [&](auto function) {
      function(every);
      function(due);
    };
    for (int step = 0; step < 1'500; ++step) {
      if (random.chance(1, 4)) {
        const std::uint64_t verb = random.below(7);
        if (stage < 0 || (verb == 0 && next_index >= 20)) {
          stage += 1;
          next_index = 0;
          running.clear();
          both([&](Allocation& it) {
            if (stage > 0) it.decider.on_stage_completed(StageId{stage - 1}, 0);
            it.submit(stage, 20);
          });
        } else if (verb <= 2 && next_index < 20) {
          const auto executor = static_cast<std::int64_t>(random.below(12));
          running.emplace_back(executor, next_index);
          both([&](Allocation& it) { it.start(stage, next_index, executor); });
          next_index += 1;
        } else if (verb <= 5 && !running.empty()) {
          const auto [executor, index] = running.back();
          running.pop_back();
          both([&, executor = executor, index = index](Allocation& it) { it.end(stage, index, executor); });
        } else {
          const auto executor = static_cast<std::int64_t>(random.below(12));
          const bool leaves = random.chance(1, 3);
          both([&](Allocation& it) {
            if (leaves) {
              it.decider.on_executor_removed(ExecutorId{executor}, ExecutorEnd::other);
            } else {
              it.add(executor, executor);
            }
          });
        }
      }
      every.poll(100);
      due.now = every.now;
      if (const auto when = due.decider.next_due(); when && *when <= due.now) due.poll(0);
      BOOST_REQUIRE_EQUAL(every.target(), due.target());
      BOOST_REQUIRE_EQUAL(every.requests.size(), due.requests.size());
      BOOST_REQUIRE((every.removals == due.removals));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heddle::policies

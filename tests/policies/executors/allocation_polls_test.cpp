// Polls of dynamic allocation: ends and removals, the add timer, hints, resets. C-EAM-nn are numbered cases of the
// specification.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"
#include "tests/policies/executors/allocation_script.hpp"

namespace heddle::policies {
namespace allocation_polls_test {

namespace {

using Ints = std::vector<std::int32_t>;
using Allocation = AllocationScript;

}  // namespace

BOOST_AUTO_TEST_SUITE(allocation_polls)

// C-EAM-19
BOOST_AUTO_TEST_CASE(ends_of_executors_are_counted_by_their_cause) {
  for (const bool drains : {false, true}) {
    Allocation it{0, 5, 0, {1}, 1.0, drains};
    it.submit(0, 1);
    it.add(1, 4);
    it.decider.apply(Instant{}, allocation_input::StageEnded{StageId{0}, 0});
    it.poll(3'000);
    BOOST_TEST(it.removals.size() == 1U);
    const auto finished =
        it.decider.apply(Instant{}, allocation_input::ExecutorGone{ExecutorId{1}, ExecutorEnd::decommission_finished});
    const auto other = it.decider.apply(Instant{}, allocation_input::ExecutorGone{ExecutorId{2}, ExecutorEnd::other});
    BOOST_TEST((finished == RemovalKind::graceful));
    BOOST_TEST((other == (drains ? RemovalKind::unfinished : RemovalKind::driver_killed)));
    BOOST_TEST(
        !it.decider.apply(Instant{}, allocation_input::ExecutorGone{ExecutorId{9}, ExecutorEnd::other}).has_value());
    it.add(9, 9);
    BOOST_TEST((it.decider.apply(Instant{}, allocation_input::ExecutorGone{ExecutorId{9}, ExecutorEnd::other}) ==
                RemovalKind::unexpected));
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
  for (const std::int64_t id : {1, 10, 2, 3, 4})
    it.decider.apply(Instant{}, allocation_input::ExecutorGone{ExecutorId{id}, ExecutorEnd::other});
  it.poll(100);
  BOOST_TEST(it.removals.size() == 1U);
}

// C-EAM-08
BOOST_AUTO_TEST_CASE(the_minimum_holds_per_profile) {
  Allocation it{5, 12, 5, {1, 1}};
  it.submit(0, 1, 1);
  it.decider.apply(Instant{}, allocation_input::StageEnded{StageId{0}, 0});
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
  it.decider.apply(Instant{}, allocation_input::StageEnded{StageId{0}, 0});
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
    auto lists = std::make_shared<PreferredLocationLists>();
    for (const Ints& of_task : hosts) {
      std::vector<PreferredLocation> places;
      for (const std::int32_t host : of_task) places.emplace_back(HostId{host});
      lists->add(places);
    }
    TaskSetLocations places;
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
  BOOST_TEST(
      (hints(it.requests.back()) == std::map<std::int32_t, std::int32_t>{{1, 2}, {2, 4}, {3, 4}, {4, 3}, {5, 2}}));
  it.decider.apply(Instant{}, allocation_input::StageEnded{StageId{1}, 0});
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
  it.decider.apply(Instant{}, allocation_input::Reset{});
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

/// Polling only at next_due() leads to the same requests as polling every 100 ms.
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
            if (stage > 0) it.decider.apply(Instant{}, allocation_input::StageEnded{StageId{stage - 1}, 0});
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
              it.decider.apply(Instant{}, allocation_input::ExecutorGone{ExecutorId{executor}, ExecutorEnd::other});
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

}  // namespace allocation_polls_test
}  // namespace heddle::policies

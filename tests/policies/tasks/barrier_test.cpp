// Goal: the tasks of a barrier stage are launched all in one round or not at all, and a failure of one runs all again.
// Method: tables of small clusters and stages; a property over random clusters.
#include <boost/test/unit_test.hpp>
#include <random>

#include "policies/stages/barrier_admission.hpp"
#include "tests/policies/stages/two_stages.hpp"
#include "tests/support/task_scheduler_script.hpp"

namespace heddle::policies {
namespace barrier_test {
namespace {

using support::TaskSchedulerScript;

const std::vector<TaskSchedulerScript::Words> three{{}, {}, {}};

/// Two maps of a barrier stage, and a result over one partition.
StageScript barrier_maps(StageSchedulerSettings settings = {}) {
  StageScript script{settings};
  const DatasetId source = script.dataset_with(2, {}, {}, [](DatasetDescription& dataset) { dataset.barrier = true; });
  script.submit(script.dataset(1, {source}), 1);
  return script;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(barrier)

// C-TS-31
BOOST_AUTO_TEST_CASE(a_set_that_does_not_fit_whole_launches_nothing) {
  TaskSchedulerSettings settings;
  settings.task_cores = 2;
  TaskSchedulerScript script{settings};
  script.submit(0, {{}});
  script.next_is_barrier = true;
  script.submit(1, three);
  BOOST_TEST(script.offer({"a@h1:3", "b@h2:3", "c@h3:3"}) == "0.0/0 a process");
  BOOST_TEST_REQUIRE(script.effects.launches.size() == 1U);
  BOOST_TEST(script.effects.launches[0].set.stage.value == 0);
  const auto why = script.scheduler.explain(script.now, {StageId{1}, 0});
  BOOST_TEST((why.refusal == TaskRefusal::no_room_for_all));
  BOOST_TEST(why.holder == "2 of 3");
  script.offer({"a@h1:3", "b@h2:3", "c@h3:3"});
  BOOST_TEST(script.effects.launches.size() == 3U);
  BOOST_TEST(script.progress(1).running == 3);
}

// C-TS-42c
BOOST_AUTO_TEST_CASE(a_barrier_set_waits_for_its_places_as_others_do) {
  TaskSchedulerScript script;
  script.offer({"e0@h1:0"});
  script.next_is_barrier = true;
  script.submit(0, {{"h1/e0"}});
  BOOST_TEST(script.offer({"e1@h1:1"}) == "");
  script.at(4001);
  BOOST_TEST(script.offer({"e1@h1:1"}) == "0.0/0 e1 node");
}

BOOST_AUTO_TEST_CASE(what_a_wave_has_placed_still_waits_at_its_level) {
  TaskSchedulerScript script;
  script.offer({"e0@h1:0"});
  script.next_is_barrier = true;
  script.submit(0, {{"h1/e0"}, {"h9"}});
  // The first task has a slot, but does not run yet: the second one must not go to a farther slot because of it.
  BOOST_TEST(script.offer({"e0@h1:2"}) == "");
  script.at(6001);
  BOOST_TEST(script.offer({"e0@h1:2"}) == "0.0/0 e0 process, 0.0/1 e0 any");
}

BOOST_AUTO_TEST_CASE(a_wave_that_is_not_whole_gives_its_slots_to_others_and_comes_back_whole) {
  TaskSchedulerScript script;
  script.offer({"e0@h1:0", "e1@h2:0"});
  script.next_is_barrier = true;
  script.submit(0, {{"h1/e0"}, {"h2/e1"}});
  script.next_is_barrier = false;
  script.submit(1, {{}});
  // There are enough slots for both tasks, but one of them would be far.
  BOOST_TEST(script.offer({"e0@h1:2"}) == "1.0/0 e0 process");
  BOOST_TEST(script.progress(0).running == 0);
  BOOST_TEST(script.offer({"e0@h1:1", "e1@h2:1"}) == "0.0/0 e0 process, 0.0/1 e1 process");
}

BOOST_AUTO_TEST_CASE(with_the_legacy_wait_a_wave_that_is_not_whole_ends_the_set) {
  TaskSchedulerSettings settings;
  settings.legacy_reset = true;
  TaskSchedulerScript script{settings};
  script.offer({"e0@h1:0", "e1@h2:0"});
  script.next_is_barrier = true;
  script.submit(0, {{"h1/e0"}, {"h2/e1"}});
  BOOST_TEST(script.offer({"e0@h1:2"}) == "");
  BOOST_TEST(script.events() == "0.0 failed, 0.0 finished");
}

BOOST_AUTO_TEST_CASE(after_a_failure_the_set_launches_nothing_more) {
  TaskSchedulerScript script;
  script.next_is_barrier = true;
  script.submit(0, three);
  script.offer({"a@h1:4"});
  BOOST_TEST(script.effects.launches.size() == 3U);
  script.effects.clear();
  script.fails(1);
  BOOST_TEST(script.events() == "1 exception");
  BOOST_TEST(script.offer({"a@h1:4"}) == "");
  script.ends(0).ends(2);
  BOOST_TEST(!script.is_known(0));
}

// For any offers: all tasks in one round or none, never two attempts of one task, and each slot used once.
BOOST_AUTO_TEST_CASE(a_round_launches_all_of_a_barrier_set_or_nothing_of_it) {
  std::mt19937_64 random{7};
  const auto below = [&random](std::uint64_t end) { return static_cast<std::int32_t>(random() % end); };
  for (int turn = 0; turn < 300; ++turn) {
    TaskSchedulerScript script;
    script.offer({"e0@h0:0", "e1@h1:0", "e2@h2:0"});
    std::vector<bool> is_barrier;
    for (std::int32_t stage = 0; stage < 3; ++stage) {
      std::vector<TaskSchedulerScript::Words> tasks(static_cast<std::size_t>(1 + below(4)));
      for (auto& places : tasks)
        if (below(2) == 0) places.push_back("h" + std::to_string(below(3)));
      is_barrier.push_back(below(2) == 0);
      script.next_is_barrier = is_barrier.back();
      script.submit(stage, tasks);
    }
    std::int64_t launched = 0;
    for (int round = 0; round < 6; ++round) {
      script.at(1 + round * 1500);
      std::vector<std::int32_t> free{below(4), below(4), below(4)};
      script.offer(
          {"e0@h0:" + std::to_string(free[0]), "e1@h1:" + std::to_string(free[1]), "e2@h2:" + std::to_string(free[2])});
      launched += std::ssize(script.effects.launches);
      for (const auto& launch : script.effects.launches)
        BOOST_TEST_REQUIRE(--free[static_cast<std::size_t>(launch.executor.value)] >= 0);
      for (std::int32_t stage = 0; stage < 3; ++stage) {
        const auto progress = script.progress(stage);
        if (is_barrier[static_cast<std::size_t>(stage)])
          BOOST_TEST((progress.running == 0 || progress.running == progress.tasks));
        BOOST_TEST(progress.running <= progress.tasks);
      }
      for (std::int64_t task = launched - std::ssize(script.effects.launches); task < launched; ++task)
        script.runs(task);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_failed_map_stage_runs_again_whole) {
  auto script = barrier_maps();
  BOOST_TEST(script.sets.at(0).is_barrier);
  script.ok(0, 0, 0, a);
  script.barrier_failed(0, 0);
  BOOST_TEST((script.outputs(0) == Ints{missing, missing}));
  script.ok(0, 0, 1, b);  // ended before it was killed, as part of a failed attempt
  script.barrier_failed(0, 0);
  BOOST_TEST((script.outputs(0) == Ints{missing, missing}));
  BOOST_TEST(script.sets.size() == 1U);
  script.resubmit();
  BOOST_TEST_REQUIRE(script.sets.size() == 2U);
  BOOST_TEST((StageScript::partitions(script.sets[1]) == Ints{0, 1}));
  BOOST_TEST(script.sets[1].attempt == 1);
  script.all_ok(1, {a, b});
  BOOST_TEST_REQUIRE(script.sets.size() == 3U);
  BOOST_TEST(!script.sets[2].is_barrier);
  script.all_ok(2, {a});
  BOOST_TEST((script.ended == Ids{0}));
  BOOST_TEST(script.failed.empty());
}

BOOST_AUTO_TEST_CASE(a_map_stage_that_fails_as_often_as_it_may_ends_its_job) {
  auto script = barrier_maps();
  for (std::int32_t attempt = 0; attempt < 4; ++attempt) {
    script.barrier_failed(0, attempt);
    if (attempt < 3) script.resubmit();
  }
  BOOST_TEST((script.failed == Ids{0}));
  BOOST_TEST((script.failures.at(0) == JobFailure::barrier_failures));
  script.resubmit();
  BOOST_TEST(script.sets.size() == 4U);
}

BOOST_AUTO_TEST_CASE(a_failed_result_stage_ends_its_job_at_once) {
  StageScript script;
  script.submit(script.dataset_with(2, {}, {}, [](DatasetDescription& dataset) { dataset.barrier = true; }), 2);
  script.ok(0, 0, 0, a);
  script.barrier_failed(0, 0);
  BOOST_TEST((script.failures.at(0) == JobFailure::barrier_result));
  script.resubmit();
  BOOST_TEST(script.sets.size() == 1U);
}

BOOST_AUTO_TEST_CASE(outputs_that_are_lost_later_run_the_whole_barrier_stage_again) {
  auto script = barrier_maps();
  script.all_ok(0, {a, b});
  script.fetch_failed(1, 0, 0, 0, 1, c);  // another location than the current one
  BOOST_TEST((script.outputs(0) == Ints{missing, missing}));
  script.resubmit();
  BOOST_TEST_REQUIRE(script.sets.size() == 3U);
  BOOST_TEST(script.sets[2].is_barrier);
  BOOST_TEST((StageScript::partitions(script.sets[2]) == Ints{0, 1}));
}

BOOST_AUTO_TEST_CASE(a_barrier_stage_that_cannot_fetch_runs_again_whole_behind_its_parent) {
  StageScript script;
  const DatasetId source = script.dataset(2);
  const DatasetId middle =
      script.dataset_with(2, {source}, {}, [](DatasetDescription& dataset) { dataset.barrier = true; });
  const DatasetId passed_on = script.dataset(2, {}, {middle});
  script.submit(script.dataset(1, {passed_on}), 1);
  script.all_ok(0, {a, b});
  BOOST_TEST_REQUIRE(script.sets.size() == 2U);
  BOOST_TEST(script.sets[1].is_barrier);  // true also for stages that continue with its records in the same tasks
  script.ok(1, 0, 0, a);
  script.fetch_failed(1, 0, 1, 0, 1, b);
  BOOST_TEST((script.outputs(1) == Ints{missing, missing}));
  script.resubmit();
  BOOST_TEST_REQUIRE(script.sets.size() == 3U);
  BOOST_TEST((StageScript::partitions(script.sets[2]) == Ints{1}));  // the lost map of its parent
  script.all_ok(2, {a});
  BOOST_TEST_REQUIRE(script.sets.size() == 4U);
  BOOST_TEST((StageScript::partitions(script.sets[3]) == Ints{0, 1}));
}

BOOST_AUTO_TEST_CASE(a_job_starts_with_slots_for_all_tasks_of_each_barrier_stage_or_fails_after_so_many_checks) {
  const std::vector<BarrierStageSlots> enough{{0, 4, 4}, {2, 3, 8}};
  const std::vector<BarrierStageSlots> too_few{{0, 4, 4}, {2, 9, 8}, {3, 9, 1}};
  BOOST_TEST(!first_shortage(enough).has_value());
  BOOST_TEST(!first_shortage({}).has_value());
  BOOST_REQUIRE(first_shortage(too_few).has_value());
  BOOST_TEST(first_shortage(too_few)->stage == 2);
  BOOST_TEST((admit(false, 0, 0) == BarrierAdmission::start));
  BOOST_TEST((admit(false, 9, 2) == BarrierAdmission::start));
  BOOST_TEST((admit(true, 1, 2) == BarrierAdmission::check_again));
  BOOST_TEST((admit(true, 2, 2) == BarrierAdmission::check_again));
  BOOST_TEST((admit(true, 3, 2) == BarrierAdmission::fail));
  BOOST_TEST((admit(true, 1, 0) == BarrierAdmission::fail));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace barrier_test
}  // namespace heddle::policies

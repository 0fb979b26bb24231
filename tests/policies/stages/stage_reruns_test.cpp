// Goal: lost outputs are computed again from the last outputs that exist, and late events count once: caches, copies,
// shared stages, map-stage jobs, rollbacks. C-DAG-nn are numbered cases of the specification.
#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"
#include "tests/policies/stages/two_stages.hpp"

namespace heddle::policies {
namespace stage_reruns_test {

BOOST_AUTO_TEST_SUITE(stage_reruns)

// C-DAG-40, C-DAG-41
BOOST_AUTO_TEST_CASE(losses_go_up_to_where_something_is_cached) {
  for (const bool is_cached : {false, true}) {
    StageScript script;
    const DatasetId source = script.dataset(2);
    const DatasetId middle =
        script.dataset_with(2, {source}, {}, [&](DatasetDescription& it) { it.cached = is_cached; });
    script.submit(script.dataset(1, {middle}), 1);
    script.all_ok(0, {a, b});
    script.all_ok(1, {a, c});
    if (is_cached) {
      script.stages.apply(Instant{}, stage_input::PartitionCached{middle, 0, {StageScript::place(d)}});
      script.stages.apply(Instant{}, stage_input::PartitionCached{middle, 1, {StageScript::place(c)}});
    }
    script.fetch_failed(2, 0, 0, 1, 0, a);
    script.resubmit();
    const Names rerun = is_cached ? Names{{1, 1}} : Names{{0, 1}};
    const Names names = script.set_names();
    BOOST_TEST((Names(names.begin() + 3, names.end()) == rerun));
    if (is_cached) BOOST_TEST((StageScript::hosts_of(script.sets[3], 0, 0) == Ints{d}));
    while (script.ended.empty()) script.all_ok(script.sets.size() - 1, {b});
    BOOST_TEST((script.results == Names{{0, 0}}));
  }
}

// C-DAG-42
BOOST_AUTO_TEST_CASE(a_copy_that_cannot_fetch_does_not_spoil_the_original) {
  StageScript script = two_stages();
  script.ok(1, 0, 0, b);
  script.fetch_failed(1, 0, 1, 0, 0, a);
  script.resubmit();
  BOOST_TEST((script.set_names().back() == std::pair<std::int64_t, std::int32_t>{0, 1}));
  script.ok(1, 0, 1, b);
  BOOST_TEST((script.ended == Ids{0}));
  BOOST_TEST(script.stages.running().empty());
}

// C-DAG-43, heddle.fix.cancel_stages_with_failed_attempts
BOOST_AUTO_TEST_CASE(cancelling_can_reach_old_attempts_of_a_stage_that_does_not_run) {
  for (const bool reaches : {false, true}) {
    StageSchedulerSettings settings;
    settings.cancel_stages_with_failed_attempts = reaches;
    StageScript script = two_stages(2, settings);
    script.fetch_failed(1, 0, 0, 0, 0, a);
    script.resubmit();
    script.cancel(0);
    std::set<StageId> cancelled;
    for (const StageEffect& effect : script.last) {
      if (const auto* stage = std::get_if<CancelStage>(&effect)) cancelled.insert(stage->stage);
    }
    BOOST_TEST(cancelled.contains(StageId{0}));
    BOOST_TEST(cancelled.contains(StageId{1}) == reaches);
    BOOST_TEST(script.stages.running().empty());
    BOOST_TEST(script.stages.waiting().empty());
  }
}

// C-DAG-49
BOOST_AUTO_TEST_CASE(a_map_stage_job_reruns_what_its_parents_lost) {
  StageScript script;
  const DatasetId source = script.dataset(2);
  const DatasetId middle = script.dataset(2, {source});
  script.dataset(2, {middle});
  script.submit_map_stage(1);
  script.all_ok(0, {a, b});
  script.ok(1, 0, 0, b);
  script.fetch_failed(1, 0, 1, 0, 0, a);
  script.resubmit();
  script.ok(0, 1, 0, b);
  script.ok(1, 1, 1, b);
  BOOST_TEST((script.results == Names{{0, 0}}));
  script.submit_map_stage(1);
  BOOST_TEST((script.results == Names{{0, 0}, {1, 0}}));
}

// C-DAG-50
BOOST_AUTO_TEST_CASE(shared_stages_with_failures_give_each_job_one_result) {
  StageScript script;
  const DatasetId first = script.dataset(2);
  const DatasetId second = script.dataset(2, {first});
  const DatasetId third = script.dataset(2, {second});
  script.submit_map_stage(0);
  script.submit_map_stage(1);
  script.submit(third, 2);
  script.all_ok(0, {a, b});
  script.ok(1, 0, 0, c);
  script.fetch_failed(1, 0, 1, 0, 0, a);
  script.resubmit();
  script.all_ok(2, {c});
  script.all_ok(3, {d});
  script.fetch_failed(2, 0, 0, 1, 1, d);
  script.resubmit();
  script.all_ok(5, {b});
  script.all_ok(6, {b});
  BOOST_TEST((script.set_names() == Names{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {1, 2}, {2, 1}}));
  BOOST_TEST((script.results == Names{{0, 0}, {1, 0}, {2, 0}, {2, 1}}));
  BOOST_TEST((script.ended == Ids{0, 1, 2}));
}

// C-DAG-51
BOOST_AUTO_TEST_CASE(a_map_stage_completed_by_a_late_task_tells_its_job_when_it_is_submitted_again) {
  StageScript script;
  const DatasetId first = script.dataset(2);
  const DatasetId second = script.dataset(2, {first});
  script.dataset(1, {second});
  script.submit_map_stage(1);
  script.all_ok(0, {a, b});
  script.ok(1, 0, 0, c);
  script.fetch_failed(1, 0, 1, 0, 0, a);
  script.ok(1, 0, 1, d);
  BOOST_TEST(script.results.empty());
  script.resubmit();
  BOOST_TEST(script.results.empty());
  script.all_ok(2, {b});
  BOOST_TEST((script.results == Names{{0, 0}}));
  BOOST_TEST(script.sets.size() == 3U);
}

// C-DAG-54
BOOST_AUTO_TEST_CASE(jobs_that_always_fail_to_fetch_end_and_leave_the_timer_in_order) {
  StageScript script;
  const DatasetId source = script.dataset(1);
  const DatasetId sink = script.dataset(1, {source});
  std::int32_t host = 0;
  for (const bool always : {true, true, false}) {
    script.submit(sink, 1);
    for (int round = 0; round < 20 && script.ended.size() < static_cast<std::size_t>(script.next_job); ++round) {
      const SubmitTaskSet set = script.sets.back();
      if (set.kind == StageKind::map) {
        host += 1;
        script.all_ok(script.sets.size() - 1, {host});
      } else if (always || set.attempt == 0) {
        script.fetch_failed(set.stage.value, set.attempt, 0, 0, 0, script.outputs(0)[0]);
        script.resubmit();
      } else {
        script.all_ok(script.sets.size() - 1, {host});
      }
    }
  }
  BOOST_TEST((script.failed == Ids{0, 1}));
  BOOST_TEST((script.ended == Ids{0, 1, 2}));
}

// C-DAG-55
BOOST_AUTO_TEST_CASE(a_set_with_nothing_pending_and_outputs_missing_is_followed_by_another) {
  StageScript script;
  const DatasetId source = script.dataset(2);
  const DatasetId middle = script.dataset(2, {source});
  script.submit(script.dataset(2, {middle}), 2);
  script.all_ok(0, {a, a});
  script.fetch_failed(1, 0, 0, 0, 0, a);
  script.resubmit();
  script.all_ok(2, {b, b});
  script.ok(1, 0, 1, a);
  BOOST_TEST((StageScript::partitions(script.sets[3]) == Ints{0, 1}));
  script.ok(1, 1, 0, b);
  BOOST_TEST((script.set_names().back() == std::pair<std::int64_t, std::int32_t>{1, 2}));
  BOOST_TEST((StageScript::partitions(script.sets[4]) == Ints{1}));
  script.ok(1, 2, 1, b);
  BOOST_TEST((script.sets[5].kind == StageKind::result));
  BOOST_TEST(script.sets.size() == 6U);
}

// C-DAG-34
BOOST_AUTO_TEST_CASE(a_stage_is_done_with_tasks_of_two_attempts) {
  StageScript script;
  const DatasetId source = script.dataset(3);
  const DatasetId middle = script.dataset(3, {source});
  script.submit(script.dataset(1, {middle}), 1);
  script.ok(0, 0, 0, b);
  script.ok(0, 0, 1, b);
  script.ok(0, 0, 2, a);
  script.lose(a);
  script.fetch_failed(1, 0, 0, 0, 2, -1);
  script.resubmit();
  BOOST_TEST((script.set_names().at(2) == std::pair<std::int64_t, std::int32_t>{0, 1}));
  BOOST_TEST((StageScript::partitions(script.sets.at(2)) == Ints{2}));
  script.ok(0, 1, 2, b);
  BOOST_TEST((script.set_names().at(3) == std::pair<std::int64_t, std::int32_t>{1, 1}));
  BOOST_TEST((StageScript::partitions(script.sets.at(3)) == Ints{0, 1, 2}));
  script.ok(1, 1, 0, b);
  script.ok(1, 1, 1, b);
  BOOST_TEST(script.sets.size() == 4U);
  script.ok(1, 0, 2, b);
  BOOST_TEST(script.sets.size() == 5U);
  BOOST_TEST((script.set_names().back() == std::pair<std::int64_t, std::int32_t>{2, 0}));
}

// C-DAG-56
BOOST_AUTO_TEST_CASE(successes_of_an_older_attempt_count_and_are_announced) {
  StageScript script;
  const DatasetId source = script.dataset(1);
  const DatasetId middle = script.dataset(4, {source});
  script.submit(script.dataset(1, {middle}), 1);
  script.all_ok(0, {a});
  script.ok(1, 0, 0, b);
  script.fetch_failed(1, 0, 1, 0, 0, a);
  script.resubmit();
  script.all_ok(2, {c});
  BOOST_TEST((StageScript::partitions(script.sets[3]) == Ints{1, 2, 3}));
  script.ok(1, 1, 1, c);
  script.ok(1, 0, 2, b);
  script.ok(1, 0, 3, b);
  BOOST_TEST((script.done == Names{{1, 2}, {1, 3}}));
  BOOST_TEST((script.sets.back().kind == StageKind::result));
}

// C-DAG-59
BOOST_AUTO_TEST_CASE(late_outputs_of_an_indeterminate_stage_are_ignored) {
  StageScript script;
  const DatasetId source = script.dataset_with(2, {}, {}, [](DatasetDescription& it) { it.indeterminate = true; });
  const DatasetId middle = script.dataset(2, {source});
  script.submit(script.dataset(2, {middle}), 2);
  script.all_ok(0, {a, b});
  script.fetch_failed(1, 0, 0, 0, 0, a);
  script.resubmit();
  BOOST_TEST((StageScript::partitions(script.sets[2]) == Ints{0, 1}));
  script.all_ok(2, {b, b});
  BOOST_TEST((StageScript::partitions(script.sets[3]) == Ints{0, 1}));
  script.ok(1, 1, 0, b);
  script.ok(1, 0, 1, c);
  BOOST_TEST((script.outputs(1) == Ints{b, missing}));
  BOOST_TEST(script.done.empty());
  script.ok(1, 1, 1, d);
  BOOST_TEST((script.outputs(1) == Ints{b, d}));
}

// C-DAG-57: without attempt numbers, outputs of two runs cannot be told apart; if no output of the first is left, they
// need not be.
BOOST_AUTO_TEST_CASE(an_indeterminate_map_that_cannot_be_told_from_its_rerun_fails_the_job) {
  for (const bool is_old : {true, false}) {
    StageScript script{{.old_fetch_protocol = is_old}};
    const DatasetId source = script.dataset_with(2, {}, {}, [](DatasetDescription& it) { it.indeterminate = true; });
    script.submit(script.dataset(2, {source}), 2);
    script.all_ok(0, {a, b});
    script.fetch_failed(1, 0, 0, 0, 0, a);
    BOOST_TEST((script.failed == (is_old ? Ids{0} : Ids{})));
    if (is_old) BOOST_TEST((script.failures[0] == JobFailure::indeterminate_output));
    script.resubmit();
    BOOST_TEST(script.sets.size() == (is_old ? 2U : 3U));
  }
}

// C-DAG-60, C-DAG-58
BOOST_AUTO_TEST_CASE(an_indeterminate_loss_rolls_back_all_stages_below) {
  StageScript script;
  const DatasetId source = script.dataset_with(2, {}, {}, [](DatasetDescription& it) { it.indeterminate = true; });
  const DatasetId middle = script.dataset(2, {source});
  script.submit(script.dataset(2, {middle}), 2);
  script.all_ok(0, {a, b});
  script.all_ok(1, {b, b});
  script.fetch_failed(2, 0, 0, 1, 0, b);
  script.resubmit();
  for (std::size_t set = 3; set < script.sets.size(); ++set) {
    BOOST_TEST(script.sets[set].tasks == 2);
    script.all_ok(set, {c, d});
  }
  BOOST_TEST((script.set_names() == Names{{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {2, 1}}));
  BOOST_TEST((script.ended == Ids{0}));
}

BOOST_AUTO_TEST_CASE(a_result_made_from_an_indeterminate_stage_cannot_be_taken_back) {
  StageScript script;
  const DatasetId source = script.dataset_with(1, {}, {}, [](DatasetDescription& it) { it.indeterminate = true; });
  script.submit(script.dataset(2, {source}), 2);
  script.all_ok(0, {a});
  script.ok(1, 0, 0, a);
  script.fetch_failed(1, 0, 1, 0, 0, a);
  BOOST_TEST((script.failures == std::vector{JobFailure::indeterminate_output}));
}

// C-DAG-61
BOOST_AUTO_TEST_CASE(a_limit_on_all_attempts_fails_the_job) {
  StageSchedulerSettings settings;
  settings.max_consecutive_attempts = 2;
  settings.max_stage_attempts = 2;
  StageScript script{settings};
  const DatasetId source = script.dataset(2);
  script.submit(script.dataset(1, {source}), 1);
  script.ok(0, 0, 0, a);
  script.lose(a);
  script.ok(0, 0, 1, b);
  BOOST_TEST((StageScript::partitions(script.sets[1]) == Ints{0}));
  script.lose(b);
  script.ok(0, 1, 0, c);
  BOOST_TEST((script.failures == std::vector{JobFailure::too_many_attempts}));
}

/// For any failures, a job whose tasks can succeed ends once, with each output once.
BOOST_AUTO_TEST_CASE(random_failures_never_lose_or_double_an_output) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomStream random{seed};
    StageSchedulerSettings settings;
    settings.max_consecutive_attempts = 1'000;
    settings.shuffle_service = random.chance(1, 2);
    StageScript script{settings};
    const DatasetId first = script.dataset(4);
    const DatasetId second = script.dataset(3, {first});
    const DatasetId last = script.dataset(3, {second, first});
    script.submit(last, 3);
    std::vector<std::pair<std::size_t, std::int32_t>> running;
    std::size_t seen = 0;
    for (int step = 0; step < 4'000 && script.ended.empty(); ++step) {
      for (; seen < script.sets.size(); ++seen) {
        for (const std::int32_t partition : StageScript::partitions(script.sets[seen]))
          running.emplace_back(seen, partition);
      }
      const bool is_calm = step > 400;
      if (running.empty() || random.chance(1, 8)) {
        script.resubmit();
      } else if (!is_calm && random.chance(1, 10)) {
        const auto executor = static_cast<std::int32_t>(random.below(4));
        script.lose(executor);
        script.add(executor);
      } else {
        const std::size_t pick = random.below(running.size());
        const auto [set, partition] = running[pick];
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(pick));
        const SubmitTaskSet copy = script.sets[set];
        const auto host = static_cast<std::int32_t>(random.below(4));
        const bool can_fail = copy.stage.value > 0 && !is_calm;
        if (can_fail && random.chance(1, 6)) {
          script.fetch_failed(copy.stage.value, copy.attempt, partition, 0, static_cast<std::int32_t>(random.below(4)),
                              host);
        } else {
          script.ok(copy.stage.value, copy.attempt, partition, host);
        }
      }
    }
    BOOST_TEST((script.ended == Ids{0}), "seed " << seed);
    std::sort(script.results.begin(), script.results.end());
    BOOST_TEST((script.results == Names{{0, 0}, {0, 1}, {0, 2}}), "seed " << seed);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace stage_reruns_test
}  // namespace heddle::policies

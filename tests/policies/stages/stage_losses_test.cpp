// Fetch failures, lost executors, limits, late events of attempts. C-DAG-nn are numbered cases of the specification.
#include <boost/test/unit_test.hpp>

#include "tests/policies/stages/two_stages.hpp"

namespace heddle::policies {
namespace stage_losses_test {

BOOST_AUTO_TEST_SUITE(stage_losses)

// C-DAG-03
BOOST_AUTO_TEST_CASE(with_a_service_a_fetch_failure_can_drop_the_outputs_of_a_whole_host) {
  StageSchedulerSettings settings;
  settings.shuffle_service = true;
  settings.unregister_output_on_host = true;
  StageScript script{settings};
  const DatasetId source = script.dataset(3);
  const DatasetId middle = script.dataset(3, {source});
  script.submit(script.dataset(1, {middle}), 1);
  for (const std::int64_t stage : {0, 1}) {
    StageEffects effects;
    const MapStatusLocation places[] = {
        {ExecutorId{1}, HostId{a}}, {ExecutorId{2}, HostId{a}}, {ExecutorId{3}, HostId{b}}};
    for (std::int32_t map = 0; map < 3; ++map)
      script.stages.apply(Instant{}, stage_input::TaskSucceeded{StageId{stage}, 0, map, places[map]}, effects);
  }
  StageEffects effects;
  script.stages.apply(Instant{},
                      stage_input::FetchFailed{StageId{2}, 0, 0, ShuffleId{1}, 0, {ExecutorId{2}, HostId{a}}}, effects);
  BOOST_TEST((script.outputs(0) == Ints{missing, missing, b}));
  BOOST_TEST((script.outputs(1) == Ints{missing, missing, b}));
}

// C-DAG-04
BOOST_AUTO_TEST_CASE(with_a_service_files_are_dropped_once_and_by_the_fetch_failure) {
  StageSchedulerSettings settings;
  settings.shuffle_service = true;
  StageScript script{settings};
  const DatasetId source = script.dataset(3);
  script.submit(script.dataset(2, {source}), 2);
  script.all_ok(0, {a, a, b});
  script.lose(a);
  BOOST_TEST((script.removed == Ids{a}));
  BOOST_TEST((script.outputs(0) == Ints{a, a, b}));
  script.fetch_failed(1, 0, 0, 0, 0, a);
  BOOST_TEST((script.outputs(0) == Ints{missing, missing, b}));
  script.fetch_failed(1, 0, 1, 0, 0, a);
  BOOST_TEST((script.removed == Ids{a}));
  BOOST_TEST((script.outputs(0) == Ints{missing, missing, b}));
}

// C-DAG-15
BOOST_AUTO_TEST_CASE(a_fetch_failure_reruns_what_was_lost_and_nothing_else) {
  StageScript script = two_stages();
  script.ok(1, 0, 0, a);
  script.fetch_failed(1, 0, 1, 0, 0, a);
  BOOST_TEST((script.removed == Ids{a}));
  BOOST_TEST(script.stages.next_due().has_value());
  script.resubmit();
  BOOST_TEST((script.set_names() == Names{{0, 0}, {1, 0}, {0, 1}}));
  BOOST_TEST((StageScript::partitions(script.sets[2]) == Ints{0}));
  script.ok(0, 1, 0, b);
  BOOST_TEST((StageScript::partitions(script.sets[3]) == Ints{1}));
  script.ok(1, 1, 1, b);
  BOOST_TEST((script.results == Names{{0, 0}, {0, 1}}));
  BOOST_TEST((script.ended == Ids{0}));
}

// C-DAG-16, C-DAG-17, C-DAG-18, C-DAG-19, C-DAG-20, C-DAG-21
BOOST_AUTO_TEST_CASE(what_a_loss_costs_depends_on_who_serves_the_files) {
  struct Row {
    bool has_worker_host;
    bool has_service;
    bool is_reliable;
    bool loses_executor;
    bool loses_host;
  };
  const Row rows[] = {{false, true, false, false, false},
                      {true, true, false, true, true},
                      {true, false, false, true, true},
                      {false, false, false, true, false},
                      {true, false, true, false, false}};
  for (const Row& row : rows) {
    StageSchedulerSettings settings;
    settings.shuffle_service = row.has_service;
    settings.reliable_shuffle_storage = row.is_reliable;
    StageScript script{settings};
    const DatasetId source = script.dataset(3);
    script.submit(script.dataset(1, {source}), 1);
    StageEffects effects;
    const MapStatusLocation places[] = {
        {ExecutorId{1}, HostId{a}}, {ExecutorId{2}, HostId{a}}, {ExecutorId{3}, HostId{b}}};
    for (std::int32_t map = 0; map < 3; ++map)
      script.stages.apply(Instant{}, stage_input::TaskSucceeded{StageId{0}, 0, map, places[map]}, effects);
    script.lose(1, row.has_worker_host ? std::optional{a} : std::nullopt);
    BOOST_TEST((script.outputs(0) == Ints{row.loses_executor ? missing : a, row.loses_host ? missing : a, b}));
    BOOST_TEST((script.removed == Ids{1}));
  }
}

// C-DAG-22
BOOST_AUTO_TEST_CASE(many_fetch_failures_of_one_attempt_count_once) {
  StageScript script = two_stages(8);
  for (std::int32_t reduce = 0; reduce < 8; ++reduce) script.fetch_failed(1, 0, reduce, 0, 0, a);
  BOOST_TEST(script.failed.empty());
  script.resubmit();
  script.all_ok(2, {b});
  script.all_ok(3, {b});
  BOOST_TEST(script.results.size() == 8U);
}

// C-DAG-23
BOOST_AUTO_TEST_CASE(a_fetch_failure_at_a_draining_executor_counts_for_no_limit) {
  StageScript script = two_stages(1);
  script.stages.apply(Instant{}, stage_input::ExecutorDecommissioned{ExecutorId{a}, false});
  for (std::int32_t attempt = 0; attempt < 4; ++attempt) {
    const std::int32_t host = attempt == 0 ? a : 10 + attempt;
    script.fetch_failed(1, attempt, 0, 0, 0, host);
    script.resubmit();
    script.all_ok(script.sets.size() - 1, {11 + attempt});
  }
  BOOST_TEST(script.failed.empty());
}

// C-DAG-24
BOOST_AUTO_TEST_CASE(four_failed_attempts_in_a_row_fail_the_job) {
  StageScript script = two_stages(1);
  for (std::int32_t attempt = 0; attempt < 4; ++attempt) {
    BOOST_TEST(script.failed.empty());
    const std::int32_t host = script.outputs(0)[0];
    script.fetch_failed(1, attempt, 0, 0, 0, host);
    script.resubmit();
    if (attempt < 3) script.all_ok(script.sets.size() - 1, {20 + attempt});
  }
  BOOST_TEST((script.failed == Ids{0}));
  BOOST_TEST((script.failures[0] == JobFailure::fetch_failures));
  BOOST_TEST(script.stages.waiting().empty());
  BOOST_TEST(script.stages.failed().empty());
}

// C-DAG-26
BOOST_AUTO_TEST_CASE(a_success_in_between_clears_the_count_of_failures) {
  StageScript script;
  const DatasetId source = script.dataset(1);
  const DatasetId middle = script.dataset(1, {source});
  script.submit(script.dataset(1, {middle}), 1);
  script.all_ok(0, {a});
  std::int32_t host = a;
  const auto fail_middle = [&script, &host](std::int32_t attempt) {
    script.fetch_failed(1, attempt, 0, 0, 0, host);
    script.resubmit();
    host += 10;
    script.all_ok(script.sets.size() - 1, {host});
  };
  for (std::int32_t attempt = 0; attempt < 3; ++attempt) fail_middle(attempt);
  script.ok(1, 3, 0, b);
  script.fetch_failed(2, 0, 0, 1, 0, b);
  script.resubmit();
  fail_middle(4);
  script.ok(1, 5, 0, c);
  script.all_ok(script.sets.size() - 1, {c});
  BOOST_TEST(script.failed.empty());
  BOOST_TEST((script.ended == Ids{0}));
}

// C-DAG-25
BOOST_AUTO_TEST_CASE(failures_of_different_stages_are_counted_apart) {
  StageSchedulerSettings settings;
  settings.max_consecutive_attempts = 3;
  StageScript script{settings};
  const DatasetId source = script.dataset(1);
  const DatasetId middle = script.dataset(1, {source});
  script.submit(script.dataset(1, {middle}), 1);
  script.all_ok(0, {a});
  for (std::int32_t attempt = 0; attempt < 2; ++attempt) {
    script.fetch_failed(1, attempt, 0, 0, 0, 10 * attempt);
    script.resubmit();
    script.all_ok(script.sets.size() - 1, {10 * (attempt + 1)});
  }
  script.ok(1, 2, 0, b);
  for (std::int32_t attempt = 0; attempt < 2; ++attempt) {
    script.fetch_failed(2, attempt, 0, 1, 0, b + 100 * attempt);
    script.resubmit();
    script.all_ok(script.sets.size() - 1, {b + 100 * (attempt + 1)});
  }
  script.all_ok(script.sets.size() - 1, {c});
  BOOST_TEST((script.ended == Ids{0}));
  BOOST_TEST(script.failed.empty());
}

// C-DAG-27
BOOST_AUTO_TEST_CASE(two_fetch_failures_of_one_attempt_complete_it_once) {
  StageScript script = two_stages();
  script.completed.clear();
  script.fetch_failed(1, 0, 0, 0, 0, a);
  script.fetch_failed(1, 0, 1, 0, 0, a);
  BOOST_TEST(script.completed.size() == 1U);
  BOOST_TEST(!script.completed[0].succeeded);
  BOOST_TEST(script.completed[0].will_retry);
}

// C-DAG-28, C-DAG-29
BOOST_AUTO_TEST_CASE(late_fetch_failures_start_no_further_attempt_of_the_maps) {
  StageScript late = two_stages();
  late.fetch_failed(1, 0, 0, 0, 0, a);
  late.resubmit();
  late.fetch_failed(1, 0, 1, 0, 1, b);
  late.resubmit();
  BOOST_TEST((late.set_names() == Names{{0, 0}, {1, 0}, {0, 1}}));

  StageScript later = two_stages();
  later.fetch_failed(1, 0, 0, 0, 0, a);
  later.resubmit();
  later.all_ok(2, {c});
  later.fetch_failed(1, 0, 1, 0, 1, b);
  BOOST_TEST(later.last.empty());
  BOOST_TEST(!later.stages.next_due().has_value());
}

// C-DAG-31
BOOST_AUTO_TEST_CASE(outputs_of_an_executor_that_was_lost_meanwhile_are_not_believed) {
  StageScript script;
  const DatasetId source = script.dataset(2);
  script.submit(script.dataset(1, {source}), 1);
  script.lose(a);
  script.ok(0, 0, 0, a);
  BOOST_TEST((script.outputs(0) == Ints{missing, missing}));
  script.ok(0, 0, 0, b);
  script.ok(0, 0, 0, a);
  BOOST_TEST((script.outputs(0) == Ints{b, missing}));
  script.add(a);
  script.ok(0, 0, 1, a);
  BOOST_TEST((script.outputs(0) == Ints{b, a}));
  BOOST_TEST((script.stages.running() == std::set{StageId{1}}));
}

// C-DAG-33
BOOST_AUTO_TEST_CASE(a_skipped_stage_reruns_as_attempt_one) {
  StageScript script = two_stages(1);
  script.all_ok(1, {a});
  script.submit(script.dataset(1, {}, {DatasetId{1}}), 1);
  BOOST_TEST((script.set_names().back() == std::pair<std::int64_t, std::int32_t>{3, 0}));
  script.fetch_failed(3, 0, 0, 0, 0, a);
  script.resubmit();
  BOOST_TEST((script.set_names().back() == std::pair<std::int64_t, std::int32_t>{2, 1}));
}

// C-DAG-35
BOOST_AUTO_TEST_CASE(resubmitted_map_tasks_are_owed_again) {
  StageScript script;
  const DatasetId source = script.dataset(3);
  script.submit(script.dataset(1, {source}), 1);
  script.ok(0, 0, 0, a);
  script.ok(0, 0, 1, a);
  script.lose(a);
  StageEffects effects;
  script.stages.apply(Instant{}, stage_input::TaskResubmitted{StageId{0}, 0, 0}, effects);
  script.stages.apply(Instant{}, stage_input::TaskResubmitted{StageId{0}, 0, 1}, effects);
  script.ok(0, 0, 2, b);
  BOOST_TEST((script.stages.running() == std::set{StageId{0}}));
  script.ok(0, 0, 0, b);
  script.ok(0, 0, 1, b);
  BOOST_TEST((script.outputs(0) == Ints{b, b, b}));
  BOOST_TEST((script.stages.running() == std::set{StageId{1}}));
}

// C-DAG-39, C-DAG-52
BOOST_AUTO_TEST_CASE(an_attempt_whose_outputs_were_not_believed_is_followed_by_another) {
  StageScript script;
  const DatasetId source = script.dataset(2);
  script.submit(script.dataset(1, {source}), 1);
  script.lose(a);
  script.ok(0, 0, 0, a);
  script.ok(0, 0, 1, b);
  BOOST_TEST((script.set_names() == Names{{0, 0}, {0, 1}}));
  BOOST_TEST((StageScript::partitions(script.sets[1]) == Ints{0}));
  script.ok(0, 1, 0, c);
  BOOST_TEST((script.outputs(0) == Ints{c, b}));
  BOOST_TEST((script.stages.running() == std::set{StageId{1}}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace stage_losses_test
}  // namespace heddle::policies

// Goal: failures, losses and copies cost exactly what they cost in Spark, and queued attempts cost nothing.
// Method: tables of small clusters, told in words; ids of the specification's numbered cases stand in the tests' comments.
#include <boost/test/unit_test.hpp>

#include "tests/support/task_scheduler_script.hpp"

using namespace heddle;
using namespace heddle::policies;
using heddle::support::TaskSchedulerScript;

namespace {

constexpr auto map_tasks = TaskSetKind::map;

TaskSchedulerSettings settings_with_exclusion(bool dynamic_allocation = false) {
  TaskSchedulerSettings settings;
  settings.exclusion.emplace();
  settings.unschedulable_timeout = std::chrono::seconds{10};
  settings.dynamic_allocation = dynamic_allocation;
  settings.wait_process = settings.wait_node = settings.wait_rack = Duration::zero();
  return settings;
}

TaskSchedulerSettings settings_with_speculation(double quantile, double multiplier, std::int64_t min_ms = 0) {
  TaskSchedulerSettings settings;
  settings.speculation.emplace();
  settings.speculation->quantile = quantile;
  settings.speculation->multiplier = multiplier;
  settings.speculation->min_runtime = std::chrono::milliseconds{min_ms};
  return settings;
}

void take_events(TaskSchedulerScript& script) { script.effects.clear(); }

}  // namespace

BOOST_AUTO_TEST_SUITE(failures)

// C-TSF-01, C-TSF-02
BOOST_AUTO_TEST_CASE(the_fourth_counted_failure_gives_the_set_up) {
  TaskSchedulerScript script;
  script.submit(0, {{}});
  for (std::int64_t task = 0; task < 3; ++task) {
    BOOST_TEST(script.offer({"e@h:1"}) == "0.0/0 e process");
    script.status(task, AttemptState::failed, task == 0 ? AttemptFailure::result_lost : AttemptFailure::exception);
    BOOST_TEST(script.events() == std::to_string(task) + (task == 0 ? " result_lost" : " exception"));
  }
  script.offer({"e@h:1"});
  script.fails(3);
  BOOST_TEST(script.events() == "3 exception, 0.0 failed, 0.0 finished");
}

// C-TSF-07, C-TSF-17, C-TSF-21, C-TSF-24
BOOST_AUTO_TEST_CASE(the_reason_decides_what_a_failure_costs) {
  struct Row {
    AttemptState state;
    AttemptFailure failure;
    const char* told;
  };
  const Row rows[] = {{AttemptState::failed, AttemptFailure::exception, "0 exception, 0.0 failed, 0.0 finished"},
                      {AttemptState::failed, AttemptFailure::unknown, "0 unknown, 0.0 failed, 0.0 finished"},
                      {AttemptState::failed, AttemptFailure::not_serializable, "0 exception, 0.0 failed, 0.0 finished"},
                      {AttemptState::failed, AttemptFailure::output_exists, "0 exception, 0.0 failed, 0.0 finished"},
                      {AttemptState::failed, AttemptFailure::commit_denied, "0 commit_denied"},
                      {AttemptState::failed, AttemptFailure::fetch_failed, "0 fetch_failed, 0.0 finished"},
                      {AttemptState::killed, AttemptFailure::unknown, "0 killed"}};
  for (const Row& row : rows) {
    TaskSchedulerSettings settings;
    settings.max_failures = 1;
    TaskSchedulerScript script{settings};
    script.submit(0, {{}, {}});
    script.offer({"e@h:1"});
    script.status(0, row.state, row.failure);
    BOOST_TEST(script.events() == row.told);
  }
}

// A task keeps small numbers where it stands and large ones elsewhere: at the border between them nothing is lost.
BOOST_AUTO_TEST_CASE(attempts_are_numbered_and_failures_counted_however_many_there_are) {
  for (const int most : {254, 255, 256, 600}) {
    TaskSchedulerSettings settings;
    settings.max_failures = most;
    TaskSchedulerScript script{settings};
    script.submit(0, {{}});
    for (std::int64_t attempt = 0; attempt < most + 5; ++attempt) {
      BOOST_REQUIRE(!script.progress(0).zombie);
      script.offer({"e@h:1"});
      BOOST_REQUIRE(script.effects.launches.size() == 1U);
      const auto launch = script.effects.launches.front();
      BOOST_REQUIRE(launch.attempt == attempt);
      // Five that were killed cost the task no failure.
      if (attempt < 5) script.status(attempt, AttemptState::killed);
      else script.fails(attempt);
      script.scheduler.check_invariants();
    }
    BOOST_TEST(script.progress(0).zombie);
    BOOST_TEST(script.progress(0).failures == most + 5);
  }
}

// C-TSF-08, C-TSF-09: the sum of result sizes ends a result set, and no map set; how many came, and their sum, is told.
BOOST_AUTO_TEST_CASE(results_that_are_too_large_in_sum_give_the_set_up) {
  struct Row {
    std::int64_t limit;
    std::size_t tasks;
    std::int64_t bytes;
    TaskSetKind kind;
    const char* last;
  };
  constexpr std::int64_t kib = 1024;
  const Row rows[] = {{2048 * kib, 10, kib, TaskSetKind::result, "9 success, 0.0 finished"},
                      {2048 * kib, 1, 10'240 * kib, TaskSetKind::result, "0.0 failed, 0 killed, 0.0 finished"},
                      {2048 * kib, 10, 1024 * kib, TaskSetKind::result, "0.0 failed, 2 killed"},
                      {0, 10, INT64_MAX, TaskSetKind::result, "9 success, 0.0 finished"},
                      {20 * kib, 2000, kib, TaskSetKind::map, "1999 success, 0.0 finished"}};
  for (const Row& row : rows) {
    TaskSchedulerSettings settings;
    settings.result_bytes_max = row.limit;
    TaskSchedulerScript script{settings};
    script.submit(0, std::vector<TaskSchedulerScript::Words>(row.tasks), 0, "", row.kind);
    script.offer({"e@h:2000"});
    std::string last;
    for (std::size_t task = 0; task < row.tasks && !script.progress(0).zombie; ++task) {
      AttemptStatus status;
      status.result_bytes = row.bytes;
      script.scheduler.on_status(script.now, LaunchId{static_cast<std::int64_t>(task)}, status, script.effects);
      last = script.events();
    }
    BOOST_TEST(last == row.last);
  }
}

BOOST_AUTO_TEST_CASE(a_status_of_an_attempt_that_ended_is_ignored) {  // C-TS-28, C-TS-41
  TaskSchedulerScript script;
  script.submit(0, {{}, {}});
  script.offer({"e@h:1"});
  script.lose("e");
  BOOST_TEST(script.events() == "0 executor_lost");
  script.ends(0).fails(0).ends(77);
  BOOST_TEST(script.events() == "");
  BOOST_TEST(script.progress(0).successful == 0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(losses)

// C-TSF-04, C-TS-42
BOOST_AUTO_TEST_CASE(only_attempts_that_ran_count_against_their_task) {
  for (const bool ran : {false, true}) {
    TaskSchedulerSettings settings;
    settings.max_failures = 1;
    TaskSchedulerScript script{settings};
    script.submit(0, {{}});
    script.offer({"e@h:1"});
    if (ran) script.runs(0);
    script.lose("e", LossKind::exited, true);
    BOOST_TEST(script.events() == (ran ? "0 executor_lost_by_application, 0.0 failed, 0.0 finished" : "0 executor_lost"));
  }
  for (const LossKind kind : {LossKind::killed, LossKind::decommissioned}) {
    TaskSchedulerScript script;
    script.submit(0, {{}});
    script.offer({"e@h:1"});
    script.runs(0).lose("e", kind);
    BOOST_TEST(script.events() == "0 executor_lost");
  }
}

// C-TSF-05: what a decommissioned executor made stays where it was moved to another host; a lost one takes all with it.
BOOST_AUTO_TEST_CASE(an_output_that_was_moved_survives_the_decommission_of_its_executor) {
  for (const LossKind kind : {LossKind::decommissioned, LossKind::process_lost}) {
    for (const char* moved_to : {"h1", "h0"}) {
      TaskSchedulerScript script;
      script.submit(0, {{"h0/e0"}, {"h1/e1"}}, 0, "", map_tasks);
      BOOST_TEST(script.offer({"e0@h0:1", "e1@h1:0"}) == "0.0/0 e0 process");
      script.ends(0).decommission("e0");
      script.scheduler.on_output_moved(StageId{0}, 0, script.host(moved_to));
      script.events();
      script.lose("e0", kind);
      const bool stays = kind == LossKind::decommissioned && std::string{moved_to} == "h1";
      BOOST_TEST(script.events() == (stays ? "" : "0 resubmitted"));
      BOOST_TEST(script.progress(0).successful == (stays ? 1 : 0));
    }
  }
}

// C-TS-38, C-TS-39, C-TS-40
BOOST_AUTO_TEST_CASE(a_decommission_can_be_asked_for_while_it_lasts_and_for_the_last_ones_that_are_gone) {
  for (const std::int32_t retained : {0, 1}) {
    TaskSchedulerSettings settings;
    settings.decommissioned_retained = retained;
    TaskSchedulerScript script{settings};
    script.offer({"e0@h0:1", "e1@h1:1", "e2@h2:1"});
    const auto state = [&script](const char* executor) { return script.scheduler.decommission_state(script.executor(executor)); };
    script.at(10'000).decommission("e0").decommission("e1", true);
    BOOST_TEST((state("e0")->since == script.now && !state("e0")->host));
    BOOST_TEST((state("e1")->since == script.now && state("e1")->host == script.host("h1")));
    BOOST_TEST(!state("e2"));
    BOOST_TEST(!state("unknown"));
    script.lose("e1");
    BOOST_TEST(state("e1").has_value() == (retained == 1));
    script.lose("e0");
    BOOST_TEST(state("e0").has_value() == (retained == 1));
    BOOST_TEST(!state("e1"));
    script.lose("e2").decommission("e2");
    BOOST_TEST(!state("e2"));
  }
}

// C-BE-03a: one such decommission is kept; it counts as soon as the executor is there.
BOOST_AUTO_TEST_CASE(a_decommission_said_before_its_executor_is_known_waits_for_it) {
  for (const std::int32_t retained : {0, 1}) {
    TaskSchedulerSettings settings;
    settings.unknown_decommissions_retained = retained;
    TaskSchedulerScript script{settings};
    script.decommission("e9").decommission("e0", true);
    BOOST_TEST(!script.scheduler.decommission_state(script.executor("e0")));
    script.at(7000).offer({"e0@h0:1", "e9@h9:1"});
    const auto state = script.scheduler.decommission_state(script.executor("e0"));
    BOOST_TEST(state.has_value() == (retained == 1));
    if (state) BOOST_TEST((state->since == script.now && state->host == script.host("h0")));
    BOOST_TEST(!script.scheduler.decommission_state(script.executor("e9")));
  }
}

BOOST_AUTO_TEST_CASE(a_loss_whose_reason_is_pending_keeps_the_tasks) {  // C-TS-13
  TaskSchedulerScript script;
  script.submit(0, {{}});
  script.offer({"e0@h0:1"});
  script.lose("e0", LossKind::pending);
  BOOST_TEST(script.offer({"e1@h0:1"}) == "");
  script.lose("e0");
  BOOST_TEST(script.offer({"e1@h0:1"}) == "0.0/0 e1 process");
}

// C-TS-39, C-TSF-10
BOOST_AUTO_TEST_CASE(map_output_goes_with_its_executor_unless_a_service_keeps_it) {
  for (const bool service : {false, true}) {
    TaskSchedulerSettings settings;
    settings.shuffle_service = service;
    TaskSchedulerScript script{settings};
    script.submit(0, {{}, {}, {}}, 0, "", map_tasks);
    script.offer({"e0@h0:1", "e1@h1:1"});
    script.ends(0).ends(1);
    take_events(script);
    script.lose("e0", LossKind::process_lost);
    BOOST_TEST(script.events() == (service ? "" : "0 resubmitted"));
    script.lose("e1", LossKind::decommissioned);
    BOOST_TEST(script.events() == "1 resubmitted");
    BOOST_TEST(script.offer({"e2@h2:3"}) ==
               (service ? "0.0/1 e2 process, 0.0/2 e2 process" : "0.0/1 e2 process, 0.0/0 e2 process, 0.0/2 e2 process"));
  }
}

// An id that comes back brings its history: the first attempt that ended there is the one told, even if its output went before.
BOOST_AUTO_TEST_CASE(an_executor_that_comes_back_and_is_lost_again_takes_its_earlier_attempts_along) {
  TaskSchedulerScript script;
  script.submit(0, {{}, {}, {}}, 0, "", map_tasks);
  script.offer({"e0@h0:1"});
  script.ends(0);
  script.lose("e0", LossKind::killed);
  BOOST_TEST(script.offer({"e0@h0:1"}) == "0.0/0 e0 process");
  script.ends(1);
  take_events(script);
  script.lose("e0", LossKind::killed);
  BOOST_TEST(script.events() == "0 resubmitted");
  script.offer({"e0@h0:1"});
  script.fails(2);
  BOOST_TEST(script.offer({"e1@h1:1"}) == "0.0/0 e1 process");
  script.ends(3);
  take_events(script);
  script.lose("e0", LossKind::killed);  // nothing of value was there, but Spark asks only whether the task is done
  BOOST_TEST(script.events() == "0 resubmitted");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(exclusion)

// C-TSF-03, C-TSF-19, C-TS-20, C-TS-25
BOOST_AUTO_TEST_CASE(a_failed_task_goes_elsewhere) {
  TaskSchedulerScript script{settings_with_exclusion()};
  script.offer({"e1@h1:0", "e1.1@h1:0", "e2@h2:0"});
  script.submit(0, {{"h1/e1"}});
  BOOST_TEST(script.offer({"e1@h1:1"}) == "0.0/0 e1 process");
  script.fails(0);
  BOOST_TEST(script.offer({"e1@h1:1"}) == "");
  BOOST_TEST(script.offer({"e1.1@h1:1"}) == "0.0/0 e1.1 node");
  script.fails(1);
  BOOST_TEST(script.offer({"e1.1@h1:1", "e1@h1:1"}) == "");
  BOOST_TEST(script.offer({"e2@h2:1"}) == "0.0/0 e2 any");
  script.fails(2);
  BOOST_TEST(script.offer({"e3@h3:1"}) == "0.0/0 e3 any");
  script.fails(3);
  BOOST_TEST(script.events().ends_with("0.0 failed, 0.0 finished"));
}

// C-TS-17, C-TS-18
BOOST_AUTO_TEST_CASE(a_set_that_can_run_nowhere_asks_for_room_and_is_given_up_in_the_end) {
  TaskSchedulerScript script{settings_with_exclusion()};
  script.submit(0, {{}});
  script.offer({"e0@h0:1"});
  script.fails(0);
  BOOST_TEST(script.offer({"e0@h0:1"}) == "");
  BOOST_TEST(script.events() == "kill an idle executor");
  BOOST_TEST((script.scheduler.explain(script.now, {StageId{0}, 0}).refusal == TaskRefusal::excluded));
  TaskSchedulerScript helped = script;
  BOOST_TEST(helped.offer({"e1@h1:1"}) == "0.0/0 e1 process");
  BOOST_TEST(helped.events() == "schedulable again");
  BOOST_TEST(!helped.scheduler.next_due().has_value());
  BOOST_REQUIRE(script.scheduler.next_due().has_value());
  script.scheduler.on_time(*script.scheduler.next_due(), script.effects);
  BOOST_TEST(script.events() == "0.0 failed, 0.0 finished");
}

BOOST_AUTO_TEST_CASE(a_set_that_can_run_nowhere_is_given_up_at_once_where_there_is_no_patience) {  // C-TS-17
  TaskSchedulerSettings settings = settings_with_exclusion();
  settings.unschedulable_timeout = Duration{0};
  TaskSchedulerScript script{settings};
  script.submit(0, {{}});
  script.offer({"e0@h0:1"});
  script.fails(0);
  BOOST_TEST(script.offer({"e0@h0:1"}) == "");
  (void)script.events();
  BOOST_REQUIRE(script.scheduler.next_due().has_value());
  BOOST_TEST((*script.scheduler.next_due() <= script.now + std::chrono::milliseconds{500}));
  script.scheduler.on_time(*script.scheduler.next_due(), script.effects);
  BOOST_TEST(script.events() == "0.0 failed, 0.0 finished");
}

// C-TS-16, C-TS-21, C-TS-24
BOOST_AUTO_TEST_CASE(without_an_idle_executor_dynamic_allocation_decides) {
  for (const bool dynamic : {false, true}) {
    TaskSchedulerScript script{settings_with_exclusion(dynamic)};
    script.submit(0, {{}, {}});
    script.offer({"e0@h0:2"});
    script.fails(0);
    BOOST_TEST(script.offer({"e0@h0:1"}) == "");
    BOOST_TEST(script.events() == (dynamic ? "unschedulable" : "0.0 failed"));
  }
}

BOOST_AUTO_TEST_CASE(sets_whose_time_ends_together_are_given_up_in_the_order_of_their_timers) {
  TaskSchedulerScript script{settings_with_exclusion(true)};
  script.submit(0, {{}}).submit(1, {{}});
  script.offer({"e0@h0:2"});
  script.fails(1);
  script.offer({"e0@h0:1"});
  script.fails(0);
  script.offer({"e0@h0:1"});
  take_events(script);
  script.scheduler.on_time(*script.scheduler.next_due(), script.effects);
  BOOST_TEST(script.events() == "1.0 failed, 1.0 finished, 0.0 failed, 0.0 finished");
}

BOOST_AUTO_TEST_CASE(a_launch_of_any_set_clears_every_expiry) {  // C-TS-19
  TaskSchedulerScript script{settings_with_exclusion()};
  script.submit(0, {{}}).submit(1, {{}});
  script.offer({"e0@h0:1"});
  script.fails(0);
  BOOST_TEST(script.offer({"e0@h0:1"}) == "1.0/0 e0 process");
  script.fails(1);
  script.offer({"e0@h0:1"});
  BOOST_TEST(script.scheduler.next_due().has_value());
  BOOST_TEST(script.offer({"e1@h1:1"}) == "0.0/0 e1 process");
  BOOST_TEST(!script.scheduler.next_due().has_value());
}

// heddle.fix.unschedulable_removed_for_all: two sets could run nowhere, a launch of one frees both; each is told, or one of them.
BOOST_AUTO_TEST_CASE(a_launch_tells_of_every_set_that_it_frees_only_if_mended) {
  for (const bool mended : {false, true}) {
    auto settings = settings_with_exclusion(true);
    settings.fix_unschedulable_removed = mended;
    TaskSchedulerScript script{settings};
    script.submit(0, {{}}).submit(1, {{}}).submit(2, {{}});
    script.offer({"e0@h0:3"});
    script.fails(0);
    script.fails(1);
    script.events();
    script.offer({"e0@h0:2"});
    BOOST_TEST(script.events() == "unschedulable, unschedulable");
    BOOST_TEST(script.offer({"e1@h1:1"}) == "0.0/0 e1 process");
    BOOST_TEST(script.events() == (mended ? "schedulable again, schedulable again" : "schedulable again"));
  }
}

// HT-10: excluded for tasks and stages only, an application never excludes.
BOOST_AUTO_TEST_CASE(without_the_application_level_failures_never_reach_it) {
  for (const bool reaches : {true, false}) {
    auto settings = settings_with_exclusion();
    settings.exclusion->application = reaches;
    TaskSchedulerScript script{settings};
    script.submit(0, {{}, {}});
    script.offer({"e1@hostA:2", "e2@hostA:0", "e3@hostB:0"});
    script.fails(0);
    script.fails(1);
    script.offer({"e1@hostA:0", "e3@hostB:2"});
    script.ends(2);
    script.ends(3);
    BOOST_TEST(script.scheduler.is_executor_excluded(script.executor("e1")) == reaches);
  }
}

// C-TSF-25: with one of the two levels alone failures are kept; only the level that is on excludes.
BOOST_AUTO_TEST_CASE(a_level_that_is_off_records_and_excludes_nothing) {
  for (const bool task_and_stage : {true, false}) {
    auto settings = settings_with_exclusion();
    settings.exclusion->application = !task_and_stage;
    settings.exclusion->task_and_stage = task_and_stage;
    TaskSchedulerScript script{settings};
    script.submit(0, {{}, {}});
    script.offer({"e1@hostA:2", "e3@hostB:0"});
    script.fails(0).fails(1);
    const TaskSetKey set{StageId{0}, 0};
    BOOST_TEST(script.scheduler.is_executor_excluded(set, script.executor("e1"), 0) == task_and_stage);
    BOOST_TEST(script.scheduler.is_executor_excluded(set, script.executor("e1"), -1) == task_and_stage);
    script.offer({"e3@hostB:2"});
    script.ends(2).ends(3);
    BOOST_TEST(script.scheduler.is_executor_excluded(script.executor("e1")) == !task_and_stage);
  }
}

// C-EXC-01, C-EXC-03, C-HT-01, C-HT-02, C-HT-03, C-HT-08
BOOST_AUTO_TEST_CASE(failures_reach_the_application_only_with_a_set_that_succeeds) {
  for (const bool succeeds : {true, false}) {
    TaskSchedulerScript script{settings_with_exclusion()};
    script.submit(0, {{}, {}});
    script.offer({"e1@hostA:2", "e2@hostA:0", "e3@hostB:0"});
    script.fails(0).fails(1);
    const TaskSetKey set{StageId{0}, 0};
    BOOST_TEST(script.scheduler.is_executor_excluded(set, script.executor("e1"), -1));
    BOOST_TEST(!script.scheduler.is_host_excluded(set, script.host("hostA"), -1));
    BOOST_TEST(!script.scheduler.is_executor_excluded(script.executor("e1")));
    script.offer({"e3@hostB:2"});
    if (succeeds) script.ends(2).ends(3);
    else script.ends(2).status(3, AttemptState::failed, AttemptFailure::not_serializable);
    BOOST_TEST(script.scheduler.is_executor_excluded(script.executor("e1")) == succeeds);
    BOOST_TEST(!script.scheduler.is_host_excluded(script.host("hostA")));
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(speculation)

// C-SPE-02, C-TSF-13, C-TSF-20
BOOST_AUTO_TEST_CASE(a_copy_is_made_once_on_another_host_and_the_first_to_finish_wins) {
  TaskSchedulerScript script{settings_with_speculation(0.5, 1.5)};
  script.submit(0, {{}, {}, {}, {}});
  script.offer({"e1@h1:2"});
  script.offer({"e2@h2:2"});
  script.at(2).ends(0).ends(2);
  BOOST_TEST(script.speculate() == "");
  BOOST_TEST(script.at(3).speculate() == "copy of 1, copy of 3");
  BOOST_TEST(script.speculate() == "");
  BOOST_TEST(script.offer({"e1@h1:1"}) == "0.0/3 e1 process*");
  BOOST_TEST(script.offer({"e2@h2:1"}) == "0.0/1 e2 process*");
  BOOST_TEST(script.offer({"e1@h1:1", "e2@h2:1", "e3@h3:1"}) == "");
  script.ends(4);
  BOOST_TEST(script.events() == "kill 3, 4 success");
  BOOST_TEST(script.progress(0).speculative == 2);
  script.ends(3);
  BOOST_TEST(script.events() == "3 killed");
}

// As in Spark: the wish is passed over where the task was tried, so that it stays, and levels follow the executors that come.
BOOST_AUTO_TEST_CASE(a_wish_for_a_copy_of_a_finished_task_keeps_its_set_schedulable) {
  TaskSchedulerSettings settings = settings_with_speculation(0.5, 1.5);
  settings.wait_process = settings.wait_node = settings.wait_rack = Duration::zero();
  TaskSchedulerScript script{settings};
  script.submit(0, {{"h2"}, {"h2"}, {"h2"}, {"h2"}});
  script.offer({"e1@h1:4"});
  script.at(2).ends(0).ends(1);
  BOOST_TEST(script.at(9).speculate() == "copy of 2, copy of 3");
  script.ends(2);
  BOOST_TEST(script.offer({"e3@h3:1"}) == "0.0/3 e3 any*");
  script.offer({"e1@h1:1"});
  BOOST_TEST(script.levels(0) == "any");
  script.offer({"e2@h2:0"});
  BOOST_TEST(script.levels(0) == "node any");
  BOOST_TEST(script.offer({"e2@h2:1"}) == "");  // here it is looked at and dropped
}

// C-SPE-04, C-SPE-05, C-SPE-06, C-SPE-08, C-SPE-11
BOOST_AUTO_TEST_CASE(a_threshold_of_its_own_serves_sets_that_fit_one_executor) {
  struct Row {
    std::size_t tasks;
    std::int32_t cores;
    std::int64_t threshold;
    bool found;
  };
  for (const Row& row : {Row{1, 1, 60, true}, Row{2, 2, 60, true}, Row{2, 1, 60, false}, Row{1, 1, 0, false}, Row{1, 0, 60, true}}) {
    TaskSchedulerSettings settings = settings_with_speculation(1.0, 1.5);
    settings.speculation->threshold = std::chrono::minutes{row.threshold};
    if (row.cores > 0) settings.executor_cores = row.cores;
    TaskSchedulerScript script{settings};
    script.submit(0, std::vector<TaskSchedulerScript::Words>(row.tasks));
    script.offer({"e@h:2"});
    BOOST_TEST(script.at(3'600'001).speculate() == "");
    BOOST_TEST((script.at(3'601'001).speculate() != "") == row.found);
  }
}

// C-SPE-07, C-SPE-10, C-SPE-15
BOOST_AUTO_TEST_CASE(the_limit_is_a_multiple_of_the_upper_median_and_never_below_the_minimum) {
  TaskSchedulerScript script{settings_with_speculation(0.5, 1.0, 0)};
  script.submit(0, std::vector<TaskSchedulerScript::Words>(5));
  script.offer({"e@h:5"});
  script.at(2).ends(0).at(3).ends(1).at(4).ends(2);
  script.at(5).ends(3);  // 1, 2, 3, 4 ms: the limit is 3, the fifth has run for 4
  BOOST_TEST(script.speculate() == "copy of 4");
  TaskSchedulerScript patient{settings_with_speculation(0.5, 1.5, 3000)};
  patient.submit(0, {{}, {}});
  patient.offer({"e@h:2"});
  patient.at(1001).ends(0);
  BOOST_TEST(patient.at(2001).speculate() == "");
  BOOST_TEST(patient.at(4001).speculate() == "copy of 1");
}

BOOST_AUTO_TEST_CASE(a_task_that_outlives_its_decommissioned_executor_is_copied) {  // C-SPE-09
  TaskSchedulerSettings settings = settings_with_speculation(0.5, 1.5);
  settings.speculation->decommission_kill_interval = std::chrono::seconds{5};
  TaskSchedulerScript script{settings};
  script.at(0).submit(0, {{}, {}, {}, {}});
  script.offer({"e1@h1:2", "e2@h2:1"});  // 0 on e1, 1 on e2, 2 on e1
  BOOST_TEST(script.at(6000).offer({"e2@h2:1"}) == "0.0/3 e2 process");
  script.at(10'000).ends(0).ends(2);
  BOOST_TEST(script.speculate() == "");
  script.decommission("e2");
  BOOST_TEST(script.speculate() == "copy of 3");
  BOOST_TEST(script.offer({"e3@h3:2"}) == "0.0/3 e3 process*");
  BOOST_TEST(script.at(11'000).speculate() == "");
  BOOST_TEST(script.at(16'000).speculate() == "copy of 1");
}

// C-TSF-11, C-TSF-12, C-TSF-14, C-TSF-23
BOOST_AUTO_TEST_CASE(losing_the_winner_runs_the_task_again_losing_the_loser_does_not) {
  for (const bool lose_winner : {false, true}) {
    TaskSchedulerScript script{settings_with_speculation(0.5, 0)};
    script.submit(0, {{}, {}, {}}, 0, "", map_tasks);
    script.offer({"e1@h1:1", "e2@h2:1", "e4@h4:1"});
    script.at(2).ends(0);
    BOOST_TEST(script.at(3).speculate() == "copy of 1, copy of 2");
    BOOST_TEST(script.offer({"e3@h3:1"}) == "0.0/2 e3 process*");
    script.ends(3);
    BOOST_TEST(script.events() == "kill 2, 3 success");
    script.status(2, AttemptState::killed);
    BOOST_TEST(script.events() == "2 killed");
    script.lose(lose_winner ? "e3" : "e4");
    BOOST_TEST(script.events() == (lose_winner ? "3 resubmitted" : ""));
  }
}

// C-SPE-12, C-SPE-13, C-SPE-14
BOOST_AUTO_TEST_CASE(a_task_that_reads_fast_enough_is_copied_only_when_it_runs_very_long) {
  struct Row {
    std::int32_t tasks;
    std::int64_t min_ms;
    double share, factor, slow_rate;
    const char* copied;
  };
  const Row rows[] = {{5, 0, 0.75, 2, 0.4, "copy of 3, copy of 4"},
                      {5, 10'000, 0.75, 2, 0.4, "copy of 3"},
                      {5, 50'000, 0.75, 2, 0.4, ""},
                      {4, 15'000, 0.5, 2, 0.6, ""},
                      {4, 15'000, 0.8, 2, 0.6, "copy of 3"},
                      {4, 15'000, 0.5, 1, 0.6, "copy of 3"},
                      {4, 15'000, 0.5, 2, 0.6, ""}};
  for (const Row& row : rows) {
    TaskSchedulerSettings settings = settings_with_speculation(row.tasks == 5 ? 0.6 : 0.75, 0, row.min_ms);
    settings.speculation->process_rate_share = row.share;
    settings.speculation->long_run_factor = row.factor;
    TaskSchedulerScript script{settings};
    script.at(0).submit(0, std::vector<TaskSchedulerScript::Words>(static_cast<std::size_t>(row.tasks)));
    script.offer({"e@h:5"});
    const auto reads = [&script](std::int64_t task, double rate, AttemptState state) {
      AttemptStatus status;
      status.state = state;
      status.progress = AttemptProgress{static_cast<std::int64_t>(rate * 20), std::chrono::seconds{20}};
      script.scheduler.on_status(script.now, LaunchId{task}, status, script.effects);
    };
    script.at(20'000);
    for (const std::int64_t task : {0, 1, 2}) reads(task, 1, AttemptState::finished);
    reads(3, row.slow_rate, AttemptState::running);
    if (row.tasks == 5) reads(4, 5, AttemptState::running);
    BOOST_TEST(script.speculate() == row.copied);
  }
}

BOOST_AUTO_TEST_CASE(a_partition_done_elsewhere_gives_no_duration) {  // C-SPE-01
  TaskSchedulerScript script{settings_with_speculation(0.1, 0)};
  script.submit(0, std::vector<TaskSchedulerScript::Words>(10));
  script.offer({"e@h:8"});
  script.scheduler.on_partition_done(script.now, StageId{0}, 8, script.effects);
  BOOST_TEST(script.at(100).speculate() == "");
  BOOST_TEST(script.progress(0).successful == 1);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(queueing_ahead)

BOOST_AUTO_TEST_CASE(queued_attempts_are_equally_local_and_do_not_run) {
  TaskSchedulerScript script;
  script.offer({"e1@h1:0"});
  script.submit(0, {{"h1/e1"}, {"h1"}, {"h1/e1"}, {"h1"}});
  BOOST_TEST(script.offer({"e1@h1:1"}) == "0.0/0 e1 process");
  script.effects.clear();
  script.scheduler.queue_ahead(script.now, script.executor("e1"), 10, script.effects);
  BOOST_REQUIRE(script.effects.launches.size() == 1);
  BOOST_TEST(script.effects.launches.front().index == 2);
  BOOST_TEST(script.effects.launches.front().queued);
  BOOST_TEST(script.progress(0).running == 1);
  BOOST_TEST(script.progress(0).queued == 1);
  script.scheduler.check_invariants();
  script.runs(1);
  BOOST_TEST(script.progress(0).running == 2);
  BOOST_TEST(!script.scheduler.retract(script.now, LaunchId{1}));
}

BOOST_AUTO_TEST_CASE(a_retracted_attempt_leaves_its_task_pending_and_unharmed) {
  TaskSchedulerScript script;
  script.submit(0, {{}, {}, {}});
  script.offer({"e1@h1:1"});
  script.scheduler.queue_ahead(script.now, script.executor("e1"), 2, script.effects);
  BOOST_TEST(script.scheduler.queued_on(script.executor("e1")).size() == 2U);
  BOOST_TEST(script.scheduler.retract(script.now, LaunchId{1}));
  BOOST_TEST(!script.scheduler.retract(script.now, LaunchId{1}));
  BOOST_TEST(script.offer({"e2@h2:2"}) == "0.0/1 e2 process");
  BOOST_TEST(script.progress(0).failures == 0);
}

BOOST_AUTO_TEST_CASE(an_attempt_of_a_set_that_was_given_up_is_not_taken_back_but_ends) {
  TaskSchedulerScript script;
  script.submit(0, {{}, {}});
  script.offer({"e1@h1:1"});
  script.scheduler.queue_ahead(script.now, script.executor("e1"), 1, script.effects);
  const auto queued = script.scheduler.queued_on(script.executor("e1"));
  BOOST_REQUIRE(queued.size() == 1U);
  script.scheduler.kill_stage(script.now, StageId{0}, script.effects);
  BOOST_TEST(!script.scheduler.retract(script.now, queued.front()));
  for (const auto attempt : {LaunchId{0}, queued.front()})
    script.scheduler.on_status(script.now, attempt, {AttemptState::killed, {}, {}, {}}, script.effects);
  BOOST_TEST(script.scheduler.task_sets().empty());
}

BOOST_AUTO_TEST_CASE(loss_of_the_executor_costs_a_queued_attempt_no_failure) {
  TaskSchedulerSettings settings;
  settings.max_failures = 1;
  TaskSchedulerScript script{settings};
  script.submit(0, {{}, {}});
  script.offer({"e1@h1:1"});
  script.scheduler.queue_ahead(script.now, script.executor("e1"), 1, script.effects);
  script.effects.clear();
  script.lose("e1", LossKind::exited, true);
  BOOST_TEST(script.events() == "0 executor_lost, 1 executor_lost");
  BOOST_TEST(script.offer({"e2@h2:2"}) == "0.0/1 e2 process, 0.0/0 e2 process");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(mended_endings)

// heddle.fix.copies_below_zero: another attempt of the stage did a task that had failed here, then the executor is lost where it failed.
BOOST_AUTO_TEST_CASE(a_task_that_was_done_elsewhere_can_be_launched_again_if_mended) {
  for (const bool mended : {false, true}) {
    TaskSchedulerSettings settings;
    settings.fix_copies_below_zero = mended;
    TaskSchedulerScript script{settings};
    script.submit(0, {{}, {}}, 0, "", TaskSetKind::map);
    script.offer({"e0@h0:1", "e1@h1:1"});
    script.fails(0);
    script.scheduler.on_partition_done(script.now, StageId{0}, 0, script.effects);
    script.lose("e0");
    script.effects.clear();
    BOOST_TEST(script.offer({"e2@h2:1"}) == (mended ? "0.0/0 e2 process" : ""));
  }
}

// heddle.fix.reject_of_stale_entries (TSM-6): e0 may not run task 0, which runs elsewhere already, and nothing else waits.
BOOST_AUTO_TEST_CASE(an_offer_that_nobody_waits_for_does_not_keep_the_locality_timer_if_mended) {
  for (const bool mended : {false, true}) {
    auto settings = settings_with_exclusion();
    settings.wait_node = std::chrono::seconds{3};
    settings.fix_reject_of_stale = mended;
    TaskSchedulerScript script{settings};
    script.submit(0, {{"h0", "h1"}, {"h1"}});
    script.offer({"e0@h0:1"});
    script.fails(0);
    BOOST_TEST(script.offer({"e1@h1:2"}).find("any") == std::string::npos);
    BOOST_TEST(script.at(1'000).offer_some({"e0@h0:1"}) == "");
    script.at(2'000).fails(2);
    const std::string second = script.offer_some({"e2@h1:1"});
    BOOST_TEST(second.find("e2 node") != std::string::npos);
    script.at(2'500).fails(1);
    BOOST_TEST(script.offer_some({"e3@h2:1"}).empty() == mended);
  }
}

BOOST_AUTO_TEST_SUITE_END()

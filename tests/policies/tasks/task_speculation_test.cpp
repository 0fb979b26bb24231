// Goal: exactly the tasks that Spark copies are copied, with the same consequences. Method: tables of small clusters;
// comments have the ids of the specification's numbered cases.
#include <boost/test/unit_test.hpp>

#include "tests/support/task_scheduler_script.hpp"

namespace task_speculation_test {

using namespace heddle;
using namespace heddle::policies;
using heddle::support::TaskSchedulerScript;

namespace {

TaskSchedulerSettings settings_with_speculation(double quantile, double multiplier, std::int64_t min_ms = 0) {
  TaskSchedulerSettings settings;
  settings.speculation.emplace();
  settings.speculation->quantile = quantile;
  settings.speculation->multiplier = multiplier;
  settings.speculation->min_runtime = std::chrono::milliseconds{min_ms};
  return settings;
}

}  // namespace

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

BOOST_AUTO_TEST_CASE(a_task_that_finished_elsewhere_does_not_end_its_set_with_an_unreachable_file_system) {
  TaskSchedulerScript script{settings_with_speculation(0.5, 1.5)};
  script.submit(0, {{}, {}, {}, {}});
  script.offer({"e1@h1:2"});
  script.offer({"e2@h2:2"});
  script.at(2).ends(0).ends(2);
  script.at(3).speculate();
  BOOST_TEST(script.offer({"e1@h1:1"}) == "0.0/3 e1 process*");
  script.ends(4);
  script.events();
  script.status(3, AttemptState::failed, AttemptFailure::unreachable);
  BOOST_TEST(script.events() == "3 exception");
  BOOST_TEST(script.is_known(0));
}

// As in Spark: the request for a copy is skipped on hosts where the task was tried, so it stays, and levels follow new
// executors.
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
  BOOST_TEST(script.offer({"e2@h2:1"}) == "");  // found and removed here
}

// C-SPE-04, C-SPE-05, C-SPE-06, C-SPE-08, C-SPE-11
BOOST_AUTO_TEST_CASE(a_threshold_of_its_own_serves_sets_that_fit_one_executor) {
  struct Row {
    std::size_t tasks;
    std::int32_t cores;
    std::int64_t threshold;
    bool found;
    std::int32_t task_cores = 1;
  };
  for (const Row& row : {Row{1, 1, 60, true}, Row{2, 2, 60, true}, Row{2, 1, 60, false}, Row{1, 1, 0, false},
                         Row{1, 0, 60, true}, Row{1, 0, 60, true, 2}}) {
    TaskSchedulerSettings settings = settings_with_speculation(1.0, 1.5);
    settings.speculation->threshold = std::chrono::minutes{row.threshold};
    if (row.cores > 0) settings.executor_cores = row.cores;
    settings.task_cores = row.task_cores;
    TaskSchedulerScript script{settings};
    script.submit(0, std::vector<TaskSchedulerScript::Words>(row.tasks));
    script.offer({"e@h:2"});
    BOOST_TEST(script.at(3'600'001).speculate() == "");
    BOOST_TEST((script.at(3'601'001).speculate() != "") == row.found);
  }
}

BOOST_AUTO_TEST_CASE(what_fits_one_executor_goes_by_the_tasks_cores_and_by_its_profile) {
  struct Row {
    std::int32_t executor_cores;
    std::int32_t task_cores;
    std::optional<TaskNeed> need;
    bool found;
  };
  const std::vector<Row> rows{{4, 2, std::nullopt, true},
                              {3, 2, std::nullopt, false},
                              {2, 2, TaskNeed{ProfileId{0}, false, {}, 4}, true},
                              {8, 2, TaskNeed{ProfileId{0}, false, {}, 2}, false},
                              {8, 2, TaskNeed{ProfileId{0}, false, {}, 4, 1}, false},
                              {0, 2, TaskNeed{ProfileId{0}, false, {}, 4}, false}};
  for (const Row& row : rows) {
    TaskSchedulerSettings settings = settings_with_speculation(1.0, 1.5);
    settings.speculation->threshold = std::chrono::minutes{60};
    if (row.executor_cores > 0) settings.executor_cores = row.executor_cores;
    TaskSchedulerScript script{settings};
    script.next_task_cores = row.task_cores;
    script.next_need = row.need;
    script.submit(0, {{}, {}});
    BOOST_TEST(script.offer({"e@h:4"}) != "");
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
    script.submit(0, {{}, {}, {}}, 0, "", TaskSetKind::map);
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
      task_input::apply_attempt_status(script.scheduler, script.now, LaunchId{task}, status, script.effects);
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
  script.scheduler.apply(script.now, task_input::PartitionFinished{StageId{0}, 8}, script.effects);
  BOOST_TEST(script.at(100).speculate() == "");
  BOOST_TEST(script.progress(0).successful == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace task_speculation_test

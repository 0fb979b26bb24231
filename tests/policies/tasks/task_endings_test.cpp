// Goal: failures have the same consequences as in Spark. Method: tables of small clusters; comments have the ids of the
// specification's numbered cases.
#include <boost/test/unit_test.hpp>

#include "tests/support/task_scheduler_script.hpp"

namespace task_endings_test {

using namespace heddle;
using namespace heddle::policies;
using heddle::support::TaskSchedulerScript;

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
                      {AttemptState::failed, AttemptFailure::unreachable, "0 exception, 0.0 failed, 0.0 finished"},
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

BOOST_AUTO_TEST_CASE(a_file_system_that_stays_unreachable_ends_the_set_at_once) {
  TaskSchedulerScript script;
  script.submit(0, {{}, {}});
  script.offer({"e@h:1"});
  script.status(0, AttemptState::failed, AttemptFailure::unreachable);
  BOOST_TEST(script.events() == "0 exception, 0.0 failed, 0.0 finished");
}

// C-TSF-06: a large task binary is reported once, with the first launch.
BOOST_AUTO_TEST_CASE(a_large_task_binary_is_reported_once_with_the_first_launch) {
  struct Row {
    std::int64_t bytes;
    bool is_large;
  };
  for (const Row row : {Row{0, false}, Row{1000 * 1024, false}, Row{1000 * 1024 + 1, true}}) {
    TaskSchedulerScript script;
    script.next_task_binary_bytes = row.bytes;
    script.submit(0, {{}, {}});
    script.offer({"e@h:0"});
    BOOST_TEST(!script.progress(0).large_task_binary);
    BOOST_TEST(script.offer({"e@h:1"}) == "0.0/0 e process");
    BOOST_TEST(script.progress(0).large_task_binary == row.is_large);
    BOOST_TEST(script.events() == (row.is_large ? "0.0 is large" : ""));
    script.ends(0);
    script.events();
    BOOST_TEST(script.offer({"e@h:1"}) == "0.0/1 e process");
    BOOST_TEST(script.events() == "");
  }
}

// C-TSF-07, C-TS-09, C-BE-03b: a task binary that cannot be sent fails its set at the first launch, and no other
// set.
BOOST_AUTO_TEST_CASE(a_set_without_task_binary_fails_where_it_would_launch_and_leaves_the_slots_to_others) {
  struct Row {
    std::int64_t bytes;
    SetFailure failure;
  };
  for (const Row row :
       {Row{-1, SetFailure::no_task_binary}, Row{std::int64_t{1} << 20, SetFailure::task_binary_too_large}}) {
    TaskSchedulerSettings settings;
    settings.task_cores = 2;
    settings.task_binary_bytes_max = 1 << 20;
    settings.exclusion = ExclusionSettings{};
    TaskSchedulerScript script{settings};
    script.next_task_binary_bytes = row.bytes;
    script.submit(0, {{}, {}});
    BOOST_TEST(script.is_known(0));
    BOOST_TEST(script.offer({"e@h:1"}) == "");  // too few cores: the task binary is not checked yet
    BOOST_TEST(script.is_known(0));
    BOOST_TEST(script.offer({"e@h:2", "f@h:1"}) == "");
    const auto failed = std::find_if(script.effects.events.begin(), script.effects.events.end(),
                                     [](const auto& one) { return std::holds_alternative<TaskSetFailed>(one); });
    BOOST_REQUIRE(failed != script.effects.events.end());
    BOOST_TEST((std::get<TaskSetFailed>(*failed).failure == row.failure));
    BOOST_TEST(script.events() == "0.0 failed, 0.0 finished");
    BOOST_TEST(!script.is_known(0));
    script.submit(1, {{}, {}});
    script.next_task_binary_bytes = (1 << 20) - 1;
    script.submit(2, {{}});
    BOOST_TEST(script.offer({"e@h:2", "f@h:1"}) == "2.0/0 e process");
    BOOST_TEST(script.events() == "1.0 failed, 1.0 finished, 2.0 is large");
    script.next_task_binary_bytes = row.bytes;
    script.next_is_barrier = true;
    script.submit(3, {{}, {}});
    BOOST_TEST(script.offer({"e@h:2", "f@h:2"}) == "");
    BOOST_TEST(script.events() == "3.0 failed, 3.0 finished");
  }
}

BOOST_AUTO_TEST_CASE(a_set_without_task_binary_is_not_queued_ahead_either) {
  TaskSchedulerScript script;
  script.submit(0, {{}});
  BOOST_TEST(script.offer({"e@h:1"}) == "0.0/0 e process");
  script.next_task_binary_bytes = -1;
  script.submit(1, {{}});
  script.effects.clear();
  script.scheduler.apply(script.now, task_input::TasksWantedAhead{script.executor("e"), 4}, script.effects);
  BOOST_TEST(script.effects.launches.empty());
  BOOST_TEST(script.events() == "1.0 failed, 1.0 finished");
}

// C-TSF-26: the read rate of a running attempt is removed at its end, successful or not (check_invariants compares
// rates with running attempts). The sums that decide about copies remain.
BOOST_AUTO_TEST_CASE(nothing_that_an_attempt_said_of_itself_is_kept_after_its_end) {
  TaskSchedulerSettings settings;
  settings.speculation = SpeculationSettings{};
  settings.max_failures = 1000;
  TaskSchedulerScript script{settings};
  script.submit(0, std::vector<TaskSchedulerScript::Words>(6));
  const auto say = [&](std::int64_t id, AttemptState state) {
    AttemptStatus status;
    status.state = state;
    status.progress = AttemptProgress{100 * (id + 1), std::chrono::seconds{1}};
    task_input::apply_attempt_status(script.scheduler, script.now, LaunchId{id}, status, script.effects);
    script.scheduler.check_invariants();
  };
  std::int64_t launched = 0;
  for (const AttemptState end :
       {AttemptState::failed, AttemptState::killed, AttemptState::lost, AttemptState::finished}) {
    BOOST_TEST(script.offer({"e@h:2"}) != "");
    for (std::int64_t id = launched; id < launched + 2; ++id) {
      say(id, AttemptState::running);
      say(id, end);
    }
    launched += 2;
  }
  BOOST_TEST(script.offer({"f@g:2"}) != "");
  say(launched, AttemptState::running);
  say(launched + 1, AttemptState::running);
  script.lose("f");
  script.scheduler.check_invariants();
  const TaskSetProgress progress = script.progress(0);
  BOOST_TEST(progress.running == 0);
  BOOST_TEST(progress.successful == 2);
}

// A task stores small counts inline and large ones in a map: no count is lost at the border.
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
      // Five killed attempts are no failures of the task.
      if (attempt < 5) script.status(attempt, AttemptState::killed);
      else script.fails(attempt);
      script.scheduler.check_invariants();
    }
    BOOST_TEST(script.progress(0).zombie);
    BOOST_TEST(script.progress(0).failures == most + 5);
  }
}

// C-TSF-08, C-TSF-09: the total size of results can abort a result set, but no map set. The effect has their number and
// total size.
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
      task_input::apply_attempt_status(script.scheduler, script.now, LaunchId{static_cast<std::int64_t>(task)}, status,
                                       script.effects);
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

// Spark's stages never do this. Spark's task scheduler keeps both sets, and removes the second with the first from its
// table.
BOOST_AUTO_TEST_CASE(an_attempt_submitted_twice_is_forgotten_when_the_first_of_the_two_ends) {
  TaskSchedulerScript script;
  script.submit(0, {{}, {}});
  BOOST_TEST(script.offer({"e@h:1"}) == "0.0/0 e process");
  script.submit(0, {{}, {}, {}});
  BOOST_TEST(script.offer({"e@h:1"}) == "0.0/0 e process");
  script.scheduler.apply(script.now, task_input::PartitionFinished{StageId{0}, 1}, script.effects);
  BOOST_TEST(script.offer({"e@h:1"}) == "0.0/2 e process");  // the second set still gets events of its stage
  script.lose("e");
  script.events();
  script.scheduler.apply(script.now, task_input::PartitionFinished{StageId{0}, 0}, script.effects);
  BOOST_TEST(script.offer({"f@h:2"}) == "0.0/2 f process, 0.0/0 f process");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace task_endings_test

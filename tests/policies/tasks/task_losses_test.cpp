// Goal: lost executors and outputs have the same consequences as in Spark. Method: tables of small clusters; comments
// have the ids of the specification's numbered cases.
#include <boost/test/unit_test.hpp>

#include "tests/support/task_scheduler_script.hpp"

namespace task_losses_test {

using namespace heddle;
using namespace heddle::policies;
using heddle::support::TaskSchedulerScript;

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
    BOOST_TEST(script.events() ==
               (ran ? "0 executor_lost_by_application, 0.0 failed, 0.0 finished" : "0 executor_lost"));
  }
  for (const LossKind kind : {LossKind::killed, LossKind::decommissioned}) {
    TaskSchedulerScript script;
    script.submit(0, {{}});
    script.offer({"e@h:1"});
    script.runs(0).lose("e", kind);
    BOOST_TEST(script.events() == "0 executor_lost");
  }
}

// C-TSF-05: an output that was migrated from a decommissioned executor remains; a lost executor loses all outputs.
BOOST_AUTO_TEST_CASE(an_output_that_was_moved_survives_the_decommission_of_its_executor) {
  for (const LossKind kind : {LossKind::decommissioned, LossKind::process_lost}) {
    for (const char* moved_to : {"h1", "h0"}) {
      TaskSchedulerScript script;
      script.submit(0, {{"h0/e0"}, {"h1/e1"}}, 0, "", TaskSetKind::map);
      BOOST_TEST(script.offer({"e0@h0:1", "e1@h1:0"}) == "0.0/0 e0 process");
      script.ends(0).decommission("e0");
      script.scheduler.apply(Instant{}, task_input::OutputMoved{StageId{0}, 0, script.host(moved_to)});
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
    const auto state = [&script](const char* executor) {
      return script.scheduler.decommission_state(script.executor(executor));
    };
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

// C-BE-03a: one decommission of an unknown executor is kept, and applies as soon as the executor is offered.
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
    script.submit(0, {{}, {}, {}}, 0, "", TaskSetKind::map);
    script.offer({"e0@h0:1", "e1@h1:1"});
    script.ends(0).ends(1);
    script.effects.clear();
    script.lose("e0", LossKind::process_lost);
    BOOST_TEST(script.events() == (service ? "" : "0 resubmitted"));
    script.lose("e1", LossKind::decommissioned);
    BOOST_TEST(script.events() == "1 resubmitted");
    BOOST_TEST(script.offer({"e2@h2:3"}) == (service ? "0.0/1 e2 process, 0.0/2 e2 process"
                                                     : "0.0/1 e2 process, 0.0/0 e2 process, 0.0/2 e2 process"));
  }
}

// An executor id that is used again keeps its history: the first attempt that ended there is reported, even if its
// output was lost before.
BOOST_AUTO_TEST_CASE(an_executor_that_comes_back_and_is_lost_again_takes_its_earlier_attempts_along) {
  TaskSchedulerScript script;
  script.submit(0, {{}, {}, {}}, 0, "", TaskSetKind::map);
  script.offer({"e0@h0:1"});
  script.ends(0);
  script.lose("e0", LossKind::killed);
  BOOST_TEST(script.offer({"e0@h0:1"}) == "0.0/0 e0 process");
  script.ends(1);
  script.effects.clear();
  script.lose("e0", LossKind::killed);
  BOOST_TEST(script.events() == "0 resubmitted");
  script.offer({"e0@h0:1"});
  script.fails(2);
  BOOST_TEST(script.offer({"e1@h1:1"}) == "0.0/0 e1 process");
  script.ends(3);
  script.effects.clear();
  // its output was lost before, but Spark checks only whether the task is successful
  script.lose("e0", LossKind::killed);
  BOOST_TEST(script.events() == "0 resubmitted");
}

// heddle.fix.copies_below_zero: another stage attempt finished a task that had failed here, then the executor of the
// failure is lost.
BOOST_AUTO_TEST_CASE(a_task_that_was_done_elsewhere_can_be_launched_again_if_mended) {
  for (const bool mended : {false, true}) {
    TaskSchedulerSettings settings;
    settings.fixes.copies_below_zero = mended;
    TaskSchedulerScript script{settings};
    script.submit(0, {{}, {}}, 0, "", TaskSetKind::map);
    script.offer({"e0@h0:1", "e1@h1:1"});
    script.fails(0);
    script.scheduler.apply(script.now, task_input::PartitionFinished{StageId{0}, 0}, script.effects);
    script.lose("e0");
    script.effects.clear();
    BOOST_TEST(script.offer({"e2@h2:1"}) == (mended ? "0.0/0 e2 process" : ""));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace task_losses_test

// Goal: local tasks get slots first, waiting always ends, and ends and losses count as in Spark. Method: tables of
// small clusters; comments have the ids of the specification's numbered cases.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "tests/support/task_scheduler_script.hpp"

namespace task_scheduler_test {

using namespace heddle;
using namespace heddle::policies;
using heddle::support::TaskSchedulerScript;

namespace {

const std::vector<TaskSchedulerScript::Words> eight_local(8, {"h1/e1"});

TaskSchedulerSettings settings_with(Duration wait, std::int32_t max_failures = 4) {
  TaskSchedulerSettings settings;
  settings.wait_process = settings.wait_node = settings.wait_rack = wait;
  settings.max_failures = max_failures;
  return settings;
}

/// e1@h1 is registered, then eight tasks prefer it.
TaskSchedulerScript process_local_set() {
  TaskSchedulerScript script;
  script.offer({"e1@h1:0"});
  script.submit(0, eight_local);
  return script;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(locality)

// C-TSM-01, C-TSM-02, C-TSM-24, C-TS-43
BOOST_AUTO_TEST_CASE(tasks_without_preference_are_spread_one_per_executor_and_pass) {
  TaskSchedulerScript script;
  script.submit(0, {{}, {}, {}, {}});
  BOOST_TEST(script.offer({"A@h1:4", "B@h2:4"}) ==
             "0.0/0 A process, 0.0/1 B process, 0.0/2 A process, 0.0/3 B process");
  TaskSchedulerScript three;
  three.submit(0, {{}, {}, {}});
  BOOST_TEST(three.offer({"A@h1:4", "B@h2:4"}) == "0.0/0 A process, 0.0/1 B process, 0.0/2 A process");
  script.fails(1);
  BOOST_TEST(script.offer({"A@h1:1"}) == "0.0/1 A process");
  script.ends(0).ends(2).ends(3);
  BOOST_TEST(script.is_known(0));
  script.ends(4);
  BOOST_TEST(!script.is_known(0));
}

// C-TSM-03, C-TS-29, C-TS-30
BOOST_AUTO_TEST_CASE(levels_that_nobody_can_serve_are_skipped) {
  TaskSchedulerScript script;
  script.offer({"A@h1:0", "C@h2:0"});
  script.submit(0, {{"h1/B"}});
  BOOST_TEST(script.levels(0) == "node any");
  BOOST_TEST(script.offer({"C@h2:1"}) == "");
  BOOST_TEST(script.offer({"A@h1:1"}) == "0.0/0 A node");

  TaskSchedulerScript impatient{settings_with(Duration::zero())};
  impatient.offer({"e1@h1:0"});
  impatient.submit(0, {{"h1/e1"}});
  TaskSchedulerScript turned = impatient;
  BOOST_TEST(impatient.offer({"e2@h2:1", "e1@h1:1"}) == "0.0/0 e1 process");
  BOOST_TEST(turned.offer({"e2@h2:1"}) == "0.0/0 e2 any");
}

// C-TSM-08
BOOST_AUTO_TEST_CASE(levels_follow_executors_that_come_and_go) {
  TaskSchedulerScript script;
  script.rack("rack2", {"h2"}).submit(0, {{"h1/A"}, {"h1/B"}, {"h2/C"}, {}});
  BOOST_TEST(script.levels(0) == "no_pref any");
  script.offer({"D@h1:0"});
  BOOST_TEST(script.levels(0) == "node no_pref any");
  script.offer({"C@h2:0"});
  BOOST_TEST(script.levels(0) == "process node no_pref rack any");
  script.lose("C");
  BOOST_TEST(script.levels(0) == "node no_pref any");
  script.lose("D");
  BOOST_TEST(script.levels(0) == "no_pref any");
}

// C-TSM-09
BOOST_AUTO_TEST_CASE(a_nearer_level_that_appears_is_waited_for_again) {
  TaskSchedulerScript script;
  script.submit(0, {{"h1/A"}, {"h1/A"}});
  BOOST_TEST(script.offer({"B@h2:1"}) == "0.0/0 B any");
  script.offer({"A@h1:0"});
  BOOST_TEST(script.offer({"C@h3:1"}) == "");
  BOOST_TEST(script.offer({"A@h1:1"}) == "0.0/1 A process");
}

// C-TSM-10, C-TSM-11, C-TSM-18, C-TS-06
BOOST_AUTO_TEST_CASE(executors_that_will_go_are_no_reason_to_wait) {
  TaskSchedulerScript script;
  script.offer({"e0@h0:0", "e1@h0:0"});
  script.submit(0, {{"h0/e0"}, {"h0/e1"}});
  BOOST_TEST(script.levels(0) == "process node any");
  script.decommission("e0", true);
  BOOST_TEST(script.levels(0) == "process node any");
  script.decommission("e1", true);
  BOOST_TEST(script.levels(0) == "any");

  TaskSchedulerScript one;
  one.offer({"e0@h0:0", "e1@h0:0"});
  one.submit(0, {{"h0/e0"}}).decommission("e0");
  BOOST_TEST(one.levels(0) == "node any");

  TaskSchedulerScript cached;
  cached.offer({"A@h1:0", "B@h2:0", "C@h3:0"});
  cached.submit(0, {{"h1"}, {"h2"}, {"cached:h3"}});
  BOOST_TEST(cached.levels(0) == "process node any");
  cached.lose("A").lose("B");
  BOOST_TEST(cached.levels(0) == "process node any");
  cached.lose("C");
  BOOST_TEST(cached.levels(0) == "any");
}

// C-TSM-21, C-TSM-22, C-TSM-12, C-TSM-25
BOOST_AUTO_TEST_CASE(each_level_opens_after_its_wait_and_several_pass_at_once) {
  struct Row {
    std::int64_t at;
    const char* offer;
    const char* launched;
  };
  const Row rows[] = {{1, "e1@h1:1", "0.0/0 e1 process"},
                      {1, "e2@h1:1", ""},
                      {3000, "e2@h1:1", ""},
                      {3001, "e2@h1:1", "0.0/0 e2 node"},
                      {6000, "e3@h2:1", ""},
                      {6001, "e3@h2:1", "0.0/0 e3 rack"},
                      {9000, "e4@h3:1", ""},
                      {9001, "e4@h3:1", "0.0/0 e4 any"}};
  for (const Row& row : rows) {
    TaskSchedulerScript script;
    script.rack("r", {"h1", "h2"}).rack("s", {"h3"});
    script.offer({"e1@h1:0", "e2@h1:0", "e3@h2:0", "e4@h3:0"});
    script.submit(0, {{"h1/e1"}});
    BOOST_TEST(script.at(row.at).offer({row.offer}) == row.launched, row.at);
  }
  TaskSchedulerScript late;
  late.rack("r", {"h1", "h2"}).rack("s", {"h3"});
  late.offer({"e1@h1:0", "e3@h2:0", "e4@h3:0"});
  late.submit(0, {{"h1/e1"}});
  BOOST_TEST(late.at(7001).offer({"e4@h3:1"}) == "");
  BOOST_TEST(late.at(9001).offer({"e4@h3:1"}) == "0.0/0 e4 any");  // not 3 s after the first look
}

// C-TSM-05, C-TSM-23
BOOST_AUTO_TEST_CASE(node_local_tasks_slip_through_the_pass_for_tasks_without_preference) {
  TaskSchedulerScript script;
  script.offer({"e1@h1:0", "e2@h2:0"});
  script.submit(0, {{"h1/e1"}, {"h2"}, {}});
  BOOST_TEST(script.offer({"e2@h2:1"}) == "0.0/1 e2 node");
  TaskSchedulerScript strict;
  strict.offer({"e1@h1:0", "e2@h2:0"});
  strict.submit(0, {{"h1/e1"}, {"h2"}});
  BOOST_TEST(strict.offer({"e2@h2:1"}) == "");
}

// C-TSM-17, C-TSM-07
BOOST_AUTO_TEST_CASE(a_set_outlives_all_executors_it_preferred) {
  TaskSchedulerScript script;
  script.submit(0, {{"h1/A"}, {"h2/B.1"}});
  BOOST_TEST(script.levels(0) == "any");
  script.offer({"A@h1:0", "B.2@h2:0"});
  BOOST_TEST(script.levels(0) == "process node any");
  BOOST_TEST(script.offer({"A@h1:1"}) == "0.0/0 A process");
  BOOST_TEST(script.at(12'001).offer({"B.2@h2:1"}) == "0.0/1 B.2 node");
  script.lose("A").lose("B.2");
  BOOST_TEST(script.at(24'001).offer({"C@h3:2"}) == "0.0/1 C any, 0.0/0 C any");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(delay_timer)

BOOST_AUTO_TEST_CASE(single_offers_reset_it_before_any_refusal) {  // C-TS-01
  TaskSchedulerScript script = process_local_set();
  BOOST_TEST(script.at(3001).offer_some({"e1@h1:1"}) == "0.0/0 e1 process");
  BOOST_TEST(script.offer_some({"e2@h1:1"}) == "");
}

BOOST_AUTO_TEST_CASE(a_full_round_taken_whole_resets_it) {  // C-TS-02
  TaskSchedulerScript script = process_local_set();
  BOOST_TEST(script.at(3001).offer({"e1@h1:1"}) == "0.0/0 e1 process");
  BOOST_TEST(script.offer_some({"e2@h1:1"}) == "");
}

BOOST_AUTO_TEST_CASE(a_set_without_preference_does_not_starve_the_other) {  // C-TS-03
  TaskSchedulerScript script;
  script.offer({"e1@h1:0"});
  script.submit(1, eight_local).submit(2, std::vector<TaskSchedulerScript::Words>(8));
  BOOST_TEST(script.offer_some({"e2@h1:1"}) == "2.0/0 e2 process");
  BOOST_TEST(script.at(2001).offer_some({"e2@h1:1"}) == "2.0/1 e2 process");
  BOOST_TEST(script.offer({"e2@h1:0"}) == "");
  BOOST_TEST(script.at(4001).offer_some({"e2@h1:1"}) == "1.0/0 e2 node");
}

BOOST_AUTO_TEST_CASE(single_offers_reset_it_while_the_last_full_round_was_taken_whole) {  // C-TS-04
  TaskSchedulerScript script = process_local_set();
  BOOST_TEST(script.offer({"e1@h1:0"}) == "");
  BOOST_TEST(script.at(3001).offer_some({"e1@h1:1"}) == "0.0/0 e1 process");
  BOOST_TEST(script.at(6001).offer_some({"e1@h1:1"}) == "0.0/1 e1 process");
  BOOST_TEST(script.offer_some({"e2@h1:1"}) == "");
}

BOOST_AUTO_TEST_CASE(after_a_refusal_only_a_clean_full_round_lets_single_offers_reset_it) {  // C-TS-05
  TaskSchedulerScript script = process_local_set();
  BOOST_TEST(script.offer({"e2@h1:1"}) == "");
  BOOST_TEST(script.at(3001).offer_some({"e1@h1:1"}) == "0.0/0 e1 process");
  BOOST_TEST(script.offer_some({"e2@h1:1"}) == "0.0/1 e2 node");
  BOOST_TEST(script.offer({"e1@h1:1"}) == "0.0/2 e1 process");
  BOOST_TEST(script.offer_some({"e2@h1:1", "e1@h1:1"}) == "0.0/3 e1 process");
  BOOST_TEST(script.at(6001).offer_some({"e1@h1:1"}) == "0.0/4 e1 process");
  BOOST_TEST(script.offer_some({"e2@h1:1"}) == "0.0/5 e2 node");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(rounds)

BOOST_AUTO_TEST_CASE(a_task_of_two_cores_needs_two) {  // C-TS-08
  TaskSchedulerSettings settings;
  settings.task_cores = 2;
  TaskSchedulerScript script{settings};
  script.submit(0, {{}});
  BOOST_TEST(script.offer({"e0@h0:0", "e1@h0:0"}) == "");
  BOOST_TEST(script.offer({"e0@h0:1", "e1@h0:1"}) == "");
  BOOST_TEST(script.offer({"e0@h0:2", "e1@h0:1"}) == "0.0/0 e0 process");
}

// C-TS-36, for cores only: sets may need another number of cores than the setting.
BOOST_AUTO_TEST_CASE(sets_of_different_width_share_offers) {
  TaskSchedulerScript script;
  script.next_task_cores = 2;
  script.submit(0, {{}, {}, {}});
  script.next_task_cores = 0;
  script.submit(1, {{}, {}});
  BOOST_TEST(script.offer({"e0@h0:3", "e1@h0:1"}) == "0.0/0 e0 process, 1.0/0 e0 process, 1.0/1 e1 process");
  BOOST_TEST(script.offer({"e0@h0:1", "e1@h0:1"}) == "");
  BOOST_TEST(script.offer({"e0@h0:4"}) == "0.0/1 e0 process, 0.0/2 e0 process");
}

// C-TS-10, C-TS-11, C-TS-12
BOOST_AUTO_TEST_CASE(a_new_attempt_makes_every_earlier_one_a_zombie) {
  const std::vector<TaskSchedulerScript::Words> ten(10);
  TaskSchedulerScript script;
  script.submit(0, ten);
  BOOST_TEST(script.offer({"e@h:1"}) == "0.0/0 e process");
  script.submit(0, ten, 1);
  BOOST_TEST(script.progress(0, 0).zombie);
  script.submit(0, ten, 2);
  BOOST_TEST(script.progress(0, 1).zombie);
  BOOST_TEST(!script.progress(0, 2).zombie);
  BOOST_TEST(script.offer({"e@h:1"}) == "0.2/0 e process");
  script.ends(0);
  BOOST_TEST(!script.is_known(0, 0));
  BOOST_TEST(script.offer({"e@h:1"}) == "0.2/1 e process");
}

BOOST_AUTO_TEST_CASE(a_zombie_that_ends_leaves_the_next_attempt_all_its_slots) {  // C-TS-12
  const std::vector<TaskSchedulerScript::Words> ten(10);
  const auto launches = [](const std::string& words) {
    return words.empty() ? 0 : std::count(words.begin(), words.end(), ',') + 1;
  };
  TaskSchedulerScript script;
  script.submit(0, ten);
  BOOST_TEST(launches(script.offer({"e@h:10"})) == 10);
  script.status(0, AttemptState::failed, AttemptFailure::fetch_failed);
  BOOST_TEST(script.progress(0, 0).zombie);
  BOOST_TEST(launches(script.offer({"e@h:10"})) == 0);
  script.submit(0, ten, 1);
  for (std::int64_t task = 1; task < 10; ++task) script.ends(task);
  const std::string last = script.offer({"e@h:10"});
  BOOST_TEST(launches(last) == 10);
  for (std::int32_t index = 0; index < 10; ++index)
    BOOST_TEST(last.find("0.1/" + std::to_string(index) + " e") != std::string::npos);
}

// C-TS-26
BOOST_AUTO_TEST_CASE(only_sets_with_something_pending_look_at_new_executors) {
  TaskSchedulerScript script;
  script.submit(0, {{"h0/e2"}, {"h0/e2"}});
  BOOST_TEST(script.offer({"e0@h0:1", "e1@h1:1"}) == "0.0/0 e0 node");
  BOOST_TEST(script.levels(0) == "node any");
  BOOST_TEST(script.offer({"e2@h0:1"}) == "0.0/1 e2 process");
  BOOST_TEST(script.levels(0) == "process node any");
}

// C-TS-44
BOOST_AUTO_TEST_CASE(a_set_without_pending_tasks_keeps_its_levels_until_the_next_new_executor_after_a_failure) {
  TaskSchedulerScript script;
  script.submit(0, {{"h1/e1"}});
  BOOST_TEST(script.offer({"e0@h0:1"}) == "0.0/0 e0 any");
  script.offer({"e1@h1:0"});  // new, and nothing is pending
  BOOST_TEST(script.levels(0) == "any");
  script.fails(0);
  BOOST_TEST(script.levels(0) == "any");
  script.offer({"e1@h1:0"});  // known
  BOOST_TEST(script.levels(0) == "any");
  script.offer({"e2@h2:0"});
  BOOST_TEST(script.levels(0) == "process node any");
}

BOOST_AUTO_TEST_CASE(fifo_goes_by_stage_and_ignores_pools) {  // C-POOL-01, C-POOL-05
  TaskSchedulerScript script;
  for (const std::int32_t stage : {1, 0, 2}) script.submit(stage, {{}, {}}, 0, "pool" + std::to_string(stage));
  std::string order;
  for (int i = 0; i < 6; ++i) order += script.offer({"e@h:1"}).substr(0, 1);
  BOOST_TEST(order == "001122");
}

BOOST_AUTO_TEST_CASE(fair_pools_take_turns_by_minimum_share_and_weight) {  // C-POOL-02
  TaskSchedulerSettings settings;
  settings.mode = SchedulingMode::fair;
  settings.pools = {
      {"1", SchedulingMode::fifo, 1, 2}, {"2", SchedulingMode::fifo, 1, 3}, {"3", SchedulingMode::fifo, 1, 0}};
  TaskSchedulerScript script{settings};
  script.submit(0, {{}}, 0, "1").submit(1, {{}}, 0, "1").submit(2, {{}, {}}, 0, "1");
  script.submit(3, {{}, {}}, 0, "2").submit(4, {{}, {}}, 0, "2");
  std::string order;
  for (int i = 0; i < 8; ++i) order += script.offer({"e@h:1"}).substr(0, 1);
  BOOST_TEST(order == "03314224");
}

// C-POOL-06, C-POOL-07, C-POOL-12
BOOST_AUTO_TEST_CASE(ties_among_fair_sets_are_broken_by_name_as_a_string) {
  TaskSchedulerSettings settings;
  settings.mode = SchedulingMode::fair;
  TaskSchedulerScript script{settings};
  script.submit(9, {{}}).submit(10, {{}});
  BOOST_TEST(script.offer({"e@h:1"}) == "10.0/0 e process");
  TaskSchedulerScript unknown{settings};
  unknown.submit(9, {{}}, 0, "new").submit(10, {{}}, 0, "new");
  BOOST_TEST(unknown.offer({"e@h:1"}) == "9.0/0 e process");  // a pool that was not declared is FIFO
}

BOOST_AUTO_TEST_CASE(names_that_begin_alike_are_compared_to_their_end) {
  TaskSchedulerSettings settings;
  settings.mode = SchedulingMode::fair;
  TaskSchedulerScript sets{settings};
  sets.submit(123456789, {{}}).submit(123456788, {{}}).submit(12345678, {{}});
  BOOST_TEST(sets.offer({"e@h:3"}) == "12345678.0/0 e process, 123456788.0/0 e process, 123456789.0/0 e process");
  settings.pools = {{"production", SchedulingMode::fifo, 1, 0}, {"producti", SchedulingMode::fifo, 1, 0}};
  TaskSchedulerScript pools{settings};
  pools.submit(1, {{}}, 0, "production").submit(2, {{}}, 0, "producti");
  BOOST_TEST(pools.offer({"e@h:2"}) == "2.0/0 e process, 1.0/0 e process");
}

BOOST_AUTO_TEST_CASE(a_pool_with_nothing_left_has_turns_again_when_a_task_fails) {
  TaskSchedulerSettings settings;
  settings.mode = SchedulingMode::fair;
  settings.pools = {{"1", SchedulingMode::fair, 1, 0}, {"2", SchedulingMode::fifo, 1, 0}};
  TaskSchedulerScript script{settings};
  script.submit(0, {{}}, 0, "1").submit(1, {{}, {}, {}}, 0, "2");
  std::string order;
  for (int i = 0; i < 4; ++i) order += script.offer({"e@h:1"}).substr(0, 1);
  BOOST_TEST(order == "0111");
  script.scheduler.check_invariants();
  script.fails(0);
  script.scheduler.check_invariants();
  BOOST_TEST(script.offer({"e@h:1"}) == "0.0/0 e process");
}

BOOST_AUTO_TEST_CASE(killing_a_stage_kills_its_attempts_and_launches_nothing_more) {  // C-TS-32, TS-13
  TaskSchedulerScript script;
  script.submit(0, {{}, {}, {}});
  script.offer({"e@h:2"});
  script.scheduler.apply(script.now, task_input::StageKilled{StageId{0}}, script.effects);
  BOOST_TEST(script.events() == "kill 0, kill 1");
  BOOST_TEST(script.offer({"e@h:2"}) == "");
  script.status(0, AttemptState::killed).status(1, AttemptState::killed);
  BOOST_TEST(script.events() == "0 killed, 1 killed, 0.0 finished");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace task_scheduler_test

// Goal: a failure excludes exactly the executors and hosts that Spark excludes, for its task, set and application.
// Method: random failures of one set against counts over the whole list of them; tables of small clusters; comments
// have the ids of the specification's numbered cases.
#include "policies/tasks/task_exclusion.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>
#include <vector>

#include "model/random_stream.hpp"
#include "tests/support/task_scheduler_script.hpp"

namespace task_exclusion_test {

using namespace heddle;
using namespace heddle::policies;
using heddle::support::TaskSchedulerScript;

namespace {

TaskSchedulerSettings settings_with_exclusion(bool dynamic_allocation = false) {
  TaskSchedulerSettings settings;
  settings.exclusion.emplace();
  settings.unschedulable_timeout = std::chrono::seconds{10};
  settings.dynamic_allocation = dynamic_allocation;
  settings.wait_process = settings.wait_node = settings.wait_rack = Duration::zero();
  return settings;
}

/// Failures of one set, in a plain list. Executor `e` is on host `e / 3`.
struct ListedFailures {
  struct Failure {
    std::int32_t executor = 0;
    std::int32_t index = 0;
  };
  ExclusionSettings settings;
  std::vector<Failure> all;

  std::int64_t count(auto matches) const { return std::count_if(all.begin(), all.end(), matches); }
  bool excludes(std::int32_t executor, std::int32_t index) const {
    return count([&](const Failure& one) { return one.executor == executor && one.index == index; }) >=
           settings.task_attempts_per_executor;
  }
  bool excludes_on_host(std::int32_t host, std::int32_t index) const {
    return count([&](const Failure& one) { return one.executor / 3 == host && one.index == index; }) >=
           settings.task_attempts_per_node;
  }
  bool excludes(std::int32_t executor) const {
    std::set<std::int32_t> failed;
    for (const Failure& one : all)
      if (one.executor == executor) failed.insert(one.index);
    return static_cast<std::int32_t>(failed.size()) >= settings.stage_failed_tasks_per_executor;
  }
  bool excludes_host(std::int32_t host) const {
    std::int32_t executors = 0;
    for (std::int32_t executor = host * 3; executor < host * 3 + 3; ++executor) executors += excludes(executor) ? 1 : 0;
    return executors >= settings.stage_failed_executors_per_node;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(exclusion)

// EXC-1 to EXC-6
BOOST_AUTO_TEST_CASE(random_failures_exclude_what_their_counts_say) {
  RandomStream random{31};
  const auto small = [&] { return static_cast<std::int32_t>(1 + random.below(3)); };
  for (int history = 0; history < 60; ++history) {
    ListedFailures listed;
    listed.settings.task_attempts_per_executor = small();
    listed.settings.task_attempts_per_node = small();
    listed.settings.stage_failed_tasks_per_executor = small();
    listed.settings.stage_failed_executors_per_node = small();
    TaskSetExclusion set{listed.settings};
    for (int step = 0; step < 25; ++step) {
      const ListedFailures::Failure next{static_cast<std::int32_t>(random.below(6)),
                                         static_cast<std::int32_t>(random.below(4))};
      set.on_failure(Instant{}, HostId{next.executor / 3}, next.executor, next.index);
      listed.all.push_back(next);
      for (std::int32_t executor = 0; executor < 6; ++executor) {
        BOOST_REQUIRE(set.excludes(executor) == listed.excludes(executor));
        for (std::int32_t index = 0; index < 4; ++index)
          BOOST_REQUIRE(set.excludes(executor, index) == listed.excludes(executor, index));
      }
      for (std::int32_t host = 0; host < 2; ++host) {
        BOOST_REQUIRE(set.excludes(HostId{host}) == listed.excludes_host(host));
        for (std::int32_t index = 0; index < 4; ++index)
          BOOST_REQUIRE(set.excludes(HostId{host}, index) == listed.excludes_on_host(host, index));
      }
    }
  }
}

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
  script.scheduler.apply(*script.scheduler.next_due(), task_input::TimePassed{}, script.effects);
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
  script.scheduler.apply(*script.scheduler.next_due(), task_input::TimePassed{}, script.effects);
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
  script.effects.clear();
  script.scheduler.apply(*script.scheduler.next_due(), task_input::TimePassed{}, script.effects);
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

// heddle.fix.unschedulable_removed_for_all: two sets were unschedulable, and a launch of one resets both. Either both
// are reported or one.
BOOST_AUTO_TEST_CASE(a_launch_tells_of_every_set_that_it_frees_only_if_mended) {
  for (const bool mended : {false, true}) {
    auto settings = settings_with_exclusion(true);
    settings.fixes.unschedulable_removed = mended;
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

// HT-10: with exclusion for tasks and stages only, the application excludes nothing.
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

// C-TSF-25: with one of the two levels alone failures are recorded, and only that level excludes.
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

// heddle.fix.reject_of_stale_entries (TSM-6): e0 may not run task 0, which already runs elsewhere, and nothing else
// waits.
BOOST_AUTO_TEST_CASE(an_offer_that_nobody_waits_for_does_not_keep_the_locality_timer_if_mended) {
  for (const bool mended : {false, true}) {
    auto settings = settings_with_exclusion();
    settings.wait_node = std::chrono::seconds{3};
    settings.fixes.reject_of_stale = mended;
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

}  // namespace task_exclusion_test

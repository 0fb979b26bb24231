// Goal: a task ends as its attempts do, always keeps an attempt that may finish it, and only a map's success can be
// revoked. Method: the numbered cases of the specification (E3), then random histories with invariants after each
// event.
#include "policies/map_reduce/map_reduce_task.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"
#include "policies/map_reduce/map_reduce_job.hpp"

namespace heddle::policies {
namespace map_reduce_task_test {
namespace {

using State = MapReduceTaskState;

/// A map with running attempts 0 to `launched` - 1. All but the first are copies.
struct Task {
  explicit Task(std::int32_t launched = 1, std::int32_t attempts_max = 4) : task{false, 0, attempts_max} {
    task.on_schedule(effects);
    for (std::int32_t i = 0; i < launched; ++i) {
      if (i > 0) task.on_speculate(effects);
      task.on_launched(i);
    }
    effects.clear();
  }
  void succeed(std::int32_t attempt) { task.on_succeeded(attempt, effects); }
  void fail(std::int32_t attempt) { task.on_failed(attempt, false, effects); }
  void kill(std::int32_t attempt, bool reschedule = false) { task.on_killed(attempt, reschedule, effects); }
  template <class T>
  std::vector<T> all() const {
    std::vector<T> found;
    for (const auto& effect : effects)
      if (const auto* one = std::get_if<T>(&effect)) found.push_back(*one);
    return found;
  }
  bool is(State state, std::int32_t attempts) const { return task.state() == state && task.attempts() == attempts; }

  MapReduceTask task;
  MapReduceTaskEffects effects;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(map_reduce_task)

// C-E3-04.
BOOST_AUTO_TEST_CASE(a_task_that_has_succeeded_cannot_be_killed) {
  Task one;
  one.succeed(0);
  one.effects.clear();
  one.task.on_kill(one.effects);
  BOOST_TEST(one.is(State::succeeded, 1));
  BOOST_TEST(one.effects.empty());
}

// C-E3-05: its output was lost with its node. The replacement is requested before other maps.
BOOST_AUTO_TEST_CASE(a_finished_map_that_is_killed_runs_again_ahead_of_others) {
  Task one;
  one.succeed(0);
  one.effects.clear();
  one.kill(0, true);
  BOOST_TEST(one.is(State::scheduled, 2));
  const auto started = one.all<StartMapReduceAttempt>();
  BOOST_REQUIRE(started.size() == 1U);
  BOOST_TEST((started[0] == StartMapReduceAttempt{{false, 0, 1}, true, false}));
  BOOST_TEST(one.all<NotifyMapRescheduled>().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_finished_reduce_stays_finished) {
  MapReduceTask reduce{true, 0};
  MapReduceTaskEffects effects;
  reduce.on_schedule(effects);
  reduce.on_launched(0);
  reduce.on_succeeded(0, effects);
  effects.clear();
  reduce.on_killed(0, true, effects);
  reduce.on_failed(0, false, effects);
  BOOST_TEST((reduce.state() == State::succeeded));
  BOOST_TEST(effects.empty());
}

// C-E3-06.
BOOST_AUTO_TEST_CASE(progress_follows_the_attempts_that_live) {
  Task one;
  BOOST_TEST(one.task.progress() == 0.0F);
  one.task.on_progress(0, 0.5F);
  BOOST_TEST(one.task.progress() == 0.5F);
  one.task.on_progress(0, 1.0F);
  BOOST_TEST(one.task.progress() == 1.0F);
  one.kill(0);
  BOOST_TEST(one.task.progress() == 0.0F);
  BOOST_TEST(one.task.attempts() == 2);
  one.task.on_launched(1);
  one.task.on_progress(1, 0.5F);
  BOOST_TEST(one.task.progress() == 0.5F);
}

// C-E3-07.
BOOST_AUTO_TEST_CASE(an_attempt_that_is_killed_may_no_longer_commit) {
  Task one;
  one.task.on_commit_pending(0, one.effects);
  BOOST_TEST(one.task.may_commit(0));
  one.kill(0);
  BOOST_TEST(!one.task.may_commit(0));
  BOOST_TEST(one.is(State::running, 2));
}

// C-E3-08.
BOOST_AUTO_TEST_CASE(after_a_failure_while_committing_the_next_attempt_commits) {
  Task one;
  one.task.on_commit_pending(0, one.effects);
  one.fail(0);
  BOOST_TEST(one.task.attempts() == 2);
  one.task.on_launched(1);
  one.task.on_commit_pending(1, one.effects);
  BOOST_TEST(!one.task.may_commit(0));
  BOOST_TEST(one.task.may_commit(1));
  one.succeed(1);
  BOOST_TEST((one.task.state() == State::succeeded));
}

BOOST_AUTO_TEST_CASE(only_the_first_attempt_that_would_commit_does) {
  Task two{2};
  two.task.on_commit_pending(1, two.effects);
  two.task.on_commit_pending(0, two.effects);
  BOOST_TEST(two.task.may_commit(1));
  BOOST_TEST((two.all<EndMapReduceAttempt>() ==
              std::vector{EndMapReduceAttempt{{false, 0, 0}, AttemptEndReason::commits_elsewhere}}));
}

// C-E3-09: the copy succeeds. The task stays succeeded for any further event of the first attempt.
BOOST_AUTO_TEST_CASE(a_copy_that_wins_decides_whatever_happens_to_the_first) {
  const std::vector<void (*)(Task&)> later{[](Task& t) { t.fail(0); }, [](Task& t) { t.kill(0); },
                                           [](Task& t) { t.succeed(0); },
                                           [](Task& t) { t.task.on_commit_pending(0, t.effects); }};
  for (const auto& happens : later) {
    Task two{2};
    two.task.on_commit_pending(1, two.effects);
    two.succeed(1);
    BOOST_TEST((two.all<EndMapReduceAttempt>() ==
                std::vector{EndMapReduceAttempt{{false, 0, 0}, AttemptEndReason::redundant}}));
    two.effects.clear();
    happens(two);
    BOOST_TEST(two.is(State::succeeded, 2));
    BOOST_TEST(*two.task.successful_attempt() == 1);
    BOOST_TEST(two.effects.empty());
  }
}

// C-E3-10.
BOOST_AUTO_TEST_CASE(a_copy_that_won_can_still_lose_its_output) {
  Task two{2};
  two.task.on_commit_pending(1, two.effects);
  two.succeed(1);
  two.kill(0);
  two.fail(1);
  BOOST_TEST(two.is(State::scheduled, 3));
}

// C-E3-11: one failure is too many, with three live copies.
BOOST_AUTO_TEST_CASE(a_failed_task_stays_failed_and_starts_nothing) {
  Task four{4, 1};
  four.fail(0);
  BOOST_TEST(four.is(State::failed, 4));
  BOOST_TEST(four.all<EndMapReduceAttempt>().size() == 3U);
  BOOST_TEST(
      (four.all<AddCompletionEvent>() == std::vector{AddCompletionEvent{{false, 0, 0}, AttemptEnding::task_failed}}));
  four.effects.clear();
  four.fail(1);
  four.kill(2);
  four.task.on_commit_pending(3, four.effects);
  four.succeed(3);
  four.task.on_speculate(four.effects);
  four.task.on_kill(four.effects);
  BOOST_TEST(four.is(State::failed, 4));
  BOOST_TEST(four.effects.empty());
}

// C-E3-12: the copy waits for a container, so the failure of the first attempt starts a third one, before other maps.
// While the third runs, the failure of the copy starts no fourth.
BOOST_AUTO_TEST_CASE(a_copy_without_a_container_does_not_stand_in_for_a_failure) {
  Task one;
  one.task.on_speculate(one.effects);
  one.effects.clear();
  one.fail(0);
  BOOST_TEST(one.task.attempts() == 3);
  const auto started = one.all<StartMapReduceAttempt>();
  BOOST_REQUIRE(started.size() == 1U);
  BOOST_TEST((started[0] == StartMapReduceAttempt{{false, 0, 2}, true, false}));
  one.task.on_assigned(2);
  one.fail(1);
  BOOST_TEST(one.task.attempts() == 3);
  BOOST_TEST((one.task.state() == State::running));
}

// C-E3-13: both attempts are complete when the copy succeeds.
BOOST_AUTO_TEST_CASE(the_counters_are_those_of_the_attempt_that_won) {
  Task two{2};
  two.task.on_progress(0, 1.0F);
  two.task.on_progress(1, 0.75F);
  BOOST_TEST(*two.task.representative() == 0);
  two.task.on_progress(1, 1.0F);
  two.succeed(1);
  BOOST_TEST(*two.task.representative() == 1);
}

BOOST_AUTO_TEST_CASE(a_kill_waits_for_every_attempt) {
  Task two{2};
  two.task.on_kill(two.effects);
  BOOST_TEST((two.task.state() == State::kill_wait));
  two.kill(0);
  BOOST_TEST((two.task.state() == State::kill_wait));
  two.fail(1);
  BOOST_TEST(two.is(State::killed, 2));
}

BOOST_AUTO_TEST_CASE(random_histories_keep_the_invariants_and_end) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    RandomStream random{seed};
    MapReduceTask task{seed % 3 == 0, 0};
    MapReduceTaskEffects effects;
    AttemptEndings endings;
    task.on_schedule(effects);
    for (int step = 0; step < 60; ++step) {
      const auto attempt = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(task.attempts())));
      switch (random.below(8)) {
        case 0: task.on_assigned(attempt); break;
        case 1: task.on_launched(attempt); break;
        case 2: task.on_commit_pending(attempt, effects); break;
        case 3: task.on_succeeded(attempt, effects); break;
        case 4: task.on_failed(attempt, random.below(20) == 0, effects); break;
        case 5: task.on_killed(attempt, random.below(2) == 0, effects); break;
        case 6:
          if (task.attempts() < 12) task.on_speculate(effects);
          break;
        default:
          if (random.below(30) == 0) task.on_kill(effects);
          break;
      }
      task.check_invariants();
    }
    for (const auto& effect : effects)
      if (const auto* ended = std::get_if<AddCompletionEvent>(&effect)) endings.add(*ended);
    std::int32_t successes = 0;
    for (const auto& ended : endings.all()) successes += ended.ending == AttemptEnding::succeeded ? 1 : 0;
    BOOST_TEST(successes <= 1);
    if (task.state() != State::killed && task.state() != State::kill_wait)
      BOOST_TEST(successes == (task.state() == State::succeeded ? 1 : 0));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace map_reduce_task_test
}  // namespace heddle::policies

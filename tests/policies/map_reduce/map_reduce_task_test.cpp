// Goal: a task ends as its attempts do, always keeps an attempt that may finish it, and only a map's success can be
// revoked. Method: the numbered cases of the specification (E3), then random histories that reach each cell of the
// table.
#include "policies/map_reduce/map_reduce_task.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <iterator>
#include <set>
#include <utility>

#include "model/random_stream.hpp"
#include "policies/map_reduce/map_reduce_job_counts.hpp"
#include "policies/map_reduce/map_reduce_task_table.hpp"
#include "tests/support/effects_of.hpp"
#include "tests/support/state_table_checks.hpp"

namespace heddle::policies {
namespace map_reduce_task_test {
namespace {

namespace in = map_reduce_task_input;
using State = MapReduceTaskState;
using Event = MapReduceTaskEvent;
using Of = MapReduceAttemptState;

/// A map with running attempts 0 to `launched` - 1. All but the first are copies.
struct Task {
  explicit Task(std::int32_t launched = 1, std::int32_t attempts_max = 4, bool is_reduce = false)
      : task{{is_reduce, 0}, {attempts_max}} {
    put(in::Signal{Event::schedule});
    for (std::int32_t i = 0; i < launched; ++i) {
      if (i > 0) speculate();
      launch(i);
    }
    effects.clear();
  }
  bool put(const in::Input& input) {
    const bool is_done = task.apply({}, input, effects);
    for (const auto& started : all<StartMapReduceAttempt>()) numbers.insert(started.attempt.attempt);
    for (const auto& recovered : task.take_recovered()) numbers.insert(recovered.attempt().attempt);
    return is_done;
  }
  /// The attempt has a container if it is not the first state.
  void set(std::int32_t attempt, Of state, float progress = 0) {
    put(in::AttemptObserved{attempt, state, progress,
                            state == Of::unassigned ? std::nullopt : std::optional<std::string>{"h1"}});
  }
  void launch(std::int32_t attempt) {
    set(attempt, Of::running);
    put(in::AttemptSignal{Event::attempt_launched, attempt});
  }
  void speculate() { put(in::Signal{Event::add_spec_attempt}); }
  void ask_to_commit(std::int32_t attempt) {
    set(attempt, Of::commit_pending);
    put(in::AttemptSignal{Event::attempt_commit_pending, attempt});
  }
  void succeed(std::int32_t attempt) {
    set(attempt, Of::succeeded, 1);
    put(in::AttemptSignal{Event::attempt_succeeded, attempt});
  }
  void fail(std::int32_t attempt, bool fast_fail = false) {
    set(attempt, Of::failed);
    put(in::AttemptFailed{attempt, fast_fail});
  }
  void kill(std::int32_t attempt, bool reschedule = false) {
    set(attempt, Of::killed);
    put(in::AttemptKilled{attempt, reschedule});
  }
  bool may_commit(std::int32_t attempt) const { return task.committing_attempt() == attempt; }
  template <class T>
  std::vector<T> all() const {
    return tests::effects_of<T>(effects);
  }
  bool is(State state, std::int32_t attempts) const { return task.state() == state && task.attempts() == attempts; }

  MapReduceTask task;
  MapReduceStateEffects effects;
  std::set<std::int32_t> numbers;  // of its attempts
};

/// An input for the event, about an attempt of the task.
in::Input input_for(Event event, const Task& one, RandomStream& random) {
  std::int32_t attempt = 0;
  if (!one.numbers.empty())
    attempt = *std::next(one.numbers.begin(), static_cast<std::ptrdiff_t>(random.below(one.numbers.size())));
  switch (event) {
    case Event::recover: {
      const State ends[] = {State::succeeded, State::failed, State::killed};
      const Of attempt_ends[] = {Of::succeeded, Of::failed, Of::killed};
      in::Recovered recovered{ends[random.below(3)], random.below(2) == 0, random.below(2) == 0, {}};
      for (std::int32_t i = 0; i < static_cast<std::int32_t>(random.below(3)); ++i)
        recovered.attempts.push_back(
            {MapReduceAttempt{one.task.task().is_reduce, 0, i}, attempt_ends[random.below(3)], "h1", Instant{}, {}});
      return recovered;
    }
    case Event::attempt_failed: return in::AttemptFailed{attempt, random.below(10) == 0};
    case Event::attempt_killed: return in::AttemptKilled{attempt, random.below(2) == 0};
    case Event::attempt_launched:
    case Event::attempt_commit_pending:
    case Event::attempt_succeeded: return in::AttemptSignal{event, attempt};
    default: return in::Signal{event};
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(map_reduce_task)

// C-E3-04.
BOOST_AUTO_TEST_CASE(a_task_that_has_succeeded_cannot_be_killed) {
  Task one;
  one.succeed(0);
  one.effects.clear();
  one.put(in::Signal{Event::kill});
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

// The machine of the attempt prevents this: the master has an error. As in Hadoop the reduce runs again all the same.
BOOST_AUTO_TEST_CASE(a_finished_reduce_that_loses_its_success_is_an_internal_error) {
  for (const bool is_killed : {false, true}) {
    Task reduce{1, 4, true};
    reduce.succeed(0);
    reduce.effects.clear();
    if (is_killed) reduce.kill(0);
    else reduce.fail(0);
    BOOST_TEST(reduce.all<RaiseInternalError>().size() == 1U);
    BOOST_TEST(reduce.is(State::scheduled, 2));
  }
}

// C-E3-06.
BOOST_AUTO_TEST_CASE(progress_follows_the_attempts_that_live) {
  Task one;
  BOOST_TEST(one.task.progress() == 0.0F);
  one.set(0, Of::running, 0.5F);
  BOOST_TEST(one.task.progress() == 0.5F);
  one.set(0, Of::running, 1.0F);
  BOOST_TEST(one.task.progress() == 1.0F);
  one.kill(0);
  BOOST_TEST(one.task.progress() == 0.0F);
  BOOST_TEST(one.task.attempts() == 2);
  one.launch(1);
  one.set(1, Of::running, 0.5F);
  BOOST_TEST(one.task.progress() == 0.5F);
}

// C-E3-07.
BOOST_AUTO_TEST_CASE(an_attempt_that_is_killed_may_no_longer_commit) {
  Task one;
  one.ask_to_commit(0);
  BOOST_TEST(one.may_commit(0));
  one.kill(0);
  BOOST_TEST(!one.may_commit(0));
  BOOST_TEST(one.is(State::running, 2));
}

// C-E3-08.
BOOST_AUTO_TEST_CASE(after_a_failure_while_committing_the_next_attempt_commits) {
  Task one;
  one.ask_to_commit(0);
  one.fail(0);
  BOOST_TEST(one.task.attempts() == 2);
  one.launch(1);
  one.ask_to_commit(1);
  BOOST_TEST(!one.may_commit(0));
  BOOST_TEST(one.may_commit(1));
  one.succeed(1);
  BOOST_TEST((one.task.state() == State::succeeded));
}

BOOST_AUTO_TEST_CASE(only_the_first_attempt_that_would_commit_does) {
  Task two{2};
  two.ask_to_commit(1);
  two.ask_to_commit(0);
  BOOST_TEST(two.may_commit(1));
  BOOST_TEST((two.all<KillMapReduceAttempt>() ==
              std::vector{KillMapReduceAttempt{{false, 0, 0}, AttemptKillReason::commits_elsewhere}}));
}

// C-E3-09: the copy succeeds. The task stays succeeded for any further event of the first attempt.
BOOST_AUTO_TEST_CASE(a_copy_that_wins_decides_whatever_happens_to_the_first) {
  const std::vector<void (*)(Task&)> later{[](Task& t) { t.fail(0); }, [](Task& t) { t.kill(0); },
                                           [](Task& t) { t.succeed(0); }, [](Task& t) { t.ask_to_commit(0); }};
  for (const auto& happens : later) {
    Task two{2};
    two.ask_to_commit(1);
    two.succeed(1);
    BOOST_TEST((two.all<KillMapReduceAttempt>() ==
                std::vector{KillMapReduceAttempt{{false, 0, 0}, AttemptKillReason::redundant}}));
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
  two.ask_to_commit(1);
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
  BOOST_TEST(four.all<KillMapReduceAttempt>().size() == 3U);
  BOOST_TEST(
      (four.all<AddCompletionEvent>() == std::vector{AddCompletionEvent{{false, 0, 0}, AttemptEnding::task_failed}}));
  four.effects.clear();
  four.fail(1);
  four.kill(2);
  four.ask_to_commit(3);
  four.succeed(3);
  four.speculate();
  four.put(in::Signal{Event::kill});
  BOOST_TEST(four.is(State::failed, 4));
  BOOST_TEST(four.effects.empty());
}

// C-E3-12: the copy waits for a container, so the failure of the first attempt starts a third one, before other maps.
// While the third runs, the failure of the copy starts no fourth.
BOOST_AUTO_TEST_CASE(a_copy_without_a_container_does_not_stand_in_for_a_failure) {
  Task one;
  one.speculate();
  one.effects.clear();
  one.fail(0);
  BOOST_TEST(one.task.attempts() == 3);
  const auto started = one.all<StartMapReduceAttempt>();
  BOOST_REQUIRE(started.size() == 1U);
  BOOST_TEST((started[0] == StartMapReduceAttempt{{false, 0, 2}, true, false}));
  one.set(2, Of::assigned);
  one.fail(1);
  BOOST_TEST(one.task.attempts() == 3);
  BOOST_TEST((one.task.state() == State::running));
}

// C-E3-13: both attempts are complete when the copy succeeds.
BOOST_AUTO_TEST_CASE(the_counters_are_those_of_the_attempt_that_won) {
  Task two{2};
  two.set(0, Of::running, 1.0F);
  two.set(1, Of::running, 0.75F);
  BOOST_TEST(*two.task.representative() == 0);
  two.set(1, Of::running, 1.0F);
  two.succeed(1);
  BOOST_TEST(*two.task.representative() == 1);
}

BOOST_AUTO_TEST_CASE(a_kill_waits_for_every_attempt) {
  Task two{2};
  two.put(in::Signal{Event::kill});
  BOOST_TEST((two.task.state() == State::kill_wait));
  two.kill(0);
  BOOST_TEST((two.task.state() == State::kill_wait));
  two.fail(1);
  BOOST_TEST(two.is(State::killed, 2));
}

BOOST_AUTO_TEST_CASE(without_copies_any_live_attempt_stands_in_for_a_failure) {
  for (const bool is_speculative : {false, true}) {
    Task one;
    one.task = MapReduceTask{{false, 0}, {4, is_speculative}};
    one.put(in::Signal{Event::schedule});
    one.launch(0);
    one.speculate();
    one.fail(0);
    BOOST_TEST(one.task.attempts() == (is_speculative ? 3 : 2));
  }
}

BOOST_AUTO_TEST_CASE(a_task_fails_at_once_if_an_attempt_says_so) {
  Task one;
  one.fail(0, true);
  BOOST_TEST(one.is(State::failed, 1));
}

// In the order of their ends. A later end does not replace the success.
BOOST_AUTO_TEST_CASE(a_later_master_takes_over_the_attempts_of_a_task_that_succeeded) {
  Task one;
  one.task = MapReduceTask{{false, 0}, {4, true, false, 1000}};
  one.effects.clear();
  one.numbers.clear();
  const auto at = [](int second) { return Instant{std::chrono::seconds{second}}; };
  one.put(in::Recovered{State::succeeded,
                        false,
                        false,
                        {{{false, 0, 2}, Of::killed, "h3", at(1), at(9)},
                         {{false, 0, 1}, Of::succeeded, "h2", at(1), at(8)},
                         {{false, 0, 0}, Of::failed, "h1", at(1), at(2)}}});
  BOOST_TEST(one.is(State::succeeded, 3));
  BOOST_TEST(*one.task.successful_attempt() == 1);
  BOOST_TEST(
      (one.all<AddCompletionEvent>() == std::vector{AddCompletionEvent{{false, 0, 0}, AttemptEnding::failed},
                                                    AddCompletionEvent{{false, 0, 1}, AttemptEnding::succeeded}}));
  BOOST_TEST((one.numbers == std::set<std::int32_t>{0, 1, 2}));
  one.kill(1, true);  // its node is gone
  BOOST_TEST((one.all<StartMapReduceAttempt>() == std::vector{StartMapReduceAttempt{{false, 0, 1000}, true, false}}));
}

// Each cell and each of its states is reached, and nothing outside of the table happens.
BOOST_AUTO_TEST_CASE(random_histories_reach_each_cell_and_stay_in_the_table) {
  Arrivals<State, Event> arrivals;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    RandomStream random{seed};
    Task one{0};
    one.task = MapReduceTask{{seed % 3 == 0, 0}, {static_cast<std::int32_t>(1 + seed % 4), seed % 2 == 0, false, 1000}};
    one.numbers.clear();
    for (int step = 0; step < 40; ++step) {
      for (const std::int32_t attempt : one.numbers)
        if (random.below(2) == 0) one.set(attempt, static_cast<Of>(1 + random.below(14)), 0.5F);
      const State before = one.task.state();
      auto event = static_cast<Event>(random.below(task_table.events));
      if (event == Event::kill && random.below(4) > 0) event = Event::attempt_launched;
      if (one.numbers.empty() && event >= Event::attempt_launched) continue;
      const auto& cell = task_table.at(before, event);
      one.effects.clear();
      const std::int32_t attempts = one.task.attempts();
      const bool is_done = one.put(input_for(event, one, random));
      one.task.check_invariants();
      BOOST_REQUIRE(is_done == cell.is_possible());
      BOOST_REQUIRE((is_done ? cell.to.has(one.task.state()) : one.task.state() == before));
      BOOST_REQUIRE(one.all<StartMapReduceAttempt>().size() <= 1U);
      if (is_done && event != Event::recover)
        BOOST_REQUIRE(one.task.attempts() - attempts ==
                      static_cast<std::int32_t>(one.all<StartMapReduceAttempt>().size()));
      if (is_done) arrivals.insert({{before, event}, one.task.state()});
      if (!one.all<NotifyTaskEnded>().empty()) BOOST_REQUIRE(is_final(one.task.state()));
    }
  }
  check_arrivals(task_table, arrivals, task_state_names, task_event_names);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace map_reduce_task_test
}  // namespace heddle::policies

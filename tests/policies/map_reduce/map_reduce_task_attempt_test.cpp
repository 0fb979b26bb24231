// Goal: an attempt follows its table, gives its container back, and its end is reported with its run time. Method:
// short histories, and random events that reach each cell of the table.
#include "policies/map_reduce/map_reduce_task_attempt.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <set>
#include <utility>

#include "model/random_stream.hpp"
#include "policies/map_reduce/map_reduce_attempt_table.hpp"
#include "policies/map_reduce/map_reduce_state_effects.hpp"
#include "tests/support/effects_of.hpp"
#include "tests/support/state_table_checks.hpp"

namespace heddle::policies {
namespace map_reduce_task_attempt_test {
namespace {

namespace in = map_reduce_attempt_input;
using State = MapReduceAttemptState;
using Event = MapReduceAttemptEvent;
using namespace std::chrono_literals;

struct Attempt {
  explicit Attempt(bool is_reduce = false, bool is_map_only = false)
      : machine{{is_reduce, 0, 0}, {is_map_only, {"h1"}, {"/r1"}}} {}

  bool put(const in::Input& input) { return machine.apply(now, input, effects); }
  bool put(Event event) { return put(in::Signal{event}); }
  void assign() { put(in::Assigned{ContainerId{7}, "h2", {1536, 2}}); }
  void run() {
    put(Event::schedule);
    assign();
    put(Event::container_launched);
  }
  /// Finishes and exits.
  void succeed() {
    run();
    now += 1s;
    put(Event::done);
    put(Event::container_completed);
    effects.clear();
  }
  template <class T>
  std::vector<T> all() const {
    return tests::effects_of<T>(effects);
  }
  [[nodiscard]] std::int64_t counter(MapReduceJobCounter counter) const {
    std::int64_t sum = 0;
    for (const auto& update : all<UpdateJobCounters>())
      for (const auto& increment : update.increments)
        if (increment.counter == counter) sum += increment.amount;
    return sum;
  }

  MapReduceTaskAttempt machine;
  Instant now{1s};
  MapReduceStateEffects effects;
};

/// An input for the event, with random fields.
in::Input input_for(Event event, RandomStream& random) {
  switch (event) {
    case Event::assigned: return in::Assigned{ContainerId{7}, "h2", {1024, 1}};
    case Event::update: return in::Updated{0.5F, {}};
    case Event::kill: return random.below(2) == 0 ? in::Killed{} : in::Killed{random.below(2) == 0};
    case Event::recover: {
      const State ends[] = {State::succeeded, State::failed, State::killed};
      in::Recovered recovered;
      recovered.recorded.attempt = {false, 0, 0};
      if (random.below(4) > 0) recovered.recorded.end = ends[random.below(3)];
      recovered.adopts_output = random.below(2) == 0;
      recovered.adoption_fails = random.below(2) == 0;
      return recovered;
    }
    default: return in::Signal{event};
  }
}

/// Mostly one that is possible, and rarely one that ends the attempt.
Event random_event(State state, RandomStream& random) {
  const auto ends = [state](Event event) {
    const auto to = attempt_table.at(state, event).to;
    return to.has(State::succeeded) || to.has(State::failed) || to.has(State::killed);
  };
  auto event = static_cast<Event>(random.below(attempt_table.events));
  for (int again = 0; again < 6; ++again) {
    if (attempt_table.at(state, event).is_possible() && (!ends(event) || random.below(4) == 0)) break;
    event = static_cast<Event>(random.below(attempt_table.events));
  }
  return event;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(map_reduce_task_attempt)

BOOST_AUTO_TEST_CASE(an_attempt_that_succeeds_reports_its_run_time_and_leaves_its_container) {
  Attempt one;
  one.run();
  one.now += 4s;
  one.put(Event::commit_pending);
  BOOST_TEST((one.machine.status() == MapReduceAttemptStatus::commit_pending));
  one.put(Event::done);
  BOOST_TEST((one.machine.state() == State::success_finishing_container));
  BOOST_TEST((one.machine.status() == MapReduceAttemptStatus::succeeded));
  BOOST_TEST(one.machine.progress() == 1.0F);
  BOOST_TEST(one.counter(MapReduceJobCounter::millis_maps) == 4000);
  BOOST_TEST(one.counter(MapReduceJobCounter::slots_millis_maps) == 8000);  // 1536 MiB are two slots
  BOOST_TEST(one.counter(MapReduceJobCounter::mb_millis_maps) == 4000 * 1536);
  BOOST_TEST(one.counter(MapReduceJobCounter::vcores_millis_maps) == 8000);
  one.put(Event::container_completed);
  BOOST_TEST((one.machine.state() == State::succeeded));
  BOOST_TEST(one.all<ForgetTaskContainer>().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_child_that_does_not_exit_is_stopped) {
  Attempt one;
  one.run();
  one.put(Event::done);
  one.put(Event::timed_out);
  BOOST_TEST((one.machine.state() == State::success_container_cleanup));
  BOOST_REQUIRE(one.all<CleanUpTaskContainer>().size() == 1U);
  BOOST_TEST(one.all<CleanUpTaskContainer>()[0].dump_threads);
  one.put(Event::container_cleaned);
  BOOST_TEST((one.machine.state() == State::succeeded));
}

BOOST_AUTO_TEST_CASE(a_killed_attempt_aborts_its_output_and_says_how_to_replace_it) {
  Attempt one;
  one.run();
  one.put(in::Killed{true});
  one.put(Event::container_cleaned);
  BOOST_TEST(one.all<AbortTaskOutput>().size() == 1U);
  one.effects.clear();
  one.put(Event::cleanup_done);
  BOOST_TEST((one.machine.state() == State::killed));
  const auto told = one.all<NotifyTask>();
  BOOST_REQUIRE(told.size() == 1U);
  BOOST_TEST((told[0].event == MapReduceTaskEvent::attempt_killed));
  BOOST_TEST(told[0].reschedule);
}

BOOST_AUTO_TEST_CASE(only_the_output_of_a_map_that_reduces_need_can_be_lost) {
  for (const bool is_reduce : {false, true})
    for (const bool is_map_only : {false, true}) {
      Attempt one{is_reduce, is_map_only};
      one.succeed();
      one.put(in::Killed{true});
      BOOST_TEST((one.machine.state() == (is_reduce || is_map_only ? State::succeeded : State::killed)));
    }
  Attempt reduce{true};
  reduce.succeed();
  BOOST_TEST(!reduce.put(Event::too_many_fetch_failure));
  BOOST_TEST((reduce.machine.state() == State::succeeded));
}

BOOST_AUTO_TEST_CASE(a_request_is_withdrawn_without_a_start) {
  Attempt one;
  one.put(Event::reschedule);
  BOOST_REQUIRE(one.all<RequestTaskContainer>().size() == 1U);
  BOOST_TEST(one.all<RequestTaskContainer>()[0].earlier_failed);
  BOOST_TEST(one.all<RequestTaskContainer>()[0].hosts.empty());
  one.put(in::Killed{true});
  BOOST_TEST(one.all<DeallocateTaskContainer>().size() == 1U);
  BOOST_TEST(one.counter(MapReduceJobCounter::total_launched_maps) == 0);
  BOOST_TEST(!one.machine.launch_time());
}

BOOST_AUTO_TEST_CASE(an_attempt_of_an_earlier_master_keeps_its_end_unless_its_output_is_gone) {
  for (const bool fails : {false, true}) {
    Attempt one;
    one.put(in::Recovered{{{false, 0, 0}, State::succeeded, "h1", Instant{500ms}, Instant{600ms}}, true, fails});
    BOOST_TEST((one.machine.state() == (fails ? State::killed : State::succeeded)));
    BOOST_TEST(one.all<AdoptTaskOutput>().size() == 1U);
    BOOST_TEST(one.all<AbortTaskOutput>().size() == (fails ? 1U : 0U));
    BOOST_TEST((one.machine.finish_time() == Instant{600ms}));
  }
}

// As in Hadoop, unless the setting is on.
BOOST_AUTO_TEST_CASE(a_failed_child_that_does_not_exit_is_reported_twice_or_once) {
  for (const bool once : {false, true}) {
    Attempt one;
    TaskAttemptSettings settings;
    settings.reports_failure_once = once;
    one.machine = MapReduceTaskAttempt{{false, 0, 0}, settings};
    one.run();
    one.effects.clear();
    for (const auto event : {Event::failmsg, Event::timed_out, Event::container_cleaned, Event::cleanup_done})
      one.put(event);
    BOOST_TEST((one.machine.state() == State::failed));
    BOOST_TEST(one.all<NotifyTask>().size() == (once ? 1U : 2U));
    BOOST_TEST(one.counter(MapReduceJobCounter::num_failed_maps) == (once ? 1 : 2));
  }
}

BOOST_AUTO_TEST_CASE(an_event_without_a_transition_changes_nothing_and_is_named) {
  Attempt one;
  one.put(Event::schedule);
  one.effects.clear();
  BOOST_TEST(!one.put(Event::done));
  BOOST_TEST((one.machine.state() == State::unassigned));
  const auto errors = one.all<RaiseInternalError>();
  BOOST_REQUIRE(errors.size() == 1U);
  BOOST_TEST(errors[0].text == "map 0 attempt 0: no transition for event done in state UNASSIGNED");
}

// Each cell and each of its states is reached; nothing outside of the table happens. Containers: the need of the
// speculator is 1 while the attempt waits for a container and 0 otherwise; an attempt asks for one container at most.
BOOST_AUTO_TEST_CASE(random_events_reach_each_cell_and_stay_in_the_table) {
  std::set<std::pair<State, Event>> cells;
  Arrivals<State, Event> arrivals;
  for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
    RandomStream random{seed};
    Attempt one{seed % 3 == 0, seed % 5 == 0};
    std::int32_t need = 0;
    std::size_t requests = 0;
    for (int step = 0; step < 25; ++step) {
      const State before = one.machine.state();
      const auto event = random_event(before, random);
      const auto& cell = attempt_table.at(before, event);
      one.effects.clear();
      const bool is_done = one.put(input_for(event, random));
      const bool is_reduce_without_output = seed % 3 == 0 && event == Event::too_many_fetch_failure;
      if (!is_reduce_without_output) BOOST_REQUIRE(is_done == cell.is_possible());
      BOOST_REQUIRE(is_done == one.all<RaiseInternalError>().empty());
      if (is_done) {
        BOOST_REQUIRE(cell.to.has(one.machine.state()));
        cells.insert({before, event});
        arrivals.insert({{before, event}, one.machine.state()});
      } else {
        BOOST_REQUIRE((one.machine.state() == before));
      }
      for (const auto& change : one.all<ChangeContainerNeed>()) need += change.change;
      requests += one.all<RequestTaskContainer>().size();
      BOOST_REQUIRE(need == (one.machine.state() == State::unassigned ? 1 : 0));
      BOOST_REQUIRE(requests <= 1U);
    }
  }
  for (std::size_t from = 0; from < attempt_table.states; ++from)
    for (std::size_t event = 0; event < attempt_table.events; ++event) {
      const std::pair cell{static_cast<State>(from), static_cast<Event>(event)};
      BOOST_TEST(cells.contains(cell) == attempt_table.at(cell.first, cell.second).is_possible(),
                 attempt_state_names.at(from) << ", " << attempt_event_names.at(event));
    }
  check_arrivals(attempt_table, arrivals, attempt_state_names, attempt_event_names);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace map_reduce_task_attempt_test
}  // namespace heddle::policies

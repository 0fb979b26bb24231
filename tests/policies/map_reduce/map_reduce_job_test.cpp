// Goal: a job ends as its tasks do, waits for the tasks that it kills, and runs maps again whose output is lost.
// Method: the numbered cases of the specification (E3-01 to E3-03) with tasks and attempts, then random events that
// reach each cell of the table.
#include "policies/map_reduce/map_reduce_job.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <utility>

#include "model/random_stream.hpp"
#include "policies/map_reduce/map_reduce_job_table.hpp"
#include "tests/support/effects_of.hpp"
#include "tests/support/map_reduce_master_in_memory.hpp"
#include "tests/support/state_table_checks.hpp"

namespace heddle::policies {
namespace map_reduce_job_test {
namespace {

namespace in = map_reduce_job_input;
using State = MapReduceJobState;
using Event = MapReduceJobEvent;

constexpr MapReduceAttempt map0{false, 0, 0};

/// A finished map, and reduces that copy its output.
struct Copies {
  explicit Copies(std::int32_t reduces) : master{settings(reduces)} {
    master.start();
    master.run(map0);
    master.finish(map0);
    for (std::int32_t i = 0; i < reduces; ++i) {
      master.run({true, i, 0}, "h" + std::to_string(i));
      copy(i, true);
    }
  }
  static MapReduceJobSettings settings(std::int32_t reduces) {
    MapReduceJobSettings settings;
    settings.maps = 1;
    settings.reduces = reduces;
    return settings;
  }
  void copy(std::int32_t reduce, bool copies) { master.put(in::CopyObserved{{true, reduce, 0}, copies}); }
  void report(std::int32_t reduce) { master.put({true, reduce, 0}, map_reduce_attempt_input::Updated{0.1F, {map0}}); }
  [[nodiscard]] MapReduceTaskState map() const { return master.task({false, 0}).state(); }
  void run_again_and_finish(std::int32_t reduces) {
    master.run({false, 0, 1});
    master.finish({false, 0, 1});
    for (std::int32_t i = 0; i < reduces; ++i) master.finish({true, i, 0});
  }
  static std::string words(const std::vector<AddCompletionEvent>& completions) {
    static const char* const names[] = {"succeeded", "failed", "killed", "obsolete", "task_failed"};
    std::string line;
    for (const auto& [attempt, ending] : completions)
      line += (attempt.is_reduce ? "r" : "m") + std::to_string(attempt.attempt) + ":" +
              names[static_cast<std::size_t>(ending)] + " ";
    return line;
  }

  MapReduceMasterInMemory master;
};

struct Job {
  explicit Job(MapReduceJobSettings settings) : job{settings} {}
  bool put(const in::Input& input) { return job.apply(now, input, effects); }
  bool put(Event event) { return put(in::Signal{event}); }
  void run() {
    put(in::Initialized{});
    put(Event::start);
    put(Event::setup_completed);
    effects.clear();
  }
  bool end(MapReduceTaskId task, MapReduceTaskState state) {
    put(in::TaskObserved{task, state, 0});
    return put(in::TaskCompleted{task, state});
  }
  template <class T>
  std::vector<T> all() const {
    return tests::effects_of<T>(effects);
  }

  MapReduceJob job;
  Instant now{std::chrono::seconds{1}};
  MapReduceStateEffects effects;
};

MapReduceJobSettings sized(std::int32_t maps, std::int32_t reduces) {
  MapReduceJobSettings settings;
  settings.maps = maps;
  settings.reduces = reduces;
  return settings;
}

/// An input for the event, about a task of the job.
in::Input input_for(Event event, const MapReduceJobSettings& settings, RandomStream& random) {
  const MapReduceTaskState ends[] = {MapReduceTaskState::succeeded, MapReduceTaskState::failed,
                                     MapReduceTaskState::killed};
  const bool is_reduce = settings.reduces > 0 && random.below(2) == 0;
  const auto tasks = static_cast<std::uint64_t>(std::max(is_reduce ? settings.reduces : settings.maps, 1));
  const MapReduceTaskId task{is_reduce, static_cast<std::int32_t>(random.below(tasks))};
  const MapReduceAttempt attempt{task.is_reduce, task.index, 0};
  switch (event) {
    case Event::init: return in::Initialized{random.below(4) == 0};
    case Event::task_completed: return in::TaskCompleted{task, ends[random.below(3)]};
    case Event::map_task_rescheduled: return in::MapRescheduled{task};
    case Event::task_attempt_completed:
      return in::AttemptCompleted{{attempt, static_cast<AttemptEnding>(random.below(3))}, "h1"};
    case Event::task_attempt_fetch_failure: return in::FetchFailed{{true, 0, 0}, {map0}, "h1"};
    case Event::updated_nodes:
      return in::NodesUpdated{{{NodeId{1}, "h1", static_cast<NodeCondition>(random.below(5))}}};
    case Event::abort_completed: return in::AbortCompleted{random.below(2) == 0 ? State::failed : State::killed};
    default: return in::Signal{event};
  }
}

/// Half of the time one that goes on with the job; else mostly one that is possible, and rarely one that ends the
/// state.
Event random_event(State state, RandomStream& random) {
  static const std::map<State, Event> next{{State::created, Event::init},
                                           {State::inited, Event::start},
                                           {State::setup, Event::setup_completed},
                                           {State::running, Event::task_completed},
                                           {State::kill_wait, Event::task_completed},
                                           {State::committing, Event::commit_completed}};
  const auto row = next.find(state);
  if (row != next.end() && random.below(2) == 0) return row->second;
  auto event = static_cast<Event>(random.below(job_table.events));
  for (int again = 0; again < 6; ++again) {
    const auto& cell = job_table.at(state, event);
    if (cell.is_possible() && (cell.to.has(state) || random.below(5) == 0)) break;
    event = static_cast<Event>(random.below(job_table.events));
  }
  return event;
}

bool needs_a_task(Event event) {
  return event == Event::task_completed || event == Event::map_task_rescheduled ||
         event == Event::task_attempt_completed || event == Event::task_attempt_fetch_failure;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(map_reduce_job)

// C-E3-01.
BOOST_AUTO_TEST_CASE(three_notices_of_the_only_reduce_run_a_map_again) {
  Copies one{1};
  one.report(0);
  one.report(0);
  BOOST_TEST((one.map() == MapReduceTaskState::succeeded));
  one.report(0);
  BOOST_TEST((one.map() == MapReduceTaskState::scheduled));
  BOOST_TEST(one.master.task({false, 0}).attempts() == 2);
  BOOST_TEST((one.master.attempts().at(map0).state() == MapReduceAttemptState::failed));
  one.run_again_and_finish(1);
  const auto& completions = one.master.job().completion_events();
  BOOST_TEST(Copies::words(completions.all()) == "m0:obsolete m0:failed m1:succeeded r0:succeeded ");
  BOOST_TEST(Copies::words(completions.of_maps()) == "m0:obsolete m0:failed m1:succeeded ");
  BOOST_TEST((one.master.job().state() == State::committing));
}

// C-E3-02: the history of the first master does not say that the map ended, so the next one starts it.
BOOST_AUTO_TEST_CASE(a_master_that_follows_runs_a_map_again_that_could_not_be_fetched) {
  Copies one{1};
  for (int i = 0; i < 3; ++i) one.report(0);
  BOOST_REQUIRE(!is_final(one.map()));
  MapReduceMasterInMemory next{Copies::settings(1), 1000};
  next.start();
  next.run({false, 0, 1000});
  next.finish({false, 0, 1000});
  next.run({true, 0, 1000});
  next.finish({true, 0, 1000});
  BOOST_TEST(Copies::words(next.job().completion_events().all()) == "m1000:succeeded r1000:succeeded ");
}

// C-E3-03: the third report arrives when two of three reduces no longer fetch. The last reporter is named.
BOOST_AUTO_TEST_CASE(notices_count_against_the_reduces_that_still_fetch) {
  Copies one{3};
  one.report(0);
  one.report(1);
  BOOST_TEST((one.map() == MapReduceTaskState::succeeded));
  one.copy(0, false);
  one.copy(1, false);
  one.report(2);
  BOOST_TEST((one.map() == MapReduceTaskState::scheduled));
  one.run_again_and_finish(3);
  BOOST_TEST(Copies::words(one.master.job().completion_events().all()) ==
             "m0:obsolete m0:failed m1:succeeded r0:succeeded r0:succeeded r0:succeeded ");
}

BOOST_AUTO_TEST_CASE(a_failed_job_waits_for_the_tasks_that_it_kills_but_not_forever) {
  for (const bool tasks_end : {true, false}) {
    Job one{sized(2, 0)};
    one.run();
    one.end({false, 0}, MapReduceTaskState::failed);
    BOOST_TEST((one.job.state() == State::fail_wait));
    BOOST_TEST(one.all<CommandTask>().size() == 1U);
    BOOST_TEST((one.job.next_due() == one.now + std::chrono::seconds{60}));
    if (tasks_end) one.end({false, 1}, MapReduceTaskState::killed);
    else one.put(Event::fail_wait_timedout);
    BOOST_TEST((one.job.state() == State::fail_abort));
    BOOST_TEST(!one.job.next_due());
    one.put(in::AbortCompleted{State::failed});
    BOOST_TEST((one.job.state() == State::failed));
    BOOST_TEST((one.job.shown() == State::running));
    one.put(in::Unregistered{});
    BOOST_TEST((one.job.shown() == State::failed));
  }
}

BOOST_AUTO_TEST_CASE(failed_tasks_within_the_allowed_share_do_not_fail_the_job) {
  auto settings = sized(4, 0);
  settings.map_failures_percent = 25;
  Job one{settings};
  one.run();
  one.end({false, 0}, MapReduceTaskState::failed);
  BOOST_TEST((one.job.state() == State::running));
  one.end({false, 1}, MapReduceTaskState::failed);
  BOOST_TEST((one.job.state() == State::fail_wait));
}

BOOST_AUTO_TEST_CASE(a_killed_job_ends_after_its_tasks) {
  Job one{sized(1, 1)};
  one.run();
  one.put(Event::kill);
  BOOST_TEST(one.all<CommandTask>().size() == 2U);
  one.end({false, 0}, MapReduceTaskState::killed);
  BOOST_TEST((one.job.state() == State::kill_wait));
  one.end({true, 0}, MapReduceTaskState::killed);
  BOOST_TEST((one.job.state() == State::kill_abort));
  one.put(in::AbortCompleted{State::killed});
  BOOST_TEST((one.job.state() == State::killed));
  BOOST_TEST(one.all<EndMapReduceJob>().size() == 1U);
}

// As in Hadoop: the first map counts twice, so the job ends before the second. Unless the setting is on.
BOOST_AUTO_TEST_CASE(a_map_that_loses_its_success_while_the_job_is_killed_counts_twice_or_once) {
  for (const bool kills : {false, true}) {
    auto settings = sized(2, 1);
    settings.kills_rescheduled_maps = kills;
    Job one{settings};
    one.run();
    one.end({false, 0}, MapReduceTaskState::succeeded);
    one.put(Event::kill);
    one.effects.clear();
    one.put(in::MapRescheduled{{false, 0}});
    BOOST_TEST(one.all<CommandTask>().size() == (kills ? 1U : 0U));
    one.end({false, 0}, MapReduceTaskState::killed);
    one.end({true, 0}, MapReduceTaskState::killed);
    BOOST_TEST((one.job.state() == (kills ? State::kill_wait : State::kill_abort)));
  }
}

// JB-7: each notice names all successes of the node. After the last reduce nobody needs them.
BOOST_AUTO_TEST_CASE(maps_of_a_lost_node_run_again_while_reduces_need_them) {
  Job one{sized(2, 1)};
  one.run();
  for (const std::int32_t map : {0, 1}) {
    one.put(in::AttemptCompleted{{{false, map, 0}, AttemptEnding::succeeded}, map == 0 ? "h1" : "h2"});
    one.end({false, map}, MapReduceTaskState::succeeded);
  }
  one.effects.clear();
  one.put(in::NodesUpdated{
      {{NodeId{1}, "h1", NodeCondition::unhealthy}, {NodeId{2}, "h2", NodeCondition::decommissioning}}});
  BOOST_TEST((one.all<KillMapReduceAttempt>() ==
              std::vector{KillMapReduceAttempt{map0, AttemptKillReason::unusable_node, true}}));
  one.put(in::MapRescheduled{{false, 0}});
  one.put(in::TaskObserved{{false, 0}, MapReduceTaskState::scheduled, 0});
  one.effects.clear();
  one.end({true, 0}, MapReduceTaskState::succeeded);
  BOOST_TEST((one.all<CommandTask>().size() == 1U));  // kills the map that runs again
  one.effects.clear();
  one.put(in::NodesUpdated{{{NodeId{2}, "h2", NodeCondition::lost}}});
  BOOST_TEST(one.effects.empty());
  one.end({false, 0}, MapReduceTaskState::killed);
  BOOST_TEST((one.job.state() == State::committing));
}

BOOST_AUTO_TEST_CASE(a_job_without_tasks_commits) {
  MapReduceMasterInMemory master{sized(0, 0)};
  master.start();
  BOOST_TEST((master.job().state() == State::committing));
}

// Each cell and each of its states is reached; nothing outside of the table happens.
BOOST_AUTO_TEST_CASE(random_events_reach_each_cell_and_stay_in_the_table) {
  Arrivals<State, Event> arrivals;
  for (std::uint64_t seed = 1; seed <= 10000; ++seed) {
    RandomStream random{seed};
    auto settings = sized(static_cast<std::int32_t>(1 + seed % 3), static_cast<std::int32_t>(seed % 2));
    if (seed % 10 == 0) settings = sized(0, 0);
    settings.map_failures_percent = seed % 5 == 0 ? 60 : 0;
    settings.is_last_master = seed % 7 == 0;
    Job one{settings};
    for (int step = 0; step < 40; ++step) {
      const State before = one.job.state();
      auto event = random_event(before, random);
      if (settings.maps == 0 && needs_a_task(event)) event = Event::completed;
      const auto& cell = job_table.at(before, event);
      one.effects.clear();
      const auto input = input_for(event, settings, random);
      if (const auto* ended = std::get_if<in::TaskCompleted>(&input))
        one.put(in::TaskObserved{ended->task, ended->state, 0});
      const bool is_done = one.put(input);
      one.job.check_invariants();
      BOOST_REQUIRE(is_done == cell.is_possible());
      BOOST_REQUIRE(is_done == one.all<RaiseInternalError>().empty());
      BOOST_REQUIRE((is_done ? cell.to.has(one.job.state()) : one.job.state() == before));
      BOOST_REQUIRE(!is_final(one.job.shown()));
      if (is_done) arrivals.insert({{before, event}, one.job.state()});
    }
    BOOST_REQUIRE((one.job.progress() >= 0 && one.job.progress() <= 1.000001F));
  }
  check_arrivals(job_table, arrivals, job_state_names, job_event_names);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace map_reduce_job_test
}  // namespace heddle::policies

// Goal: the tables of transitions have exactly the rows that are written, and each state of the three machines of
// MapReduce is reached. Method: a small table, and a search from the first state of each machine.
#include "policies/tables/transition_table.hpp"

#include <boost/test/unit_test.hpp>
#include <set>

#include "policies/map_reduce/map_reduce_state_effects.hpp"

namespace heddle::policies {
namespace transition_table_test {
namespace {

enum class Door : std::uint8_t { open, closed, locked, count };
enum class Push : std::uint8_t { push, pull, turn_key, count };
enum class Noise : std::uint8_t { none, click };

constexpr TransitionTable<Door, Push, Noise> doors{
    {Door::open, Push::pull, Noise::none, Door::closed},
    {Door::closed, Push::push, Noise::none, Door::open},
    {Door::closed, Push::turn_key, Noise::click, {Door::closed, Door::locked}},
    {Door::locked, {Push::push, Push::pull}, Noise::none, Door::locked},
};
static_assert(doors.at(Door::closed, Push::turn_key).to.has(Door::locked));

/// All states that some events lead to.
template <class State, class Event, class Action>
std::set<State> reached(const TransitionTable<State, Event, Action>& table) {
  using Table = TransitionTable<State, Event, Action>;
  std::set<State> found{State{}};
  for (bool is_grown = true; is_grown;) {
    const std::size_t before = found.size();
    for (const State from : std::set<State>{found})
      for (std::size_t event = 0; event < Table::events; ++event)
        for (std::size_t to = 0; to < Table::states; ++to)
          if (table.at(from, static_cast<Event>(event)).to.has(static_cast<State>(to)))
            found.insert(static_cast<State>(to));
    is_grown = found.size() > before;
  }
  return found;
}

/// Cells of the table with a transition.
template <class State, class Event, class Action>
std::size_t possible(const TransitionTable<State, Event, Action>& table) {
  std::size_t cells = 0;
  for (std::size_t state = 0; state < table.states; ++state)
    for (std::size_t event = 0; event < table.events; ++event)
      if (table.at(static_cast<State>(state), static_cast<Event>(event)).is_possible()) ++cells;
  return cells;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(transition_table)

BOOST_AUTO_TEST_CASE(a_row_gives_its_action_and_its_states) {
  const auto& cell = doors.at(Door::closed, Push::turn_key);
  BOOST_TEST((cell.action == Noise::click));
  BOOST_TEST(cell.to.has(Door::closed));
  BOOST_TEST(!cell.to.has(Door::open));
  BOOST_TEST((doors.at(Door::open, Push::pull).to.only() == Door::closed));
  BOOST_TEST(doors.at(Door::locked, Push::pull).is_possible());
}

BOOST_AUTO_TEST_CASE(a_pair_without_a_row_is_impossible) {
  BOOST_TEST(!doors.at(Door::open, Push::turn_key).is_possible());
  BOOST_TEST(possible(doors) == 5U);
}

BOOST_AUTO_TEST_CASE(each_state_of_attempt_task_and_job_is_reached) {
  BOOST_TEST(reached(attempt_table).size() == attempt_table.states);
  BOOST_TEST(reached(task_table).size() == task_table.states);
  BOOST_TEST(reached(job_table).size() == job_table.states);
}

/// The numbers of transitions of Hadoop 3.4.1, as the recorded cases show them.
BOOST_AUTO_TEST_CASE(the_tables_have_the_transitions_of_hadoop) {
  BOOST_TEST(possible(attempt_table) == 152U);
  BOOST_TEST(possible(task_table) == 39U);
  BOOST_TEST(possible(job_table) == 163U);
}

BOOST_AUTO_TEST_CASE(names_belong_to_their_states_and_events) {
  const auto name = [](const auto& names, auto value) { return names.at(static_cast<std::size_t>(value)); };
  BOOST_TEST(name(attempt_state_names, MapReduceAttemptState::kill_task_cleanup) == "KILL_TASK_CLEANUP");
  BOOST_TEST(name(attempt_event_names, MapReduceAttemptEvent::diagnostics_update) == "diagnostics_update");
  BOOST_TEST(name(task_state_names, MapReduceTaskState::kill_wait) == "KILL_WAIT");
  BOOST_TEST(name(task_event_names, MapReduceTaskEvent::attempt_killed) == "attempt_killed");
  BOOST_TEST(name(job_state_names, MapReduceJobState::reboot) == "REBOOT");
  BOOST_TEST(name(job_event_names, MapReduceJobEvent::am_reboot) == "am_reboot");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace transition_table_test
}  // namespace heddle::policies

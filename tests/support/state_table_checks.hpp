// Compares the transitions of random histories with the table of a state machine.
#pragma once

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <set>
#include <utility>

namespace heddle::policies {

/// Transitions that a history had: from a state, by an event, to a state.
template <class State, class Event>
using Arrivals = std::set<std::pair<std::pair<State, Event>, State>>;

/// The histories had each transition of the table, and no other one.
template <class Table, class State, class Event>
void check_arrivals(const Table& table, const Arrivals<State, Event>& arrivals, const auto& state_names,
                    const auto& event_names) {
  for (std::size_t from = 0; from < table.states; ++from)
    for (std::size_t event = 0; event < table.events; ++event)
      for (std::size_t to = 0; to < table.states; ++to) {
        const std::pair cell{static_cast<State>(from), static_cast<Event>(event)};
        BOOST_TEST(arrivals.contains({cell, static_cast<State>(to)}) ==
                       table.at(cell.first, cell.second).to.has(static_cast<State>(to)),
                   state_names.at(from) << ", " << event_names.at(event) << " -> " << state_names.at(to));
      }
}

}  // namespace heddle::policies

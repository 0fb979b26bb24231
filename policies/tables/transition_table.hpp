// A transition table: for each state and event, the action and the states it can lead to. A pair without a row is
// impossible. A pair with two rows does not compile. Cost: constant per look-up; the table is a constant.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <variant>

namespace heddle::policies {

/// A set of values of an enum with at most 32 values, which count up from 0.
template <class Enum>
class EnumSet {
public:
  constexpr EnumSet() = default;
  constexpr EnumSet(Enum one) : bits_{bit(one)} {}  // NOLINT: a set of one value
  constexpr EnumSet(std::initializer_list<Enum> all) {
    for (const Enum one : all) bits_ |= bit(one);
  }
  [[nodiscard]] constexpr bool has(Enum one) const { return (bits_ & bit(one)) != 0; }
  [[nodiscard]] constexpr bool is_empty() const { return bits_ == 0; }
  /// The value of a set of one value.
  [[nodiscard]] constexpr Enum only() const { return static_cast<Enum>(std::countr_zero(bits_)); }
  constexpr bool operator==(const EnumSet&) const = default;

private:
  static constexpr std::uint32_t bit(Enum one) { return std::uint32_t{1} << static_cast<unsigned>(one); }
  std::uint32_t bits_ = 0;
};

/// In state `from`, each event of `on` has this action; afterwards the state is one of `to`.
template <class State, class Event, class Action>
struct Transition {
  State from;
  EnumSet<Event> on;
  Action action;
  EnumSet<State> to;
};

/// `State` and `Event` have a last enumerator named `count`, which is no state and no event.
template <class State, class Event, class Action>
class TransitionTable {
public:
  using StateType = State;
  using EventType = Event;
  static constexpr auto states = static_cast<std::size_t>(State::count);
  static constexpr auto events = static_cast<std::size_t>(Event::count);
  struct Cell {
    Action action{};
    EnumSet<State> to;
    [[nodiscard]] constexpr bool is_possible() const { return !to.is_empty(); }
  };

  constexpr TransitionTable(std::initializer_list<Transition<State, Event, Action>> rows) {
    for (const auto& row : rows)
      for (std::size_t event = 0; event < events; ++event) {
        if (!row.on.has(static_cast<Event>(event))) continue;
        Cell& cell = cells_[static_cast<std::size_t>(row.from)][event];
        if (cell.is_possible()) throw "two rows for one state and event";
        cell = {row.action, row.to};
      }
  }
  [[nodiscard]] constexpr const Cell& at(State state, Event event) const {
    return cells_[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)];
  }

private:
  std::array<std::array<Cell, events>, states> cells_{};
};

/// The event of an input; none for a fact that is no event.
template <class Event, class... Inputs>
[[nodiscard]] std::optional<Event> event_of(const std::variant<Inputs...>& input) {
  return std::visit(
      [](const auto& one) -> std::optional<Event> {
        if constexpr (requires { one.event(); }) return one.event();
        else return std::nullopt;
      },
      input);
}

}  // namespace heddle::policies

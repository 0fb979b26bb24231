// A decider that writes each of its inputs into the event log: the input's fields, its instant and a digest of the
// effects that it had. Only apply() changes the decider, so nothing can change it without a record.
//
// An input is a struct with `record`, the name of its record, and a field list (field_writer.hpp). It may also have
//   counted      the member that counts up: inputs that follow one another, equal in all other fields, are one record
//   is_due_only  true: before next_due() of the decider it changes nothing and is left out
//   answer_key   the answer of the decider is a field under this key
//   is_empty()   true: it says nothing, and is left out unless it has effects
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "runtime/event_log/extra_resource_fields.hpp"
#include "runtime/event_log/field_writer.hpp"
#include "runtime/event_log/input_records.hpp"

namespace heddle::runtime {

/// Inputs that make up runs.
template <class Input>
concept Counted = requires {
  Input::counted;
};

namespace detail {

/// The keys of a run, of its field list without the fields that are left out where they are empty.
struct RunKeys {
  std::array<std::string_view, RunKind::keys_max> names{};
  std::size_t count = 0;
  constexpr void operator()(std::string_view key, const auto&) { names.at(count++) = key; }
  constexpr void unless_default(std::string_view, const auto&) {}
};

template <Counted Input>
consteval RunKind run_kind() {
  RunKeys keys;
  const Input input{};
  Input::visit_fields(keys, input);
  return {Input::record, keys.names};
}

template <Counted Input>
inline constexpr RunKind kind_of = run_kind<Input>();

template <class Value>
constexpr std::int64_t to_number(const Value& value) {
  if constexpr (requires { value.value; }) return value.value;
  else if constexpr (requires { value.count(); }) return value.count();
  else return static_cast<std::int64_t>(value);
}

/// The values of the keys of a run. `is_alone`: it has a field that no run has, and is a record of its own.
struct RunValues {
  std::array<std::int64_t, RunKind::keys_max> numbers{};
  std::size_t count = 0;
  bool is_alone = false;
  void operator()(std::string_view, const auto& value) { numbers[count++] = to_number(value); }
  void unless_default(std::string_view, const auto& value) { is_alone = is_alone || !value.empty(); }
};

struct NoAnswer {};

}  // namespace detail

/// What the decider answers to an input, with its effects appended; NoAnswer for nothing. Used by the replay too.
template <class Decider, class Input, class... Effects>
auto answer_to(Decider& decider, Instant now, const Input& input, Effects&... effects) {
  if constexpr (std::is_void_v<decltype(decider.apply(now, input, effects...))>) {
    decider.apply(now, input, effects...);
    return detail::NoAnswer{};
  } else {
    return decider.apply(now, input, effects...);
  }
}

/// Adds what the decider answered to the digest; nothing where it never answers, or under a key of its own.
template <class Input, class Answer>
void add_answer(EffectDigest& digest, const Answer& answer) {
  if constexpr (!std::is_same_v<Answer, detail::NoAnswer> && !requires { Input::answer_key; })
    digest.add_answer(answer);
}

template <class Decider, class Shared = NothingShared>
class Recorded {
public:
  /// Sink, clock and what is shared outlive it; without a sink nothing is recorded.
  Recorded(Decider decider, ports::EventSink* sink, const ports::Clock* clock, Shared* shared = nullptr)
      : decider_{std::move(decider)}, records_{sink, clock}, shared_{shared} {}
  /// A decider that follows from its settings alone; they are the first record.
  template <class Settings>
  requires requires { Settings::record; }
  Recorded(const Settings& settings, ports::EventSink* sink, const ports::Clock* clock, Shared* shared = nullptr)
      : Recorded{Decider{settings}, sink, clock, shared} {
    if (records_.is_kept()) records_.write(records_.now(), Settings::record, fields_of(records_.now(), settings));
  }

  /// The questions of the decider.
  const Decider* operator->() const { return &decider_; }
  const Decider& operator*() const { return decider_; }

  /// Tells the decider, and the log. Inputs that have no effects come without a list of them.
  template <class Input, class... Effects>
  auto apply(Instant now, const Input& input, Effects&... effects) {
    using Answer = decltype(decider_.apply(now, input, effects...));
    if constexpr (requires { Input::is_due_only; })
      if (const auto due = decider_.next_due(); !due || *due > now) return;  // nothing would change
    if constexpr (std::is_void_v<Answer>) static_cast<void>(tell(now, input, effects...));
    else return tell(now, input, effects...);
  }

  /// The same for an input that comes without an instant: that of the run that it may join, else the clock's.
  template <class Input, class... Effects>
  requires requires { Input::record; }
  auto apply(const Input& input, Effects&... effects) {
    return apply(Counted<Input> ? records_.run_time() : records_.now(), input, effects...);
  }

  /// Writes what is still open; called before other records, so that the log keeps the order of time.
  void flush_records() { records_.flush(); }

private:
  template <class Input, class... Effects>
  auto tell(Instant now, const Input& input, Effects&... effects) {
    if (!records_.is_kept()) return answer_to(decider_, now, input, effects...);
    if constexpr (Counted<Input>) return tell_in_run(now, input, effects...);
    else return tell_alone(now, fields_of(now, input), input, effects...);
  }

  template <class Input, class... Effects>
  auto tell_in_run(Instant now, const Input& input, Effects&... effects) {
    detail::RunValues keys;
    Input::visit_fields(keys, input);
    const auto number = detail::to_number(input.*Input::counted);
    if (keys.is_alone) {
      auto fields = fields_of(now, input);
      fields.add("first", number).add("count", 1);
      return tell_alone(now, std::move(fields), input, effects...);
    }
    const std::tuple<NewEffects<Effects>...> fresh{NewEffects<Effects>{effects}...};
    const auto answer = answer_to(decider_, now, input, effects...);
    auto& digest = records_.add_to_run(now, detail::kind_of<Input>, keys.numbers, number);
    std::apply([&digest](const auto&... each) { (each.add_to(digest), ...); }, fresh);
    add_answer<Input>(digest, answer);
    return answer;
  }

  /// One record. The fields are from before the call: it may move what the input refers to.
  template <class Input, class... Effects>
  auto tell_alone(Instant now, ports::EventFields fields, const Input& input, Effects&... effects) {
    const std::tuple<NewEffects<Effects>...> fresh{NewEffects<Effects>{effects}...};
    auto answer = answer_to(decider_, now, input, effects...);
    if constexpr (requires { input.is_empty(); })
      if (input.is_empty() && std::apply([](const auto&... each) { return (each.is_empty() && ...); }, fresh))
        return answer;
    if constexpr (requires { Input::answer_key; }) fields.add(Input::answer_key, detail::to_number(answer));
    EffectDigest digest;
    std::apply([&digest](const auto&... each) { (each.add_to(digest), ...); }, fresh);
    add_answer<Input>(digest, answer);
    records_.write(now, Input::record, std::move(fields), digest);
    return answer;
  }

  template <class Value>
  [[nodiscard]] ports::EventFields fields_of(Instant now, const Value& value) {
    ports::EventFields fields;
    FieldWriter writer{fields, shared_, now};
    list_fields(writer, value);
    return fields;
  }

  Decider decider_;
  InputRecords records_;
  Shared* shared_;
};

}  // namespace heddle::runtime

// A decider that records each input in the event log: the fields of the input, its instant and a digest of its effects.
// Only apply() changes the decider, so every change has a record.
//
// An input is a struct with `record`, the name of its record, and a field list (field_writer.hpp). Optional members:
//   counted      pointer to the member that counts up: consecutive inputs that are equal otherwise become one record
//   is_timeless  true: the decider ignores the instant of the counted input, so a record can have several instants
//   is_due_only  true: the input changes nothing before next_due() of the decider and is then skipped
//   answer_key   key under which the record holds the answer of the decider
//   is_empty()   true: the input has no content; it is recorded only if it has effects
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "runtime/event_log/field_writer.hpp"
#include "runtime/event_log/input_records.hpp"

namespace heddle::runtime {

/// Inputs that are recorded as runs.
template <class Input>
concept Counted = requires {
  Input::counted;
};

/// Runs of inputs whose instant does not matter.
template <class Input>
concept Timeless = requires {
  Input::is_timeless;
};

namespace detail {

/// Keys of a run: the fields of the input, without those of unless_default.
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
  return {Input::record, keys.names, Timeless<Input>};
}

template <Counted Input>
inline constexpr RunKind kind_of = run_kind<Input>();

template <class Value>
constexpr std::int64_t to_number(const Value& value) {
  if constexpr (requires { value.value; }) return value.value;
  else if constexpr (requires { value.count(); }) return value.count();
  else return static_cast<std::int64_t>(value);
}

/// Values of the keys of a run. `is_alone`: a field of unless_default is set, so the input needs its own record.
struct RunValues {
  std::array<std::int64_t, RunKind::keys_max> numbers{};
  std::size_t count = 0;
  bool is_alone = false;
  void operator()(std::string_view, const auto& value) { numbers[count++] = to_number(value); }
  void unless_default(std::string_view, const auto& value) { is_alone = is_alone || !value.empty(); }
};

struct NoAnswer {};

}  // namespace detail

/// Applies an input and returns the answer of the decider, NoAnswer for void. Used by the replay too.
template <class Decider, class Input, class... Effects>
auto answer_to(Decider& decider, Instant now, const Input& input, Effects&... effects) {
  if constexpr (std::is_void_v<decltype(decider.apply(now, input, effects...))>) {
    decider.apply(now, input, effects...);
    return detail::NoAnswer{};
  } else {
    return decider.apply(now, input, effects...);
  }
}

/// Adds the answer to the digest, unless there is none or the record has it under answer_key.
template <class Input, class Answer>
void add_answer(EffectDigest& digest, const Answer& answer) {
  if constexpr (!std::is_same_v<Answer, detail::NoAnswer> && !requires { Input::answer_key; })
    digest.add_answer(answer);
}

template <class Decider, class Shared = NothingShared>
class Recorded {
public:
  /// Sink and `shared` must outlive this object. Without a sink nothing is recorded.
  Recorded(Decider decider, ports::EventSink* sink, Shared* shared = nullptr)
      : decider_{std::move(decider)}, records_{sink}, shared_{shared} {}
  /// For a decider that is constructed from its settings alone; the settings are the first record, at `now`.
  template <class Settings>
  requires requires { Settings::record; }
  Recorded(const Settings& settings, ports::EventSink* sink, Instant now, Shared* shared = nullptr)
      : Recorded{Decider{settings}, sink, shared} {
    if (records_.is_kept()) records_.write(now, Settings::record, fields_of(now, settings));
  }

  /// Read access: const methods of the decider.
  const Decider* operator->() const { return &decider_; }
  const Decider& operator*() const { return decider_; }

  /// Applies the input to the decider and records it. Appends effects to the lists; an input without effects has none.
  template <class Input, class... Effects>
  auto apply(Instant now, const Input& input, Effects&... effects) {
    using Answer = decltype(decider_.apply(now, input, effects...));
    if constexpr (requires { Input::is_due_only; })
      if (const auto due = decider_.next_due(); !due || *due > now) return;  // the input would change nothing
    if constexpr (std::is_void_v<Answer>) static_cast<void>(tell(now, input, effects...));
    else return tell(now, input, effects...);
  }

  /// Writes the open run. Call it before other records are written, so that the log stays in order of time.
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

  /// Writes one record. Its fields were read before the call, because the call may move values of the input.
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

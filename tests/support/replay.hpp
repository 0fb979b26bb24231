// Feeds the lines of an event log to fresh deciders: the counterpart of runtime::Recorded.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/event_log/recorded.hpp"
#include "tests/support/event_log_reader.hpp"

namespace heddle::tests {

/// Collects the lines whose digest differs from that of the new deciders.
class Replay {
public:
  using Handler = std::function<runtime::EffectDigest(const EventLine&)>;

  /// Skips lines of other names. A line that cannot be read counts as a difference.
  void take(const std::string& text) {
    const auto line = parse_event_line(text);
    if (!line) {
      differences_.push_back(line.error().text + ", in " + text);
      return;
    }
    const auto handler = handlers_.find(tests::text(*line, "event"));
    if (handler == handlers_.end()) return;
    ++taken_[handler->first];
    try {
      compare(*line, handler->second(*line), text);
    } catch (const std::exception& fault) {
      differences_.push_back(std::string{"cannot be read ("} + fault.what() + "): " + text);
    }
  }
  [[nodiscard]] const std::vector<std::string>& differences() const { return differences_; }
  /// How many lines of one name were taken.
  [[nodiscard]] std::int64_t taken(const std::string& name) const {
    const auto found = taken_.find(name);
    return found == taken_.end() ? 0 : found->second;
  }
  [[nodiscard]] const std::map<std::string, Handler>& handlers() const { return handlers_; }

protected:
  void add(std::string name, Handler handler) { handlers_.emplace(std::move(name), std::move(handler)); }

  /// The record from which a decider is made.
  template <class Settings, class Decider>
  void add_settings(std::optional<Decider>& decider) {
    add(std::string{Settings::record}, [&decider](const EventLine& line) {
      decider.emplace(value_of<Settings>(line));
      return runtime::EffectDigest{};
    });
  }

  /// All inputs of a decider. `see(effects)` sees the effects of each; `complete(input)` may add what the log does not
  /// hold itself.
  template <class Decider, class Shared, class See, class Complete>
  void add_inputs(std::optional<Decider>& decider, Shared* shared, See see, Complete complete) {
    add_each(decider, shared, see, complete, static_cast<typename Decider::Inputs*>(nullptr));
  }
  template <class Decider>
  void add_inputs(std::optional<Decider>& decider) {
    add_inputs(
        decider, static_cast<runtime::NothingShared*>(nullptr), [](const auto&) {}, [](auto&) {});
  }

private:
  template <class Decider, class Shared, class See, class Complete, class... Inputs>
  void add_each(std::optional<Decider>& decider, Shared* shared, See see, Complete complete, std::variant<Inputs...>*) {
    (add(std::string{Inputs::record},
         [=, &decider](const EventLine& line) { return replay<Inputs>(decider.value(), shared, see, complete, line); }),
     ...);
  }

  template <class Input, class Decider, class Shared, class See, class Complete>
  static runtime::EffectDigest replay(Decider& decider, Shared* shared, const See& see, const Complete& complete,
                                      const EventLine& line) {
    Keep keep;
    Input input{};
    FieldReader reader{line, keep, shared};
    runtime::list_fields(reader, input);
    complete(input);
    runtime::EffectDigest digest;
    if constexpr (runtime::Counted<Input>) {
      auto& counted = input.*Input::counted;
      const auto first = number(line, "first");
      for (std::int64_t i = 0; i < number(line, "count"); ++i) {
        counted = static_cast<std::remove_cvref_t<decltype(counted)>>(first + i);
        apply(decider, time_of(line), input, see, digest);
      }
    } else {
      apply(decider, time_of(line), input, see, digest);
    }
    return digest;
  }

  template <class Decider, class Input, class See>
  static void apply(Decider& decider, Instant now, const Input& input, const See& see, runtime::EffectDigest& digest) {
    typename Decider::Effects effects;
    const runtime::NewEffects fresh{effects};
    if constexpr (requires { decider.apply(now, input, effects); }) {
      const auto answer = runtime::answer_to(decider, now, input, effects);
      fresh.add_to(digest);
      runtime::add_answer<Input>(digest, answer);
    } else {
      runtime::add_answer<Input>(digest, runtime::answer_to(decider, now, input));
    }
    see(effects);
  }

  void compare(const EventLine& line, const runtime::EffectDigest& digest, const std::string& text) {
    const auto* recorded = line.if_contains("effects");
    const auto expected = recorded == nullptr ? std::string{} : std::string{recorded->as_string()};
    const auto decided = digest.is_empty() ? std::string{} : digest.text();
    if (decided != expected) differences_.push_back("other effects (" + decided + ") than in " + text);
  }

  std::map<std::string, Handler> handlers_;
  std::map<std::string, std::int64_t> taken_;
  std::vector<std::string> differences_;
};

}  // namespace heddle::tests

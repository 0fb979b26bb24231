// Digest of the effects of a decider for one input: a replay compares it and reports the first difference. Reads
// effects through their field lists (visit_fields); keys are not part of the digest.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "model/ids.hpp"
#include "model/resources.hpp"
#include "model/time.hpp"

namespace heddle::runtime {

/// Calls the field list of a value: its static member visit_fields, or a free function of that name.
template <class Visit, class Value>
constexpr void list_fields(Visit& visit, Value& value) {
  if constexpr (requires { std::remove_const_t<Value>::visit_fields(visit, value); })
    std::remove_const_t<Value>::visit_fields(visit, value);
  else visit_fields(visit, value);
}

/// Digest of effects. Equal effects have equal digests on every machine. Without effects the digest is empty.
class EffectDigest {
public:
  void add(std::int64_t number) {
    value_ = (value_ ^ static_cast<std::uint64_t>(number)) * 0x9E37'79B9'7F4A'7C15U;
    value_ ^= value_ >> 29U;
  }
  void add(std::string_view text) {
    add(static_cast<std::int64_t>(text.size()));
    for (const char symbol : text) add(static_cast<std::int64_t>(static_cast<unsigned char>(symbol)));
  }
  [[nodiscard]] bool is_empty() const { return value_ == 0; }
  /// 16 hexadecimal digits.
  [[nodiscard]] std::string text() const;

  // Called by field lists.
  template <class Value>
  void operator()(std::string_view, const Value& value) {
    add_value(value);
  }
  template <class Value>
  void unless_default(std::string_view, const Value& value) {
    if (value != Value{}) add_value(value);
  }

  template <class Value>
  void add_value(const Value& value) {
    if constexpr (std::is_integral_v<Value> || std::is_enum_v<Value>) add(static_cast<std::int64_t>(value));
    else if constexpr (std::convertible_to<const Value&, std::string_view>) add(std::string_view{value});
    else if constexpr (std::same_as<Value, Instant>) add(value.time_since_epoch().count());
    else if constexpr (requires { add(value.value); }) add(value.value);
    else if constexpr (requires { value.begin(); }) add_items(value);
    else list_fields(*this, value);
  }
  void add_value(const ApplicationId& id) {
    add(id.cluster_start);
    add(id.number);
  }
  void add_value(const AttemptId& id) {
    add_value(id.application);
    add(id.attempt);
  }
  void add_value(const Resource& resource) {
    add(resource.memory_mib);
    add(resource.cores);
    for (const auto& [name, amount] : resource.others) {
      add(std::string_view{name});
      add(amount);
    }
  }
  template <class Value>
  void add_value(const std::optional<Value>& value) {
    add(value ? 2 : 1);
    if (value) add_value(*value);
  }
  template <class Value>
  void add_value(const std::shared_ptr<Value>& value) {
    add(value ? 2 : 1);
    if (value) add_value(*value);
  }
  template <class... Effects>
  void add_value(const std::variant<Effects...>& effect) {
    add(static_cast<std::int64_t>(effect.index()) + 1);
    std::visit([this](const auto& one) { list_fields(*this, one); }, effect);
  }

  /// Adds the return value of a call. It always changes the digest, so that a missing answer is a difference.
  template <class Answer>
  void add_answer(const Answer& answer) {
    if constexpr (std::same_as<Answer, bool>) {
      add(answer ? 2 : 1);
    } else if constexpr (requires { answer.error(); }) {
      add(answer.has_value() ? 2 : 1);
    } else {
      add(1);
      add_value(answer);
    }
  }

private:
  template <class Items>
  void add_items(const Items& items) {
    add(static_cast<std::int64_t>(items.size()));
    for (const auto& item : items) add_value(item);
  }

  std::uint64_t value_ = 0;
};

/// Effects that one call appends to lists that may hold earlier ones.
template <class Effects>
class NewEffects {
public:
  explicit NewEffects(const Effects& effects) : effects_{effects}, sizes_{sizes_of(lists_of(effects))} {}
  [[nodiscard]] bool is_empty() const { return sizes_ == sizes_of(lists_of(effects_)); }
  void add_to(EffectDigest& digest) const {
    std::apply(
        [&](const auto&... lists) {
          std::apply([&](const auto... firsts) { (add_list(digest, lists, firsts), ...); }, sizes_);
        },
        lists_of(effects_));
  }

private:
  /// The list of effects itself, or the lists of a struct with several.
  static auto lists_of(const Effects& effects) {
    if constexpr (requires { effects.lists(); }) return effects.lists();
    else return std::tie(effects);
  }
  static auto sizes_of(const auto& lists) {
    return std::apply([](const auto&... each) { return std::tuple{each.size()...}; }, lists);
  }
  static void add_list(EffectDigest& digest, const auto& list, std::size_t first) {
    for (auto i = first; i < list.size(); ++i) digest.add_value(list[i]);
  }

  const Effects& effects_;
  decltype(sizes_of(lists_of(std::declval<const Effects&>()))) sizes_;
};

}  // namespace heddle::runtime

// Fields of one event as JSON text. Events are written only through this class, so that every text is escaped. Keys are
// snake_case literals and are not escaped.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/ids.hpp"
#include "model/time.hpp"

namespace heddle::ports {

/// Appends `text` as a quoted JSON string. Each byte that is not part of valid UTF-8 becomes U+FFFD.
void append_json_text(std::string& out, std::string_view text);

/// Members of a JSON object, in the order of the `add` calls. Add each key once.
class EventFields {
public:
  EventFields& add(std::string_view key, std::integral auto value) {
    begin(key);
    if constexpr (std::same_as<decltype(value), bool>) text_ += value ? "true" : "false";
    else append_number(value);
    return *this;
  }
  EventFields& add(std::string_view key, std::string_view value);
  EventFields& add(std::string_view key, const char* value) { return add(key, std::string_view{value}); }
  /// The shortest decimal text that reads back as the same number. The number must be finite.
  EventFields& add(std::string_view key, double value);
  EventFields& add(std::string_view key, const EventFields& object);
  /// In microseconds.
  EventFields& add(std::string_view key, Duration value) { return add(key, value.count()); }
  EventFields& add(std::string_view key, Instant value) { return add(key, value.time_since_epoch().count()); }
  template <class Tag>
  EventFields& add(std::string_view key, StrongId<Tag> id) {
    return add(key, id.value);
  }
  EventFields& add(std::string_view key, const ApplicationId& id) { return add(key, to_string(id)); }
  EventFields& add(std::string_view key, const AttemptId& id) { return add(key, to_string(id)); }
  /// A JSON array with `value_of(item)` for each item: a number, an id, a text or EventFields.
  template <class Items, class ValueOf>
  EventFields& add_column(std::string_view key, const Items& items, ValueOf value_of) {
    begin(key);
    text_ += '[';
    bool is_first = true;
    for (const auto& item : items) {
      if (!std::exchange(is_first, false)) text_ += ',';
      append_value(value_of(item));
    }
    text_ += ']';
    return *this;
  }
  template <class Items>
  EventFields& add_column(std::string_view key, const Items& items) {
    return add_column(key, items, [](const auto& item) { return item; });
  }

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool is_empty() const { return text_.empty(); }

private:
  void begin(std::string_view key);
  template <class Number>
  void append_number(Number value) {
    const fmt::format_int digits{value};
    text_.append(digits.data(), digits.size());
  }
  template <class Value>
  void append_value(const Value& value) {
    if constexpr (std::same_as<Value, bool>) text_ += value ? "true" : "false";
    else if constexpr (std::integral<Value>) append_number(value);
    else if constexpr (std::same_as<Value, EventFields>) text_.append("{").append(value.text_).append("}");
    else if constexpr (requires { value.value; }) append_number(value.value);
    else append_json_text(text_, value);
  }

  std::string text_;
};

}  // namespace heddle::ports

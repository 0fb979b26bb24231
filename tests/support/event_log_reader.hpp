// Reads lines of an event log back: numbers, columns, and settings structs by the same visit_fields that wrote them.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/resources.hpp"
#include "model/result.hpp"
#include "model/time.hpp"
#include "runtime/event_log/extra_resource_fields.hpp"
#include "runtime/event_log/input_records.hpp"

namespace heddle::tests {

using EventLine = boost::json::object;

/// One line of a log, or what is wrong with it: JSON, an object, with the name of its event.
[[nodiscard]] inline Result<EventLine> parse_event_line(std::string_view text) {
  boost::json::error_code fault;
  auto parsed = boost::json::parse(boost::json::string_view{text.data(), text.size()}, fault);
  if (fault) return Error{Errc::usage, "no JSON: " + fault.message()};
  auto* line = parsed.if_object();
  if (line == nullptr) return Error{Errc::usage, "no JSON object"};
  const auto* event = line->if_contains("event");
  if (event == nullptr || !event->is_string()) return Error{Errc::usage, "it names no event"};
  return std::move(*line);
}

// Those below throw std::exception where the line has no such key, or another kind of value there.
[[nodiscard]] inline std::int64_t number(const EventLine& line, std::string_view key) {
  return line.at(key).to_number<std::int64_t>();
}
template <class Number = std::int32_t>
[[nodiscard]] Number small_number(const EventLine& line, std::string_view key) {
  return static_cast<Number>(number(line, key));
}
[[nodiscard]] inline bool truth(const EventLine& line, std::string_view key) { return line.at(key).as_bool(); }
[[nodiscard]] inline std::string text(const EventLine& line, std::string_view key) {
  return std::string{line.at(key).as_string()};
}
[[nodiscard]] inline Instant time_of(const EventLine& line) { return Instant{Duration{number(line, "time_us")}}; }
/// A column of whole numbers; none if the line has no such key.
[[nodiscard]] inline std::vector<std::int64_t> column(const EventLine& line, std::string_view key) {
  std::vector<std::int64_t> values;
  if (const auto* found = line.if_contains(key))
    for (const auto& value : found->as_array()) values.push_back(value.to_number<std::int64_t>());
  return values;
}
[[nodiscard]] inline std::vector<std::string> texts(const EventLine& line, std::string_view key) {
  std::vector<std::string> values;
  for (const auto& value : line.at(key).as_array()) values.emplace_back(value.as_string());
  return values;
}
template <class Id>
[[nodiscard]] std::vector<Id> ids(const EventLine& line, std::string_view key) {
  std::vector<Id> values;
  for (const auto value : column(line, key)) values.push_back(Id{value});
  return values;
}
[[nodiscard]] inline Resource resource(const EventLine& line, std::string_view key) {
  const auto numbers = column(line, key);
  return {numbers.at(0), numbers.at(1)};
}

/// The counterpart of runtime::FieldWriter.
class FieldReader {
public:
  explicit FieldReader(const EventLine& line) : line_{line} {}

  template <class Value>
  void operator()(std::string_view key, Value& value) {
    read(line_.at(key), value);
  }
  template <class Value>
  void operator()(std::string_view key, std::optional<Value>& value) {
    value.reset();
    if (const auto* found = line_.if_contains(key)) read(*found, value.emplace());
  }

private:
  template <class Value>
  static void read(const boost::json::value& from, Value& value) {
    if constexpr (std::is_same_v<Value, bool>) value = from.as_bool();
    else if constexpr (std::is_enum_v<Value>) value = static_cast<Value>(from.to_number<std::int64_t>());
    else if constexpr (std::is_arithmetic_v<Value>) value = from.to_number<Value>();
    else if constexpr (std::is_same_v<Value, Duration>) value = Duration{from.to_number<std::int64_t>()};
    else if constexpr (std::is_same_v<Value, std::string>) value = std::string{from.as_string()};
    else if constexpr (requires { value.value; }) value = Value{from.to_number<decltype(value.value)>()};
    else {
      FieldReader reader{from.as_object()};
      visit_fields(reader, value);
    }
  }
  template <class Value>
  static void read(const boost::json::value& from, std::vector<Value>& values) {
    values.clear();
    for (const auto& each : from.as_array()) {
      Value value{};
      read(each, value);
      values.push_back(std::move(value));
    }
  }
  static void read(const boost::json::value& from, std::set<std::string>& values) {
    values.clear();
    for (const auto& each : from.as_array()) values.emplace(each.as_string());
  }
  static void read(const boost::json::value& from, Resource& value) {
    value = {from.as_array().at(0).to_number<std::int64_t>(), from.as_array().at(1).to_number<std::int64_t>()};
  }

  const EventLine& line_;
};

/// The struct that was written with runtime::to_fields.
template <class Value>
[[nodiscard]] Value value_of(const EventLine& line) {
  Value value;
  FieldReader reader{line};
  visit_fields(reader, value);
  return value;
}

/// None if the line has no such key.
[[nodiscard]] inline ExtraResources extras(const EventLine& line, std::string_view key) {
  ExtraResources found;
  if (line.contains(key)) FieldReader{line}(key, found);
  return found;
}

/// Feeds the lines of a log to fresh deciders, and notes where they decide otherwise than the line says.
class Replay {
public:
  using Handler = std::function<runtime::EffectDigest(const EventLine&)>;

  /// Lines of other names are passed over; one that cannot be read is a difference.
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

private:
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

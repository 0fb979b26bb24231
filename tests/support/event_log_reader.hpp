// Reads lines of an event log back: numbers, columns, and structs by the same field lists that wrote them.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/random_stream.hpp"
#include "model/resource_text.hpp"
#include "model/result.hpp"
#include "model/time.hpp"
#include "runtime/event_log/field_writer.hpp"

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

/// Values that an input only refers to; they live as long as this.
class Keep {
public:
  template <class Value>
  Value& operator()(Value value) {
    return *std::static_pointer_cast<Value>(kept_.emplace_back(std::make_shared<Value>(std::move(value))));
  }

private:
  std::vector<std::shared_ptr<void>> kept_;
};

/// The counterpart of runtime::FieldWriter. Values that records share are read by `shared->find(number, value)`.
template <class Shared = runtime::NothingShared>
class FieldReader {
public:
  FieldReader(const EventLine& line, Keep& keep, Shared* shared = nullptr)
      : line_{line}, keep_{keep}, shared_{shared} {}

  template <class Value>
  void operator()(std::string_view key, Value& value) {
    if constexpr (is_shared<Value>) shared_->find(number(line_, key), value);
    else read(line_.at(key), value);
  }
  template <class Value>
  void operator()(std::string_view key, std::optional<Value>& value) {
    value.reset();
    if (const auto* found = line_.if_contains(key)) read(*found, value.emplace());
  }
  template <class Value>
  void operator()(std::string_view key, std::shared_ptr<const Value>& value) {
    if constexpr (is_shared<std::shared_ptr<const Value>>) {
      shared_->find(number(line_, key), value);
    } else if (const auto* found = line_.if_contains(key)) {
      Value content;
      read(*found, content);
      value = std::make_shared<const Value>(std::move(content));
    }
  }
  void operator()(std::string_view key, RandomStream*& stream) {
    if (const auto* found = line_.if_contains(key))
      stream = &keep_(RandomStream{static_cast<std::uint64_t>(found->to_number<std::int64_t>())});
  }
  template <class Value>
  void unless_default(std::string_view key, Value& value) {
    if (line_.contains(key)) (*this)(key, value);
  }
  template <class Rows, class... Columns>
  void columns(Rows& rows, std::string_view key, const Columns&... list) {
    typename Held<Rows>::type found(line_.contains(key) ? line_.at(key).as_array().size() : 0);
    read_columns(found, key, list...);
    take(std::move(found), rows);
  }
  template <class Rows, class... Columns>
  void rare_columns(Rows& rows, const Columns&... list) {
    columns(rows, list...);
  }
  template <class Map>
  void table(std::string_view key, std::string_view value_key, Map& map) {
    using Key = typename std::remove_cvref_t<decltype(rows_of(map))>::key_type;
    using Mapped = typename std::remove_cvref_t<decltype(rows_of(map))>::mapped_type;
    std::vector<Key> keys;
    std::vector<Mapped> values;
    read(line_.at(key), keys);
    read(line_.at(value_key), values);
    for (std::size_t i = 0; i < keys.size(); ++i)
      if constexpr (requires { map.rows(); }) map.set(keys[i], values.at(i));
      else map[keys[i]] = values.at(i);
  }
  template <class Rows, class... Members>
  void flat(std::string_view key, Rows& rows, Members... members) {
    const auto numbers = column(line_, key);
    rows.clear();
    for (std::size_t i = 0; i + sizeof...(members) <= numbers.size();) {
      typename Rows::value_type row{};
      (set_number(std::invoke(members, row), numbers.at(i++)), ...);
      rows.push_back(std::move(row));
    }
  }
  template <class Get, class Set>
  void converted(std::string_view key, const Get& get, const Set& set) {
    auto rows = get();
    rows.clear();
    if (const auto* found = line_.if_contains(key)) read(*found, rows);
    set(rows, keep_);
  }

private:
  template <class Value>
  static constexpr bool is_shared = requires(Shared* shared, Value& value) {
    shared->find(0, value);
  };
  template <class Rows>
  struct Held {
    using type = Rows;
  };
  template <class Row>
  struct Held<std::span<const Row>> {
    using type = std::vector<Row>;
  };
  template <class Map>
  static const auto& rows_of(const Map& map) {
    if constexpr (requires { map.rows(); }) return map.rows();
    else return map;
  }

  template <class Rows, class Member, class... Rest>
  void read_columns(Rows& rows, std::string_view key, Member member, const Rest&... rest) {
    if (rows.empty()) return;
    const auto& values = line_.at(key).as_array();
    for (std::size_t i = 0; i < rows.size(); ++i) read(values.at(i), std::invoke(member, rows[i]));
    if constexpr (sizeof...(rest) > 0) read_columns(rows, rest...);
  }
  template <class Rows>
  void take(Rows&& found, Rows& rows) {
    rows = std::move(found);
  }
  template <class Row>
  void take(std::vector<Row>&& found, std::span<const Row>& rows) {
    rows = keep_(std::move(found));
  }
  template <class Value>
  static void set_number(Value& value, std::int64_t number) {
    if constexpr (requires { value.value; }) value.value = static_cast<decltype(value.value)>(number);
    else value = static_cast<Value>(number);
  }

  template <class Value>
  void read(const boost::json::value& from, Value& value) {
    if constexpr (std::is_same_v<Value, bool>) value = from.is_bool() ? from.as_bool() : from.to_number<int>() != 0;
    else if constexpr (std::is_enum_v<Value>) value = static_cast<Value>(from.to_number<std::int64_t>());
    else if constexpr (std::is_arithmetic_v<Value>) value = from.to_number<Value>();
    else if constexpr (std::is_same_v<Value, Duration>) value = Duration{from.to_number<std::int64_t>()};
    else if constexpr (std::is_same_v<Value, std::string>) value = std::string{from.as_string()};
    else if constexpr (std::is_same_v<Value, std::string_view>) value = keep_(std::string{from.as_string()});
    else if constexpr (requires { value.value; }) value = Value{from.to_number<decltype(value.value)>()};
    else {
      FieldReader reader{from.as_object(), keep_, shared_};
      runtime::list_fields(reader, value);
    }
  }
  template <class Value>
  void read(const boost::json::value& from, std::vector<Value>& values) {
    values.clear();
    for (const auto& each : from.as_array()) {
      Value value{};
      read(each, value);
      values.push_back(std::move(value));
    }
  }
  template <class Value>
  void read(const boost::json::value& from, std::span<const Value>& values) {
    std::vector<Value> found;
    read(from, found);
    values = keep_(std::move(found));
  }
  void read(const boost::json::value& from, std::set<std::string>& values) {
    values.clear();
    for (const auto& each : from.as_array()) values.emplace(each.as_string());
  }
  void read(const boost::json::value& from, Resource& value) {
    if (from.is_string()) value = *read_resource(std::string_view{from.as_string()});
    else value = {from.as_array().at(0).to_number<std::int64_t>(), from.as_array().at(1).to_number<std::int64_t>()};
  }

  const EventLine& line_;
  Keep& keep_;
  Shared* shared_;
};

/// The struct that was written with runtime::to_fields.
template <class Value>
[[nodiscard]] Value value_of(const EventLine& line) {
  Value value{};
  Keep keep;
  FieldReader reader{line, keep};
  runtime::list_fields(reader, value);
  return value;
}

}  // namespace heddle::tests

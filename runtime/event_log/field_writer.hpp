// Writes a struct as fields of an event. The field list of a struct, visit_fields(visit, value), names its members
// once; this writer, the digest of effects and the reader of a replay (tests/support/event_log_reader.hpp) use it.
//
// A field list calls for each member:
//   visit(key, member)                       written always; an empty std::optional, pointer or shared_ptr is absent
//   visit.unless_default(key, member)        absent if it equals the default of its type
//   visit.columns(rows, key, member, …)      one column per key, written always
//   visit.rare_columns(rows, key, member, …) the same, absent if there are no rows
//   visit.table(key, value_key, map)         a map as two columns
//   visit.flat(key, rows, member, …)         one column with the members of each row in turn
//   visit.converted(key, get, set)           the rows of get(), absent if empty; a replay calls set(rows, keep)
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "model/random_stream.hpp"
#include "model/resource_text.hpp"
#include "model/time.hpp"
#include "ports/event_fields.hpp"
#include "runtime/event_log/effect_digest.hpp"

namespace heddle::runtime {

/// No shared values. Another `Shared` writes a value that many records use as one record, and `number_of(now, value)`
/// returns its number for the other records.
struct NothingShared {};

template <class Shared = NothingShared>
class FieldWriter {
public:
  explicit FieldWriter(ports::EventFields& fields) : fields_{fields} {}
  FieldWriter(ports::EventFields& fields, Shared* shared, Instant now) : fields_{fields}, shared_{shared}, now_{now} {}

  /// A number, a bool, a text, an id, a list of these, or a struct with a field list. Durations are in microseconds.
  template <class Value>
  void operator()(std::string_view key, const Value& value) {
    if constexpr (requires { shared_->number_of(now_, value); }) fields_.add(key, shared_->number_of(now_, value));
    else if constexpr (std::is_enum_v<Value>) fields_.add(key, static_cast<std::int64_t>(value));
    else if constexpr (std::same_as<Value, Resource>) add_resource(key, value);
    else if constexpr (requires { fields_.add(key, value); }) fields_.add(key, value);
    else if constexpr (requires { value.value; }) fields_.add(key, value.value);
    else if constexpr (requires { value.begin(); })
      fields_.add_column(key, value, [&writer = *this](const auto& item) { return writer.plain(item); });
    else fields_.add(key, of(value));
  }
  template <class Value>
  void operator()(std::string_view key, const std::optional<Value>& value) {
    if (value) (*this)(key, *value);
  }
  template <class Value>
  void operator()(std::string_view key, const std::shared_ptr<Value>& value) {
    if constexpr (requires { shared_->number_of(now_, value); }) fields_.add(key, shared_->number_of(now_, value));
    else if (value) (*this)(key, *value);
  }
  /// State of a random stream; a replay draws the same numbers from it.
  void operator()(std::string_view key, RandomStream* const& stream) {
    if (stream != nullptr) fields_.add(key, static_cast<std::int64_t>(stream->state()));
  }
  template <class Value>
  void unless_default(std::string_view key, const Value& value) {
    if (!is_default(value)) (*this)(key, value);
  }
  template <class Rows, class Member, class... Rest>
  void columns(const Rows& rows, std::string_view key, Member member, const Rest&... rest) {
    fields_.add_column(key, rows,
                       [&writer = *this, &member](const auto& row) { return writer.plain(std::invoke(member, row)); });
    if constexpr (sizeof...(rest) > 0) columns(rows, rest...);
  }
  template <class Rows, class... Columns>
  void rare_columns(const Rows& rows, const Columns&... list) {
    if (!rows.empty()) columns(rows, list...);
  }
  template <class Map>
  void table(std::string_view key, std::string_view value_key, const Map& map) {
    const auto& rows = rows_of(map);
    fields_.add_column(key, rows, [&writer = *this](const auto& row) { return writer.plain(row.first); });
    fields_.add_column(value_key, rows, [&writer = *this](const auto& row) { return writer.plain(row.second); });
  }
  template <class Rows, class... Members>
  void flat(std::string_view key, const Rows& rows, Members... members) {
    std::vector<std::int64_t> numbers;
    for (const auto& row : rows) (numbers.push_back(number_of(std::invoke(members, row))), ...);
    fields_.add_column(key, numbers);
  }
  template <class Get, class Set>
  void converted(std::string_view key, const Get& get, const Set&) {
    const auto value = get();
    if (!value.empty()) (*this)(key, value);
  }

private:
  template <class Value>
  static std::int64_t number_of(const Value& value) {
    if constexpr (requires { value.value; }) return value.value;
    else return static_cast<std::int64_t>(value);
  }
  template <class Value>
  static bool is_default(const Value& value) {
    if constexpr (requires { value.empty(); }) return value.empty();
    else return value == Value{};
  }
  template <class Map>
  static const auto& rows_of(const Map& map) {
    if constexpr (requires { map.rows(); }) return map.rows();
    else return map;
  }
  /// Memory in MiB and cores; with other resource types a text.
  void add_resource(std::string_view key, const Resource& value) {
    if (value.others.empty()) fields_.add_column(key, std::array{value.memory_mib, value.cores});
    else fields_.add(key, to_text(value));
  }
  /// Value of one item of a column.
  template <class Value>
  auto plain(const Value& value) const {
    if constexpr (std::same_as<Value, bool>) return value ? 1 : 0;
    else if constexpr (std::is_enum_v<Value>) return static_cast<std::int64_t>(value);
    else if constexpr (std::is_arithmetic_v<Value> || requires { value.value; }) return value;
    else if constexpr (std::convertible_to<const Value&, std::string_view>) return std::string_view{value};
    else return of(value);
  }
  template <class Value>
  ports::EventFields of(const Value& value) const {
    ports::EventFields fields;
    FieldWriter writer{fields, shared_, now_};
    list_fields(writer, value);
    return fields;
  }

  ports::EventFields& fields_;
  Shared* shared_ = nullptr;
  Instant now_{};
};

/// Returns the members of a struct as fields.
template <class Value>
[[nodiscard]] ports::EventFields to_fields(const Value& value) {
  ports::EventFields fields;
  FieldWriter writer{fields};
  list_fields(writer, value);
  return fields;
}

}  // namespace heddle::runtime

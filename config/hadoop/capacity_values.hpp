// Properties of a queue file by key, read one value at a time. Each value is checked; the first error is kept for the
// whole file. A key that was not read stays marked as unread.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/hadoop/capacity_scheduler_xml.hpp"

namespace heddle::config {

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || !std::isfinite(static_cast<double>(value)))
    return std::nullopt;
  return value;
}

class CapacityValues {
public:
  struct Value {
    std::string text;
    std::string raw;  // untrimmed
    std::int64_t line = 0;
    bool is_read = false;
  };

  CapacityValues(const std::vector<HadoopProperty>& properties, std::string_view file_name);

  /// Returns the value and marks it as read; null if there is none.
  Value* find(const std::string& key);
  /// Keeps the error unless there is an earlier one.
  void fail(const std::string& key, const std::string& why);
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  /// Prefix of error texts: "capacity-scheduler.xml:12: ".
  [[nodiscard]] std::string where(std::int64_t line) const;
  [[nodiscard]] std::map<std::string, Value>& by_key() { return values_; }

  template <class Number>
  Number number(const std::string& key, Number otherwise, double least, double most) {
    const Value* found = find(key);
    if (found == nullptr || found->text.empty()) return otherwise;
    const std::optional<Number> value = number_of<Number>(found->text);
    if (!value || !(static_cast<double>(*value) >= least && static_cast<double>(*value) <= most)) {
      fail(key, "must be a number" + bounds(least, most) + ", not \"" + found->text + "\"");
      return otherwise;
    }
    return *value;
  }
  bool truth(const std::string& key, bool otherwise);
  std::string word(const std::string& key, std::span<const std::string_view> known);
  /// Returns the list untrimmed: groups follow after the first blank.
  std::string access_list(const std::string& key);
  /// Precondition: the key exists.
  ConfiguredCapacity capacity(const std::string& key);

private:
  [[nodiscard]] static std::string bounds(double least, double most);
  ConfiguredCapacity amount(const std::string& key, const std::string& text);

  std::string_view file_name_;
  std::map<std::string, Value> values_;
  std::optional<Error> error_;
};

}  // namespace heddle::config

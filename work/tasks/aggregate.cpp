#include "work/tasks/aggregate.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/java_number.hpp"
#include "work/tasks/task_context.hpp"

namespace heddle::work {
namespace {

std::int64_t to_number(std::string_view text) {
  const auto original = text;
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size())
    throw std::invalid_argument{"aggregate: \"" + std::string{original} + "\" is not an integer"};
  return number;
}

double to_double(std::string_view text) {
  const auto original = text;
  const auto is_blank = [](char letter) { return static_cast<unsigned char>(letter) <= ' '; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  double number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size())
    throw std::invalid_argument{"aggregate: \"" + std::string{original} + "\" is not a number"};
  return number;
}

/// Formats as Java's Double.toString: decimal notation from 0.001 to below 10^7, otherwise scientific; always with a
/// point.
std::string java_text_of(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
  const double size = std::fabs(number);
  const bool is_plain = size == 0 || (size >= 1e-3 && size < 1e7);
  char buffer[64];
  const auto ended = std::to_chars(buffer, buffer + sizeof buffer, number,
                                   is_plain ? std::chars_format::fixed : std::chars_format::scientific);
  std::string text{buffer, ended.ptr};
  const auto exponent_at = text.find('e');
  std::string exponent;
  if (exponent_at != std::string::npos) {
    int value = 0;
    const auto from = exponent_at + (text[exponent_at + 1] == '+' ? 2U : 1U);
    std::from_chars(text.data() + from, text.data() + text.size(), value);
    exponent = "E" + std::to_string(value);
    text.resize(exponent_at);
  }
  if (text.find('.') == std::string::npos) text += ".0";
  return text + exponent;
}

/// Aggregates the values of one key.
class Aggregator {
public:
  virtual ~Aggregator() = default;
  virtual void add(std::string_view value) = 0;
  [[nodiscard]] virtual std::string report() const = 0;
  /// Output of a combiner: values that add() accepts.
  [[nodiscard]] virtual std::vector<std::string> combined() const { return {report()}; }
};

class LongSum final : public Aggregator {
public:
  void add(std::string_view value) override { sum_ = java::wrap_add(sum_, to_number(value)); }
  [[nodiscard]] std::string report() const override { return std::to_string(sum_); }

private:
  std::int64_t sum_ = 0;
};

class LongExtreme final : public Aggregator {
public:
  explicit LongExtreme(bool is_max) : is_max_{is_max}, value_{is_max ? INT64_MIN : INT64_MAX} {}
  void add(std::string_view value) override {
    const auto number = to_number(value);
    value_ = is_max_ ? std::max(value_, number) : std::min(value_, number);
  }
  [[nodiscard]] std::string report() const override { return std::to_string(value_); }

private:
  bool is_max_;
  std::int64_t value_;
};

class DoubleSum final : public Aggregator {
public:
  void add(std::string_view value) override { sum_ += to_double(value); }
  [[nodiscard]] std::string report() const override { return java_text_of(sum_); }

private:
  double sum_ = 0;
};

class StringExtreme final : public Aggregator {
public:
  explicit StringExtreme(bool is_max) : is_max_{is_max} {}
  void add(std::string_view value) override {
    if (has_value_ && (is_max_ ? value <= value_ : value >= value_)) return;
    value_ = value;
    has_value_ = true;
  }
  [[nodiscard]] std::string report() const override { return value_; }

private:
  bool is_max_;
  bool has_value_ = false;
  std::string value_;
};

class UniqueCount final : public Aggregator {
public:
  void add(std::string_view value) override { values_.emplace(value); }
  [[nodiscard]] std::string report() const override { return std::to_string(values_.size()); }
  [[nodiscard]] std::vector<std::string> combined() const override { return {values_.begin(), values_.end()}; }

private:
  std::set<std::string> values_;
};

/// Values are "value" or "value TAB count"; the report is a statistic of the counts, not of the values.
class Histogram final : public Aggregator {
public:
  void add(std::string_view value) override {
    const auto tab = value.rfind('\t');
    const bool has_count = tab != std::string_view::npos;
    auto& count = counts_[std::string{value.substr(0, tab)}];
    count = java::wrap_add(count, has_count ? to_number(value.substr(tab + 1)) : 1);
  }
  [[nodiscard]] std::string report() const override {
    std::vector<std::int64_t> counts;
    std::int64_t sum = 0;
    for (const auto& [value, count] : counts_) {
      counts.push_back(count);
      sum = java::wrap_add(sum, count);
    }
    std::sort(counts.begin(), counts.end());
    auto text = std::to_string(counts.size());
    if (counts.empty()) return text;
    const auto size = static_cast<double>(counts.size());
    const double average = static_cast<double>(sum) * 1.0 / size;
    double squares = 0;
    for (const auto count : counts)
      squares += (static_cast<double>(count) - average) * (static_cast<double>(count) - average);
    text += "\t" + std::to_string(counts.front()) + "\t" + std::to_string(counts[counts.size() / 2]);
    return text + "\t" + std::to_string(counts.back()) + "\t" + java_text_of(average) + "\t" +
           java_text_of(std::sqrt(squares / size));
  }
  [[nodiscard]] std::vector<std::string> combined() const override {
    std::vector<std::string> result;
    for (const auto& [value, count] : counts_) result.push_back(value + "\t" + std::to_string(count));
    return result;
  }

private:
  std::map<std::string, std::int64_t> counts_;
};

/// Names are case-insensitive.
std::unique_ptr<Aggregator> make_aggregator(std::string_view key) {
  const auto colon = key.find(':');
  std::string name{key.substr(0, colon)};
  std::transform(name.begin(), name.end(), name.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  if (colon != std::string_view::npos) {
    if (name == "longvaluesum") return std::make_unique<LongSum>();
    if (name == "longvaluemax") return std::make_unique<LongExtreme>(true);
    if (name == "longvaluemin") return std::make_unique<LongExtreme>(false);
    if (name == "doublevaluesum") return std::make_unique<DoubleSum>();
    if (name == "stringvaluemax") return std::make_unique<StringExtreme>(true);
    if (name == "stringvaluemin") return std::make_unique<StringExtreme>(false);
    if (name == "uniqvaluecount") return std::make_unique<UniqueCount>();
    if (name == "valuehistogram") return std::make_unique<Histogram>();
  }
  throw std::invalid_argument{"aggregate: \"" + std::string{key} +
                              "\" is not of the form AGGREGATOR:ID with a known aggregator"};
}

void write(TaskContext& task, const std::string& key, const Aggregator& aggregator, bool combines) {
  if (!combines) return task.emit(std::string_view{key}.substr(key.find(':') + 1), aggregator.report());
  for (const auto& value : aggregator.combined()) task.emit(key, value);
}

void run(TaskContext& task, bool combines) {
  std::string key;
  std::unique_ptr<Aggregator> aggregator;
  auto records = task.records();
  for (auto record = records.begin(); !(record == records.end()); ++record) {
    if (!aggregator || record->key != key) {
      if (aggregator) write(task, key, *aggregator, combines);
      key = record->key;
      aggregator = make_aggregator(key);
    }
    aggregator->add(record->value);
  }
  if (aggregator) write(task, key, *aggregator, combines);
}

}  // namespace

TaskFunction find_built_in_function(std::string_view name) {
  if (name == aggregate_name) return [](TaskContext& task) { run(task, false); };
  if (name == aggregate_combine_name) return [](TaskContext& task) { run(task, true); };
  return nullptr;
}

}  // namespace heddle::work

// Parser of the three formats of an amount in Hadoop files: "vcores=2, memory-mb=5120" (new style), "5120 mb, 2 vcores"
// and "50 % memory, 50 % cpu" (old style).
#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "config/hadoop/fair_scheduler_xml.hpp"
#include "config/text/value_text.hpp"
#include "model/java_number.hpp"
#include "model/resource_text.hpp"

namespace heddle::config {
namespace {

constexpr std::string_view blanks = " \t\r\n\f\v";

/// One number with its unit, in the old style.
struct Amount {
  double number = 0;
  bool is_percent = false;
  std::string_view unit;
};

bool is_blank(char c) { return blanks.find(c) != std::string_view::npos; }

std::optional<double> number_of(std::string_view text) {
  if (text.empty() || text.front() == '-' || text.front() == '+') return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number != number) return std::nullopt;
  return number;
}

std::optional<Amount> take_amount(std::string_view& rest) {
  while (!rest.empty() && (is_blank(rest.front()) || rest.front() == ',')) rest.remove_prefix(1);
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789."), rest.size());
  const std::optional<double> number = number_of(rest.substr(0, digits));
  if (!number) return std::nullopt;
  rest.remove_prefix(digits);
  Amount amount{*number, false, {}};
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  if (!rest.empty() && rest.front() == '%') {
    amount.is_percent = true;
    rest.remove_prefix(1);
    while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  }
  const std::size_t letters = std::min(rest.find_first_of(", \t\r\n\f\v"), rest.size());
  amount.unit = rest.substr(0, letters);
  rest.remove_prefix(letters);
  return amount;
}

Error unreadable(std::string_view text, std::string_view why) {
  return Error{Errc::usage, "cannot parse \"" + std::string{text} + "\" as resources: " + std::string{why}};
}

Result<ConfiguredResource> old_style(std::string_view text) {
  std::vector<Amount> amounts;
  std::string_view rest = text;
  while (!trimmed(rest).empty()) {
    const std::optional<Amount> amount = take_amount(rest);
    if (!amount) return unreadable(text, "expected a number that is not negative, followed by its unit");
    amounts.push_back(*amount);
  }
  ConfiguredResource result;
  if (amounts.size() == 1 && amounts[0].is_percent && amounts[0].unit.empty()) {
    result.is_fraction = true;
    result.memory_fraction = result.cores_fraction = amounts[0].number / 100.0;
    result.unnamed_fraction = result.memory_fraction;
    return result;
  }
  result.unnamed_fraction = 0.0;  // the old style cannot name other kinds: their amount is 0
  bool has_memory = false;
  bool has_cores = false;
  result.is_fraction = text.find('%') != std::string_view::npos;
  const std::string_view memory_unit = result.is_fraction ? "memory" : "mb";
  const std::string_view cores_unit = result.is_fraction ? "cpu" : "vcores";
  for (const Amount& amount : amounts) {
    if (amount.is_percent != result.is_fraction) return unreadable(text, "either all parts are percentages or none is");
    if (amount.unit == memory_unit && !has_memory) {
      has_memory = true;
      result.memory_fraction = amount.number / 100.0;
      result.amount.memory_mib = java::to_long(amount.number);
    } else if (amount.unit == cores_unit && !has_cores) {
      has_cores = true;
      result.cores_fraction = amount.number / 100.0;
      result.amount.cores = java::to_int(amount.number);
    } else {
      return unreadable(text, "unexpected part \"" + std::string{amount.unit} + "\"");
    }
  }
  if (!has_memory) return unreadable(text, "missing " + std::string{memory_unit});
  if (!has_cores) return unreadable(text, "missing " + std::string{cores_unit});
  if (result.is_fraction) result.amount = Resource{};
  else result.memory_fraction = result.cores_fraction = 0;
  return result;
}

/// A percentage of the new style, as a fraction.
std::optional<double> fraction_of(std::string_view text) {
  const std::string_view digits = trimmed(text.substr(0, text.size() - 1));
  if (digits.empty() || digits.front() == '.' || digits.find_first_not_of("0123456789.") != std::string_view::npos)
    return std::nullopt;
  const std::optional<double> number = number_of(digits);
  if (!number) return std::nullopt;
  return *number / 100.0;
}

std::optional<std::int64_t> whole_of(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || text.front() == '-') return std::nullopt;
  return number;
}

template <class Row, class Value>
void set_row(std::vector<Row>& rows, std::string_view name, Value value) {
  for (auto& [known, amount] : rows)
    if (known == name) {
      amount = value;
      return;
    }
  rows.push_back({std::string{name}, value});
}

/// Adds "name=value" to the result. Returns the reason if it is wrong, otherwise an empty text.
std::string take_named(std::string_view token, ConfiguredResource& result) {
  const std::size_t equals = token.find('=');
  if (equals == std::string_view::npos) return "expected name=value";
  const std::string_view name = trimmed(token.substr(0, equals));
  const std::string_view value = trimmed(token.substr(equals + 1));
  const bool is_memory = name == "memory-mb";
  const bool is_cores = name == "vcores";
  if (const std::string low = lower_case(name); !is_memory && !is_cores && (is_memory_name(low) || is_cores_name(low)))
    return "\"" + std::string{name} + "\" is not recognized; use memory-mb and vcores";
  if (!is_resource_name(name)) return "\"" + std::string{name} + "\" is not a resource name";
  const bool is_percent = !value.empty() && value.back() == '%';
  if (is_percent != result.is_fraction) return "either all parts are percentages or none is";
  if (is_percent) {
    const std::optional<double> fraction = fraction_of(value);
    if (!fraction) return "expected a percentage that is not negative";
    if (is_memory) result.memory_fraction = *fraction;
    else if (is_cores) result.cores_fraction = *fraction;
    else set_row(result.other_fractions, name, *fraction);
    return {};
  }
  const std::optional<std::int64_t> number = whole_of(value);
  if (!number) return "expected a whole number that is not negative";
  if (is_memory) result.amount.memory_mib = *number;
  else if (is_cores) result.amount.cores = static_cast<std::int32_t>(std::min<std::int64_t>(*number, unlimited.cores));
  else set_row(result.others, name, *number);
  return {};
}

Result<ConfiguredResource> new_style(std::string_view text, const Resource& missing) {
  ConfiguredResource result;
  result.is_fraction = text.find('%') != std::string_view::npos;
  if (result.is_fraction) {
    result.memory_fraction = result.cores_fraction = 1.0;
    result.unnamed_fraction = 1.0;
  } else {
    result.amount = missing;
    if (missing.memory_mib != unlimited.memory_mib) result.unnamed_fraction = 0.0;
  }
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view token = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(token.size() + 1, rest.size()));
    if (std::string wrong = take_named(trimmed(token), result); !wrong.empty()) return unreadable(text, wrong);
  }
  return result;
}

}  // namespace

Resource ConfiguredResource::of(const Resource& cluster) const {
  if (!is_fraction) return amount;
  return Resource{java::to_long(static_cast<double>(cluster.memory_mib) * memory_fraction),
                  java::to_int(static_cast<double>(cluster.cores) * cores_fraction)};
}

std::optional<std::int64_t> ConfiguredResource::of_kind(std::string_view name, std::int64_t cluster) const {
  for (const auto& [other, most] : others)
    if (other == name) return most;
  for (const auto& [other, fraction] : other_fractions)
    if (other == name) return java::to_long(static_cast<double>(cluster) * fraction);
  if (!unnamed_fraction) return std::nullopt;
  return java::to_long(static_cast<double>(cluster) * *unnamed_fraction);
}

Result<ConfiguredResource> read_configured_resource(std::string_view text, const Resource& missing) {
  const std::string_view written = trimmed(text);
  if (written.empty()) return unreadable(text, "it is empty");
  return written.find('=') == std::string_view::npos ? old_style(lower_case(written)) : new_style(written, missing);
}

}  // namespace heddle::config

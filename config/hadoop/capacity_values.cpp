#include "config/hadoop/capacity_values.hpp"

#include <algorithm>

#include "config/text/did_you_mean.hpp"
#include "config/text/value_text.hpp"

namespace heddle::config {
namespace {

/// Reads memory as in Hadoop: "4096", "4096M", "4G", "1T"; in MiB without a unit.
std::optional<std::int64_t> mebibytes(std::string_view text) {
  std::int64_t factor = 1;
  if (text.ends_with("i")) text.remove_suffix(1);
  if (!text.empty() && (text.back() < '0' || text.back() > '9')) {
    const char unit = text.back();
    factor = unit == 'M' || unit == 'm'   ? 1
             : unit == 'G' || unit == 'g' ? 1024
             : unit == 'T' || unit == 't' ? 1024 * 1024
                                          : 0;
    text.remove_suffix(1);
  }
  const std::optional<std::int64_t> value = number_of<std::int64_t>(trimmed(text));
  std::int64_t result = 0;
  if (!value || factor == 0 || __builtin_mul_overflow(*value, factor, &result)) return std::nullopt;
  return result;
}

}  // namespace

CapacityValues::CapacityValues(const std::vector<HadoopProperty>& properties, std::string_view file_name)
    : file_name_{file_name} {
  for (const HadoopProperty& each : properties)
    values_[each.key] = Value{std::string{trimmed(each.value)}, each.value, each.line, false};
}

CapacityValues::Value* CapacityValues::find(const std::string& key) {
  const auto at = values_.find(key);
  if (at == values_.end()) return nullptr;
  at->second.is_read = true;
  return &at->second;
}

std::string CapacityValues::where(std::int64_t line) const {
  return std::string{file_name_} + (line > 0 ? ":" + std::to_string(line) : "") + ": ";
}

void CapacityValues::fail(const std::string& key, const std::string& why) {
  if (error_) return;
  const auto at = values_.find(key);
  error_ = Error{Errc::usage, where(at == values_.end() ? 0 : at->second.line) + key + ": " + why};
}

std::string CapacityValues::bounds(double least, double most) {
  if (most >= 2147483647.0) return " of at least " + std::to_string(static_cast<std::int64_t>(least));
  return " from " + std::to_string(static_cast<std::int64_t>(least)) + " to " +
         std::to_string(static_cast<std::int64_t>(most));
}

bool CapacityValues::truth(const std::string& key, bool otherwise) {
  const Value* found = find(key);
  if (found == nullptr || found->text.empty()) return otherwise;
  if (found->text != "true" && found->text != "false") fail(key, "must be true or false, not \"" + found->text + "\"");
  return found->text == "true";
}

std::string CapacityValues::word(const std::string& key, std::span<const std::string_view> known) {
  const Value* found = find(key);
  if (found == nullptr || found->text.empty()) return {};
  if (std::find(known.begin(), known.end(), found->text) == known.end()) {
    std::string list;
    for (const std::string_view each : known) list += (list.empty() ? "" : ", ") + std::string{each};
    fail(key, "must be one of " + list + ", not \"" + found->text + "\"" + suggestion(found->text, known));
  }
  return found->text;
}

std::string CapacityValues::access_list(const std::string& key) {
  const Value* found = find(key);
  if (found == nullptr) return {};
  return found->raw.empty() ? " " : found->raw;
}

ConfiguredCapacity CapacityValues::capacity(const std::string& key) {
  const std::string text = find(key)->text;
  ConfiguredCapacity result;
  if (!text.empty() && text.front() == '[') return amount(key, text);
  std::string_view digits = text;
  if (!digits.empty() && digits.back() == 'w') {
    result.kind = ConfiguredCapacity::Kind::weight;
    digits.remove_suffix(1);
  } else if (!digits.empty() && digits.back() == '%') {
    digits.remove_suffix(1);
  }
  const std::optional<float> value = number_of<float>(trimmed(digits));
  const bool is_maximum = key.ends_with("maximum-capacity");
  const bool is_weight = result.kind == ConfiguredCapacity::Kind::weight;
  if (!value || !(*value >= 0 || (is_maximum && *value == -1.0F)) || (!is_weight && *value > 100.0F))
    fail(
        key,
        "must be a percentage from 0 to 100, a weight such as 2w, or an amount such as [memory=4096,vcores=4], not \"" +
            text + "\"");
  result.number = value.value_or(0.0F);
  return result;
}

ConfiguredCapacity CapacityValues::amount(const std::string& key, const std::string& text) {
  ConfiguredCapacity result{ConfiguredCapacity::Kind::absolute, 0, Resource{}};
  if (text.back() != ']') fail(key, "must end with \"]\", not \"" + text + "\"");
  const std::string_view inside = std::string_view{text}.substr(1, text.size() - 2);
  constexpr std::array<std::string_view, 3> types{"memory", "memory-mb", "vcores"};
  for (const std::string& each : comma_separated(inside)) {
    const std::size_t equals = each.find('=');
    const std::string type{trimmed(std::string_view{each}.substr(0, equals))};
    if (equals == std::string::npos || std::find(types.begin(), types.end(), type) == types.end()) {
      fail(key, "must have the parts memory and vcores, not \"" + each + "\"" + suggestion(type, types));
      return result;
    }
    const std::optional<std::int64_t> value =
        type == "vcores" ? number_of<std::int64_t>(trimmed(std::string_view{each}.substr(equals + 1)))
                         : mebibytes(trimmed(std::string_view{each}.substr(equals + 1)));
    if (!value || *value < 0) fail(key, "must have a whole number of " + type + ", not \"" + each + "\"");
    (type == "vcores" ? result.amount.cores : result.amount.memory_mib) = value.value_or(0);
  }
  return result;
}

}  // namespace heddle::config

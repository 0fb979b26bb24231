#include "config/text/value_text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "config/text/units.hpp"

namespace heddle::config {
namespace {

struct Suffix {
  std::string_view name;
  std::int64_t factor;
};

constexpr std::array<Suffix, 7> time_suffixes{{{"us", 1},
                                               {"ms", 1'000},
                                               {"s", 1'000'000},
                                               {"m", 60'000'000},
                                               {"min", 60'000'000},
                                               {"h", 3'600'000'000},
                                               {"d", 86'400'000'000}}};
constexpr std::array<Suffix, 11> size_suffixes{{{"b", 1},
                                                {"k", kibibytes(1)},
                                                {"kb", kibibytes(1)},
                                                {"m", mebibytes(1)},
                                                {"mb", mebibytes(1)},
                                                {"g", gibibytes(1)},
                                                {"gb", gibibytes(1)},
                                                {"t", gibibytes(1024)},
                                                {"tb", gibibytes(1024)},
                                                {"p", gibibytes(1024 * 1024)},
                                                {"pb", gibibytes(1024 * 1024)}}};

std::int64_t factor_of(SettingUnit unit) {
  switch (unit) {
    case SettingUnit::ms: return 1'000;
    case SettingUnit::s: return 1'000'000;
    case SettingUnit::kib: return kibibytes(1);
    case SettingUnit::mib:
    case SettingUnit::mib_in_bytes: return mebibytes(1);
    case SettingUnit::bytes:
    case SettingUnit::none: return 1;
  }
  return 1;
}

template <std::size_t Count>
const Suffix* find_suffix(const std::array<Suffix, Count>& suffixes, std::string_view name) {
  for (const auto& suffix : suffixes)
    if (suffix.name == name) return &suffix;
  return nullptr;
}

Error unreadable(std::string_view text, std::string_view expected) {
  return Error{Errc::usage, fmt::format("\"{}\" is not {}", text, expected)};
}

template <std::size_t Count>
Result<std::int64_t> parse_scaled(std::string_view text, const std::array<Suffix, Count>& suffixes, std::int64_t bare,
                                  std::string_view expected) {
  const auto lower = lower_case(trimmed(text));
  std::int64_t number = 0;
  const auto* end = lower.data() + lower.size();
  const auto [rest, failure] = std::from_chars(lower.data(), end, number);
  if (failure != std::errc{}) return unreadable(text, expected);
  const std::string_view name{rest, static_cast<std::size_t>(end - rest)};
  const auto* suffix = find_suffix(suffixes, trimmed(name));
  if (suffix == nullptr && !name.empty()) return unreadable(text, expected);
  std::int64_t product = 0;
  if (__builtin_mul_overflow(number, suffix == nullptr ? bare : suffix->factor, &product))
    return Error{Errc::usage, fmt::format("\"{}\" is too large", text)};
  return product;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text, SettingUnit bare) {
  if (lower_case(trimmed(text)) == "never") return never;
  const auto parsed = parse_scaled(text, time_suffixes, factor_of(bare), "a duration such as 100ms, 3s, 5min or 1h");
  if (!parsed) return parsed.error();
  return Duration{*parsed};
}

Result<std::int64_t> parse_size(std::string_view text, SettingUnit bare) {
  const auto parsed = parse_scaled(text, size_suffixes, factor_of(bare), "a size such as 512k, 64m or 1g");
  if (!parsed) return parsed.error();
  return bare == SettingUnit::mib ? *parsed / mebibytes(1) : *parsed;
}

Result<std::int64_t> parse_integer(std::string_view text) {
  const auto digits = trimmed(text);
  std::int64_t number = 0;
  const auto [rest, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (failure != std::errc{} || rest != digits.data() + digits.size()) return unreadable(text, "a whole number");
  return number;
}

Result<double> parse_real(std::string_view text) {
  const auto digits = trimmed(text);
  double number = 0;
  const auto [rest, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (failure != std::errc{} || rest != digits.data() + digits.size() || !std::isfinite(number))
    return unreadable(text, "a number");
  return number;
}

Result<bool> parse_flag(std::string_view text) {
  const auto word = lower_case(trimmed(text));
  if (word == "true") return true;
  if (word == "false") return false;
  return unreadable(text, "true or false");
}

std::string format_duration(Duration span) {
  if (span == never) return "never";
  const auto count = span.count();
  if (count == 0) return "0s";
  for (const auto* name : {"h", "min", "s", "ms"}) {
    const auto factor = find_suffix(time_suffixes, name)->factor;
    if (count % factor == 0) return fmt::format("{}{}", count / factor, name);
  }
  return fmt::format("{}us", count);
}

std::string format_bytes(std::int64_t bytes) {
  if (bytes == 0) return "0";
  for (const auto* name : {"g", "m", "k"}) {
    const auto factor = find_suffix(size_suffixes, name)->factor;
    if (bytes % factor == 0) return fmt::format("{}{}", bytes / factor, name);
  }
  return fmt::format("{}", bytes);
}

std::string lower_case(std::string_view text) {
  std::string lower{text};
  for (auto& letter : lower)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return lower;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\f\v";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string> comma_separated(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (const std::string_view word = trimmed(text.substr(0, comma)); !word.empty()) words.emplace_back(word);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return words;
}

}  // namespace heddle::config

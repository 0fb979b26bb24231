#include "model/resource_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace heddle {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_letter_or_digit(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

/// Letters, digits and dashes; the first and the last character is no dash.
bool is_space_word(std::string_view word) {
  return !word.empty() && is_letter_or_digit(word.front()) && is_letter_or_digit(word.back()) &&
         std::all_of(word.begin(), word.end(), [](char c) { return c == '-' || is_letter_or_digit(c); });
}

bool is_name_space(std::string_view text) {
  while (true) {
    const auto dot = text.find('.');
    if (!is_space_word(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

constexpr std::array<std::pair<std::string_view, std::int64_t>, 14> units{{{"", 1},
                                                                           {"k", 1'000},
                                                                           {"M", 1'000'000},
                                                                           {"G", 1'000'000'000},
                                                                           {"g", 1'000'000'000},
                                                                           {"T", 1'000'000'000'000},
                                                                           {"t", 1'000'000'000'000},
                                                                           {"P", 1'000'000'000'000'000},
                                                                           {"p", 1'000'000'000'000'000},
                                                                           {"Ki", std::int64_t{1} << 10},
                                                                           {"Mi", std::int64_t{1} << 20},
                                                                           {"Gi", std::int64_t{1} << 30},
                                                                           {"Ti", std::int64_t{1} << 40},
                                                                           {"Pi", std::int64_t{1} << 50}}};

}  // namespace

bool is_resource_name(std::string_view text) {
  if (const auto slash = text.find('/'); slash != std::string_view::npos) {
    if (!is_name_space(text.substr(0, slash))) return false;
    text.remove_prefix(slash + 1);
  }
  return !text.empty() && is_letter(text.front()) && std::all_of(text.begin(), text.end(), [](char c) {
    return c == '_' || c == '.' || c == '-' || is_letter_or_digit(c);
  });
}

bool is_memory_name(std::string_view name) { return name == "memory" || name == "memory-mb" || name == "mb"; }
bool is_cores_name(std::string_view name) { return name == "cores" || name == "vcores" || name == "cpu-vcores"; }

Result<std::int64_t> read_resource_amount(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (error == std::errc{} && number >= 0 && text.front() != '-')
    for (const auto& [name, factor] : units)
      if (name == unit && number <= std::numeric_limits<std::int64_t>::max() / factor) return number * factor;
  return Error{Errc::usage,
               "\"" + std::string{text} +
                   "\" is not an amount; expected: a whole number, with k, M, G, T, P, Ki, Mi, Gi, Ti or Pi"};
}

std::string to_text(const Resource& resource) {
  std::string text = "memory-mb=" + std::to_string(resource.memory_mib) + ",vcores=" + std::to_string(resource.cores);
  for (const auto& [name, amount] : resource.others) text += "," + name + "=" + std::to_string(amount);
  return text;
}

Result<Resource> read_resource(std::string_view text) {
  Resource resource;
  while (!text.empty()) {
    const auto part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const auto name = part.substr(0, part.find('='));
    if (name.size() == part.size() || !is_resource_name(name))
      return Error{Errc::usage, "\"" + std::string{part} + "\" is not NAME=AMOUNT; example: yarn.io/gpu=2"};
    const auto amount = read_resource_amount(part.substr(name.size() + 1));
    if (!amount) return amount.error();
    if (is_memory_name(name)) resource.memory_mib = *amount;
    else if (is_cores_name(name)) resource.cores = *amount;
    else resource.others.set(name, *amount);
  }
  return resource;
}

}  // namespace heddle

#include "config/files/toml_reader.hpp"

#include <fmt/format.h>

#include <utility>

#include "config/text/did_you_mean.hpp"

namespace heddle::config {
namespace {

// toml++ throws parse errors; only this function catches them.
Result<toml::table> parse(const std::string& name, std::string_view content) {
  try {
    return toml::parse(content, std::string_view{name});
  } catch (const toml::parse_error& failure) {
    const auto at = failure.source().begin;
    return Error{Errc::usage, fmt::format("{}:{}:{}: {}", name, at.line, at.column, failure.description())};
  }
}

const char* kind_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table: return "a table";
    case toml::node_type::array: return "an array";
    case toml::node_type::string: return "a text";
    case toml::node_type::integer: return "a whole number";
    case toml::node_type::floating_point: return "a number";
    case toml::node_type::boolean: return "true or false";
    default: return "a date or time";
  }
}

}  // namespace

TomlReader::TomlReader(std::string name, std::string_view content) : name_{std::move(name)} {
  auto parsed = parse(name_, content);
  if (parsed) root_ = std::move(*parsed);
  else error_ = parsed.error();
}

std::string TomlReader::place(const toml::node& where) const {
  const auto at = where.source().begin;
  return at.line == 0 ? name_ : fmt::format("{}:{}:{}", name_, at.line, at.column);
}

void TomlReader::fail(const toml::node& where, std::string_view sentence) {
  if (!error_) error_ = Error{Errc::usage, fmt::format("{}: {}", place(where), sentence)};
}

void TomlReader::check_keys(const toml::table& table, std::span<const std::string_view> known) {
  for (const auto& [key, value] : table) {
    bool is_known = false;
    for (const auto candidate : known) is_known = is_known || candidate == key.str();
    if (is_known || error_) continue;
    const auto at = key.source().begin;
    error_ = Error{Errc::usage, fmt::format("{}:{}:{}: unknown key \"{}\"{}", name_, at.line, at.column, key.str(),
                                            suggestion(key.str(), known))};
  }
}

std::string TomlReader::text(const toml::table& table, std::string_view key, std::string_view standard) {
  const auto* node = table.get(key);
  if (node == nullptr) return std::string{standard};
  if (const auto* value = node->as_string()) return value->get();
  fail(*node, fmt::format("{} must be a text, not {}", key, kind_name(*node)));
  return std::string{standard};
}

std::int64_t TomlReader::integer(const toml::table& table, std::string_view key, std::int64_t standard,
                                 std::int64_t lower, std::int64_t upper) {
  const auto* node = table.get(key);
  if (node == nullptr) return standard;
  const auto* value = node->as_integer();
  if (value == nullptr) {
    fail(*node, fmt::format("{} must be a whole number, not {}", key, kind_name(*node)));
    return standard;
  }
  if (value->get() >= lower && value->get() <= upper) return value->get();
  fail(*node, fmt::format("{} must be from {} to {}, not {}", key, lower, upper, value->get()));
  return standard;
}

double TomlReader::real(const toml::table& table, std::string_view key, double standard, double lower, double upper) {
  const auto* node = table.get(key);
  if (node == nullptr) return standard;
  const auto value = node->is_number() ? node->value<double>() : std::nullopt;
  if (!value) {
    fail(*node, fmt::format("{} must be a number, not {}", key, kind_name(*node)));
    return standard;
  }
  if (*value >= lower && *value <= upper) return *value;
  fail(*node, fmt::format("{} must be from {} to {}, not {}", key, lower, upper, *value));
  return standard;
}

bool TomlReader::flag(const toml::table& table, std::string_view key, bool standard) {
  const auto* node = table.get(key);
  if (node == nullptr) return standard;
  if (const auto* value = node->as_boolean()) return value->get();
  fail(*node, fmt::format("{} must be true or false, not {}", key, kind_name(*node)));
  return standard;
}

std::int64_t TomlReader::size(const toml::table& table, std::string_view key, std::int64_t standard, SettingUnit bare) {
  const auto* node = table.get(key);
  if (node == nullptr) return standard;
  const auto* number = node->as_integer();
  const auto written = number != nullptr ? std::to_string(number->get()) : text(table, key);
  const auto parsed = parse_size(written, bare);
  if (parsed && *parsed >= 0) return *parsed;
  fail(*node, parsed ? fmt::format("{} must not be negative", key) : fmt::format("{}: {}", key, parsed.error().text));
  return standard;
}

Duration TomlReader::duration(const toml::table& table, std::string_view key, Duration standard) {
  const auto* node = table.get(key);
  if (node == nullptr) return standard;
  const auto* number = node->as_integer();
  const auto written = number != nullptr ? std::to_string(number->get()) : text(table, key);
  const auto parsed = parse_duration(written, SettingUnit::s);
  if (parsed && parsed->count() >= 0) return *parsed;
  fail(*node, parsed ? fmt::format("{} must not be negative", key) : fmt::format("{}: {}", key, parsed.error().text));
  return standard;
}

std::size_t TomlReader::choice(const toml::table& table, std::string_view key, std::size_t standard,
                               std::span<const std::string_view> words) {
  const auto* node = table.get(key);
  if (node == nullptr) return standard;
  const auto word = text(table, key);
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == word) return i;
  fail(*node,
       fmt::format("{} must be one of {}, not \"{}\"{}", key, fmt::join(words, ", "), word, suggestion(word, words)));
  return standard;
}

std::vector<std::string> TomlReader::texts(const toml::table& table, std::string_view key) {
  const auto* node = table.get(key);
  return node == nullptr ? std::vector<std::string>{} : texts_of(*node, key);
}

std::vector<std::string> TomlReader::texts_of(const toml::node& node, std::string_view what) {
  if (const auto* single = node.as_string()) return {single->get()};
  std::vector<std::string> result;
  const auto* several = node.as_array();
  if (several == nullptr) {
    fail(node, fmt::format("{} must be a text or an array of texts, not {}", what, kind_name(node)));
    return result;
  }
  for (const auto& element : *several) {
    const auto* value = element.as_string();
    if (value == nullptr) {
      fail(element, fmt::format("{} must hold texts only, not {}", what, kind_name(element)));
      return result;
    }
    result.push_back(value->get());
  }
  return result;
}

const toml::table* TomlReader::table(const toml::table& table, std::string_view key) {
  const auto* node = table.get(key);
  if (node == nullptr) return nullptr;
  if (const auto* inner = node->as_table()) return inner;
  fail(*node, fmt::format("{} must be a table, not {}", key, kind_name(*node)));
  return nullptr;
}

std::vector<const toml::table*> TomlReader::tables(const toml::table& table, std::string_view key) {
  std::vector<const toml::table*> result;
  const auto* node = table.get(key);
  if (node == nullptr) return result;
  if (const auto* single = node->as_table()) {
    result.push_back(single);
    return result;
  }
  const auto* several = node->as_array();
  if (several == nullptr) {
    fail(*node, fmt::format("{} must be a table or an array of tables, not {}", key, kind_name(*node)));
    return result;
  }
  for (const auto& element : *several) {
    if (const auto* inner = element.as_table()) result.push_back(inner);
    else fail(element, fmt::format("{} must hold tables only, not {}", key, kind_name(element)));
  }
  return result;
}

namespace {

void collect_entries(TomlReader& reader, const toml::table& table, const std::string& prefix,
                     std::vector<SettingEntry>& entries) {
  for (const auto& [key, value] : table) {
    const auto name = prefix.empty() ? std::string{key.str()} : fmt::format("{}.{}", prefix, key.str());
    if (const auto* inner = value.as_table()) {
      collect_entries(reader, *inner, name, entries);
      continue;
    }
    SettingEntry entry{name, {}, reader.place(value)};
    if (const auto* text = value.as_string()) entry.value = text->get();
    else if (const auto* integer = value.as_integer()) entry.value = fmt::format("{}", integer->get());
    else if (const auto* real = value.as_floating_point()) entry.value = fmt::format("{}", real->get());
    else if (const auto* flag = value.as_boolean()) entry.value = flag->get() ? "true" : "false";
    else
      reader.fail(value, fmt::format("{} must be a text, a number or true or false, not {}", name, kind_name(value)));
    entries.push_back(entry);
  }
}

}  // namespace

std::vector<SettingEntry> read_setting_entries(TomlReader& reader, const toml::table& table) {
  std::vector<SettingEntry> entries;
  collect_entries(reader, table, {}, entries);
  return entries;
}

}  // namespace heddle::config

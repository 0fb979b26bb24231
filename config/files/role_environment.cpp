#include "config/files/role_environment.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace heddle::config {

std::string role_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{value};
}

std::int64_t role_number(const char* name, std::int64_t otherwise) {
  const auto text = role_variable(name);
  std::int64_t number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

ApplicationId role_application() {
  return {role_number("HEDDLE_CLUSTER_START", 0), role_number("HEDDLE_APPLICATION_NUMBER", 0)};
}

std::string write_racks(const std::map<std::string, std::string>& racks) {
  std::string text;
  for (const auto& [host, rack] : racks) text += host + "=" + rack + "\n";
  return text;
}

std::map<std::string, std::string> read_racks(std::string_view text) {
  std::map<std::string, std::string> racks;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (const auto equals = line.find('='); equals != std::string_view::npos)
      racks.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return racks;
}

namespace {

/// A value in one line: a line feed in it would begin another setting.
std::string in_one_line(std::string_view value) {
  std::string line;
  for (const char c : value) line += c == '\n' ? "\\n" : c == '\\' ? "\\\\" : std::string(1, c);
  return line;
}

std::string from_one_line(std::string_view line) {
  std::string value;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_escaped = line[i] == '\\' && i + 1 < line.size();
    if (is_escaped) ++i;
    value += is_escaped && line[i] == 'n' ? '\n' : line[i];
  }
  return value;
}

}  // namespace

std::string write_settings(const Settings& settings) {
  std::string text;
  for (const auto& [key, value] : settings.changes()) text += key + "=" + in_one_line(value) + "\n";
  return text;
}

Result<Settings> read_settings(std::string_view text) {
  Settings settings;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    if (auto set = settings.set(line.substr(0, equals), from_one_line(line.substr(equals + 1)), Origin::command_line,
                                "HEDDLE_SETTINGS");
        !set)
      return set.error();
  }
  return settings;
}

}  // namespace heddle::config

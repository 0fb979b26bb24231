#include "config/files/role_environment.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <functional>

namespace heddle::config {

namespace {

/// What launchers of roles set: local_cluster.cpp, node_manager_containers.cpp, and those who ask for containers.
constexpr std::array role_variables{"HEDDLE_APPLICATION_ATTEMPT",
                                    "HEDDLE_APPLICATION_OWNER",
                                    "HEDDLE_APPLICATION_DIRECTORY",
                                    "HEDDLE_APPLICATION_ID",
                                    "HEDDLE_APPLICATION_NUMBER",
                                    "HEDDLE_CLUSTER_START",
                                    "HEDDLE_CONTAINER_ID",
                                    "HEDDLE_CONTAINER_MEMORY_MIB",
                                    "HEDDLE_DEPLOY_MODE",
                                    "HEDDLE_DRIVER_ADDRESS",
                                    "HEDDLE_EXECUTOR_CORES",
                                    "HEDDLE_EXECUTOR_ID",
                                    "HEDDLE_EXECUTOR_PROFILE",
                                    "HEDDLE_FIRST_SHUFFLE",
                                    "HEDDLE_LEASH_FD",
                                    "HEDDLE_LOG_DIRECTORY",
                                    "HEDDLE_NODE_ADDRESS",
                                    "HEDDLE_NODE_CORES",
                                    "HEDDLE_NODE_DIRECTORY",
                                    "HEDDLE_NODE_EPOCH",
                                    "HEDDLE_NODE_ID",
                                    "HEDDLE_NODE_MEMORY_MIB",
                                    "HEDDLE_NODE_RACK",
                                    "HEDDLE_NODE_RESOURCES",
                                    "HEDDLE_NODE_SLOWNESS_PERCENT",
                                    "HEDDLE_NODES_EXPECTED",
                                    "HEDDLE_RACKS",
                                    "HEDDLE_READY_PIPE",
                                    "HEDDLE_RESOURCE_MANAGER_ADDRESS",
                                    "HEDDLE_SETTINGS",
                                    "HEDDLE_SHUFFLE_ADDRESS",
                                    "HEDDLE_TOKEN"};

std::map<std::string, std::string, std::less<>>& hidden_variables() {
  static std::map<std::string, std::string, std::less<>> variables;
  return variables;
}

}  // namespace

void hide_role_variables() {
  for (const char* name : role_variables) {
    if (const char* value = std::getenv(name)) hidden_variables().insert_or_assign(name, value);
    ::unsetenv(name);
  }
}

std::string role_variable(const char* name) {
  const auto& hidden = hidden_variables();
  if (const auto row = hidden.find(name); row != hidden.end()) return row->second;
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
  for (const auto& [key, value] : settings.changes())
    text += (settings.effective(key).origin == Origin::derived ? "~" : "") + key + "=" + in_one_line(value) + "\n";
  return text;
}

Result<Settings> read_settings(std::string_view text) {
  Settings settings;
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto origin = line.starts_with('~') ? Origin::derived : Origin::command_line;
    if (origin == Origin::derived) line.remove_prefix(1);
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    if (auto set =
            settings.set(line.substr(0, equals), from_one_line(line.substr(equals + 1)), origin, "HEDDLE_SETTINGS");
        !set)
      return set.error();
  }
  return settings;
}

}  // namespace heddle::config

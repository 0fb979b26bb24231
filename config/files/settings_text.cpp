#include "config/files/settings_text.hpp"

#include <algorithm>

namespace heddle::config {
namespace {

/// Escapes line feeds and backslashes, so that each setting is one line.
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
    if (auto set = settings.set(line.substr(0, equals), from_one_line(line.substr(equals + 1)), origin, "launch spec");
        !set)
      return set.error();
  }
  return settings;
}

}  // namespace heddle::config

#include "config/spark/spark_defaults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <system_error>
#include <utility>

#include "config/text/value_text.hpp"

namespace heddle::config {
namespace {

bool is_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\f'; }

std::string_view without_leading_blanks(std::string_view line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  return line;
}

std::string_view take_line(std::string_view& content) {
  const auto end = content.find_first_of("\r\n");
  const auto line = content.substr(0, end);
  if (end == std::string_view::npos) {
    content = {};
  } else {
    const bool two = content[end] == '\r' && end + 1 < content.size() && content[end + 1] == '\n';
    content.remove_prefix(end + (two ? 2 : 1));
  }
  return line;
}

/// An odd number of backslashes at the end continues the line; an even number does not.
bool is_continued(std::string_view line) {
  std::size_t slashes = 0;
  while (slashes < line.size() && line[line.size() - 1 - slashes] == '\\') ++slashes;
  return slashes % 2 == 1;
}

void append_utf8(std::string& text, std::uint32_t code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0U | (code >> 6U));
    text += static_cast<char>(0x80U | (code & 0x3FU));
  } else {
    text += static_cast<char>(0xE0U | (code >> 12U));
    text += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
    text += static_cast<char>(0x80U | (code & 0x3FU));
  }
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    ++i;
    if (text[i] == 'u' && i + 4 < text.size()) {
      std::uint32_t code = 0;
      const auto* first = text.data() + i + 1;
      const auto [rest, failure] = std::from_chars(first, first + 4, code, 16);
      if (failure == std::errc{} && rest == first + 4) {
        append_utf8(result, code);
        i += 4;
        continue;
      }
    }
    switch (text[i]) {
      case 't': result += '\t'; break;
      case 'n': result += '\n'; break;
      case 'r': result += '\r'; break;
      case 'f': result += '\f'; break;
      default: result += text[i];
    }
  }
  return result;
}

SettingEntry split_property(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && line[end] != '=' && line[end] != ':' && !is_blank(line[end]))
    end += line[end] == '\\' ? 2 : 1;
  end = std::min(end, line.size());
  auto value = without_leading_blanks(line.substr(end));
  if (!value.empty() && (value.front() == '=' || value.front() == ':')) value = without_leading_blanks(value.substr(1));
  return SettingEntry{unescaped(line.substr(0, end)), std::string{trimmed(unescaped(value))}, {}};
}

}  // namespace

std::vector<SettingEntry> parse_spark_defaults(const std::string& name, std::string_view content) {
  std::vector<SettingEntry> entries;
  std::map<std::string, std::size_t, std::less<>> index_of_key;
  for (std::size_t number = 1; !content.empty(); ++number) {
    auto line = std::string{without_leading_blanks(take_line(content))};
    const auto first_number = number;
    if (line.empty() || line.front() == '#' || line.front() == '!') continue;
    while (is_continued(line) && !content.empty()) {
      line.pop_back();
      line += without_leading_blanks(take_line(content));
      ++number;
    }
    auto entry = split_property(line);
    entry.place = fmt::format("{}:{}", name, first_number);
    if (entry.key.rfind("spark.", 0) != 0) continue;
    const auto [known, is_new] = index_of_key.emplace(entry.key, entries.size());
    if (is_new) entries.push_back(std::move(entry));
    else entries[known->second] = std::move(entry);
  }
  return entries;
}

}  // namespace heddle::config

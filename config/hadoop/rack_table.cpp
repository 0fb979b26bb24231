#include "config/hadoop/rack_table.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace heddle::config {
namespace {

constexpr std::string_view column_blanks = " \t\r\f\v";
constexpr std::size_t warnings_max = 20;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const auto begin = line.find_first_not_of(column_blanks);
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const auto end = line.find_first_of(column_blanks);
    words.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return words;
    line.remove_prefix(end);
  }
}

}  // namespace

RackTable parse_rack_table(const std::string& name, std::string_view content) {
  RackTable table;
  for (std::size_t number = 1; !content.empty(); ++number) {
    const auto end = content.find('\n');
    const auto words = words_of(content.substr(0, end));
    content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
    if (words.empty() || words.front().front() == '#') continue;
    if (words.size() == 2) table.rack_of.insert_or_assign(std::string{words[0]}, std::string{words[1]});
    else if (table.warnings.size() < warnings_max)
      table.warnings.push_back(fmt::format("{}:{}: the line is ignored; expected: a host and its rack", name, number));
  }
  return table;
}

}  // namespace heddle::config

// Goal: each kind of error has its exit code, and README and help list exactly the codes with which heddle ends.
// Method: the codes of every Errc, compared with the rows of the table in README and the numbers in the help texts.
#include "apps/cli/exit_code.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cctype>
#include <charconv>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/command_line.hpp"

namespace exit_code_test {

using namespace heddle;
using namespace heddle::apps;

namespace {

using Codes = std::set<int>;

constexpr int done = 0;
constexpr int killed = 130;  // after a second Ctrl-C

std::vector<Errc> all_errors() {
  std::vector<Errc> all;
  for (int code = 1; code <= static_cast<int>(Errc::interrupted); ++code) all.push_back(static_cast<Errc>(code));
  return all;
}

Codes codes_of(int (*code_of)(Errc)) {
  Codes codes{done, killed};
  for (const auto error : all_errors()) codes.insert(code_of(error));
  return codes;
}

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(' ');
  return begin == text.npos ? std::string{} : std::string{text.substr(begin, text.find_last_not_of(' ') - begin + 1)};
}

struct Row {
  int code = 0;
  std::string verbs;       // meaning for `heddle run` and others; empty: they never end with it
  std::string map_reduce;  // the same for `heddle mapreduce`
};

std::vector<Row> rows_of_readme() {
  std::ifstream readme{HEDDLE_README};
  BOOST_REQUIRE(readme.good());
  std::vector<Row> rows;
  bool is_inside = false;
  for (std::string line; std::getline(readme, line);) {
    if (line.starts_with("## ")) is_inside = line == "## Exit codes";
    if (!is_inside || line.size() < 3 || std::isdigit(static_cast<unsigned char>(line[2])) == 0) continue;
    std::vector<std::string> cells;
    std::istringstream parts{line};
    for (std::string cell; std::getline(parts, cell, '|');) cells.push_back(trimmed(cell));
    BOOST_REQUIRE_MESSAGE(cells.size() == 4U, line);
    rows.push_back({std::stoi(cells[1]), cells[2], cells[3]});
  }
  return rows;
}

Codes codes_of_readme(std::string Row::*meaning) {
  Codes codes;
  for (const auto& row : rows_of_readme())
    if (!(row.*meaning).empty()) BOOST_TEST(codes.insert(row.code).second, row.code);
  return codes;
}

/// The numbers in the paragraph of a help text that begins with `exit codes`.
Codes codes_of_help(const std::vector<std::string>& words) {
  const auto parsed = parse_command_line(words, 4);
  BOOST_REQUIRE(parsed.has_value());
  const auto text = std::get<Answer>(*parsed).text;
  const auto begin = text.find("\nexit codes");
  BOOST_REQUIRE_MESSAGE(begin != text.npos, text);
  Codes codes;
  const char* at = text.data() + begin + 1;
  const char* const end = text.data() + std::min(text.find("\n\n", begin), text.size());
  while ((at = std::find_if(at, end, [](unsigned char byte) { return std::isdigit(byte) != 0; })) != end) {
    int code = 0;
    at = std::from_chars(at, end, code).ptr;
    codes.insert(code);
  }
  return codes;
}

BOOST_AUTO_TEST_CASE(exit_codes_are_those_of_the_documentation_and_of_streaming) {  // ST-1
  BOOST_TEST(exit_code_of(Errc::usage) == 2);
  BOOST_TEST(exit_code_of(Errc::refused) == 4);
  BOOST_TEST(exit_code_of(Errc::unreachable) == 5);  // a NameNode that stays in safe mode, for example
  BOOST_TEST(streaming_exit_code_of(Errc::unreachable) == 5);
  BOOST_TEST(exit_code_of(Errc::failed) == 1);
  BOOST_TEST(exit_code_of(Errc::internal) == 70);
  BOOST_TEST(streaming_exit_code_of(Errc::usage) == 1);
  BOOST_TEST(streaming_exit_code_of(Errc::not_found) == 5);
  BOOST_TEST(streaming_exit_code_of(Errc::refused) == 5);
  BOOST_TEST(streaming_exit_code_of(Errc::cancelled) == 7);
}

BOOST_AUTO_TEST_CASE(the_readme_has_a_row_for_each_exit_code_and_no_other) {
  BOOST_TEST(codes_of_readme(&Row::verbs) == codes_of(exit_code_of), boost::test_tools::per_element());
  BOOST_TEST(codes_of_readme(&Row::map_reduce) == codes_of(streaming_exit_code_of), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_help_lists_each_exit_code_and_no_other) {
  auto of_verbs = codes_of(exit_code_of);
  of_verbs.insert(exit_command_not_found);
  BOOST_TEST(codes_of_help({"help"}) == of_verbs, boost::test_tools::per_element());
  BOOST_TEST(codes_of_help({"help", "mapreduce"}) == codes_of(streaming_exit_code_of),
             boost::test_tools::per_element());
}

}  // namespace

}  // namespace exit_code_test

// Arguments of a command line, one per line: must give options or an error.
#include <string>
#include <vector>

#include "apps/cli/command_line.hpp"
#include "tests/fuzz/fuzz_target.hpp"

HEDDLE_FUZZ_TARGET(command_line) {
  std::vector<std::string> words;
  for (auto rest = input; !rest.empty() && words.size() < 64;) {
    words.emplace_back(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(words.back().size() + 1, rest.size()));
  }
  const auto command = heddle::apps::parse_command_line(words, 2);
  HEDDLE_ASSERT(command.has_value() || !command.error().text.empty(), input);
}

// A history file of Hadoop 1.2 of any content. Its events can be written, and the lines are read as the same lines.
#include <string>

#include "tests/fuzz/fuzz_target.hpp"
#include "work/history/classic_history.hpp"

namespace {

std::string lines_of(const std::vector<heddle::history::Event>& events) {
  std::string lines{heddle::work::classic_header};
  for (const auto& event : events) heddle::work::append_classic(lines, event);
  return lines;
}

}  // namespace

HEDDLE_FUZZ_TARGET(classic_history) {
  const auto content = heddle::work::read_classic(input);
  HEDDLE_ASSERT(content.whole_bytes <= input.size(), "the whole events are longer than the file");
  const auto written = lines_of(content.events);
  const auto again = heddle::work::read_classic(written);
  HEDDLE_ASSERT(again.fault.empty(), again.fault);
  HEDDLE_ASSERT(lines_of(again.events) == written, "the lines read differently");
}

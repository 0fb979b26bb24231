// Goal: lines are counted as by std::count, for every length and alignment of the text.
// Method: random texts of few different bytes against std::count, and one that would overflow a lane.
#include "work/records/line_count.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "model/random_stream.hpp"

namespace line_count_test {

using namespace heddle;
using namespace heddle::work;

BOOST_AUTO_TEST_CASE(counts_equal_those_of_std_count) {
  RandomStream random{11};
  for (int round = 0; round < 2000; ++round) {
    std::string text(random.below(700), '\0');
    for (auto& byte : text) byte = "\n\x0b\x8a "[random.below(4)];
    const auto view = std::string_view{text}.substr(random.below(text.size() + 1));
    BOOST_TEST(count_lines(view) == std::count(view.begin(), view.end(), '\n'));
  }
}

BOOST_AUTO_TEST_CASE(many_lines_in_one_lane_do_not_overflow) {
  const std::string text(100'003, '\n');
  BOOST_TEST(count_lines(text) == 100'003);
}

}  // namespace line_count_test

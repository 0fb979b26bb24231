// Goal: what an attempt says is kept up to its bound, and nothing is made for one that says nothing.
// Method: small bounds, the file read back.
#include "work/tasks/log_output.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/support/scratch_folder.hpp"

namespace log_output_test {

namespace {

using namespace heddle;
using namespace heddle::work;

constexpr const char* name = "1.0/0.0.stdout";

BOOST_AUTO_TEST_CASE(an_attempt_that_says_nothing_has_no_file) {
  const ScratchFolder folder;
  LogOutput output{folder.file(name), 10};
  BOOST_TEST(output.add_text("").has_value());
  BOOST_TEST(output.finish().has_value());
  BOOST_TEST(!std::filesystem::exists(folder.file("1.0")));
}

BOOST_AUTO_TEST_CASE(text_up_to_the_bound_is_kept_and_the_cut_is_told_once) {
  const ScratchFolder folder;
  LogOutput output{folder.file(name), 10};
  BOOST_TEST(output.add_line("four").has_value());
  BOOST_TEST(output.add_pair("k", "v").has_value());
  BOOST_TEST(folder.read(name) == "four\nk\tv\n");
  BOOST_TEST(output.add_text("all that is too much").has_value());
  BOOST_TEST(output.add_text("and more").has_value());
  BOOST_TEST(folder.read(name) == "four\nk\tv\na\n[heddle: output cut off here, its limit is reached]\n");
}

}  // namespace

}  // namespace log_output_test

// Goal: the output of an attempt is kept up to the limit, and there is no file without output.
// Method: small limits; reads the file back.
#include "work/tasks/log_output.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/support/scratch_folder.hpp"

namespace log_output_test {

namespace {

using namespace heddle;
using namespace heddle::work;

constexpr const char* name = "1.0/0.0.stdout";

BOOST_AUTO_TEST_CASE(an_attempt_without_output_has_no_file) {
  const ScratchFolder folder;
  LogOutput output{folder.file(name), 10};
  BOOST_TEST(output.add_text("").has_value());
  BOOST_TEST(output.finish().has_value());
  BOOST_TEST(!std::filesystem::exists(folder.file("1.0")));
}

BOOST_AUTO_TEST_CASE(output_up_to_the_limit_is_kept_with_one_notice) {
  const ScratchFolder folder;
  LogOutput output{folder.file(name), 10};
  BOOST_TEST(output.add_line("four").has_value());
  BOOST_TEST(output.add_pair("k", "v").has_value());
  BOOST_TEST(folder.read(name) == "four\nk\tv\n");
  BOOST_TEST(output.add_text("all that is too much").has_value());
  BOOST_TEST(output.add_text("and more").has_value());
  BOOST_TEST(folder.read(name) ==
             "four\nk\tv\na\n[heddle: the output reached its size limit; later output is dropped]\n");
}

}  // namespace

}  // namespace log_output_test

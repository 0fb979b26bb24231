// Goal: a message reaches standard error as one line, and a failed write harms nobody.
// Method: child processes whose standard error is a pipe, a full device or closed.
#include "ports/standard_error.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "tests/support/child_process.hpp"

namespace standard_error_test {
namespace {

using heddle::ports::write_error_line;

BOOST_AUTO_TEST_CASE(a_message_is_one_line) {
  const auto end = heddle::tests::run_in_child([] { write_error_line("the NameNode does not answer"); });
  BOOST_TEST(end.error == "heddle: the NameNode does not answer\n");
}

BOOST_AUTO_TEST_CASE(a_full_disk_or_a_closed_standard_error_is_ignored) {
  const auto full = heddle::tests::run_in_child([] {
    ::dup2(::open("/dev/full", O_WRONLY), STDERR_FILENO);
    write_error_line("text");
    ::_exit(7);
  });
  BOOST_TEST(full.exit_code == 7);
  const auto closed = heddle::tests::run_in_child([] {
    ::close(STDERR_FILENO);
    write_error_line("text");
    ::_exit(7);
  });
  BOOST_TEST(closed.exit_code == 7);
}

}  // namespace
}  // namespace standard_error_test

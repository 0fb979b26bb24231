#include "apps/commands/commands.hpp"

#include <boost/test/unit_test.hpp>

#include "apps/cli/exit_code.hpp"
#include "messages/client.hpp"

namespace heddle::apps {
namespace commands_test {
namespace {

BOOST_AUTO_TEST_CASE(a_job_whose_file_system_was_unreachable_ends_with_the_code_of_unreachable_roles) {
  JobFinished end;
  end.failure = FailureKind::output;
  BOOST_TEST(exit_code_of(end) == 1);
  end.failure = FailureKind::unreachable;
  BOOST_TEST(exit_code_of(end) == exit_code_of(Errc::unreachable));
  end.status = JobStatus::cancelled;
  BOOST_TEST(exit_code_of(end) == 7);
  end.status = JobStatus::succeeded;
  BOOST_TEST(exit_code_of(end) == 0);
}

}  // namespace
}  // namespace commands_test
}  // namespace heddle::apps

// Goal: exit statuses and circumstances of a lost executor give one reason.
// Method: tables over all statuses of YARN, against the rules of Spark and YARN.
#include "policies/containers/executor_loss.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::policies {
namespace executor_loss_test {
namespace {

using namespace container_exit_status;

BOOST_AUTO_TEST_CASE(only_faults_of_the_application_are_blamed_on_it) {
  for (const std::int32_t status : {success, aborted, disks_failed, preempted, killed_by_application_master,
                                    killed_by_resource_manager, killed_after_application})
    BOOST_TEST((blame_of(status) == Blame::nobody), "status " << status);
  for (const std::int32_t status : {virtual_memory_exceeded, physical_memory_exceeded})
    BOOST_TEST((blame_of(status) == Blame::application), "status " << status);
  for (const std::int32_t status : {1, 137, -1, invalid, killed_by_container_scheduler})
    BOOST_TEST((blame_of(status) == Blame::application_and_node), "status " << status);
}

BOOST_AUTO_TEST_CASE(a_request_to_kill_comes_before_a_lost_node_and_that_before_a_failed_start) {
  const auto kind = [](std::int32_t status, const LossCircumstances& circumstances) {
    return classify_loss(status, true, circumstances).kind;
  };
  BOOST_TEST((kind(1, {true, true, true}) == LossKind::killed));
  BOOST_TEST((kind(preempted, {false, true, true}) == LossKind::node_lost));
  BOOST_TEST((kind(preempted, {false, false, true}) == LossKind::start_failed));
  BOOST_TEST((kind(preempted, {}) == LossKind::killed));
  BOOST_TEST((kind(killed_by_application_master, {}) == LossKind::killed));
  BOOST_TEST((kind(killed_by_resource_manager, {}) == LossKind::killed));
  BOOST_TEST((kind(aborted, {}) == LossKind::exited));
  BOOST_TEST((kind(1, {}) == LossKind::exited));
  BOOST_TEST(!classify_loss(1, true, {true, false, false}).by_application);
  BOOST_TEST(classify_loss(1, true).by_application);
}

BOOST_AUTO_TEST_CASE(of_the_executors_that_the_driver_stops_those_of_another_build_have_failed) {
  BOOST_TEST(is_failure(different_builds));
  BOOST_TEST(!is_failure("the application ends"));
}

}  // namespace
}  // namespace executor_loss_test
}  // namespace heddle::policies

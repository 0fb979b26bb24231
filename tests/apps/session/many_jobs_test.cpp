// Goal: whoever waits for many jobs hears the end of each, and of the cluster under them.
// Method: words put into a JobWaiter by hand.
#include "apps/session/many_jobs.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::apps {

BOOST_AUTO_TEST_CASE(the_loss_of_the_cluster_is_handed_on_so_that_the_jobs_can_end) {
  JobWaiter waiter;
  waiter.on_job_accepted(JobAccepted{0, JobId{4}});
  waiter.on_cluster_lost();
  JobFinished failed;
  failed.job = JobId{4};
  failed.text = "lost";
  int losses = 0;
  const auto ended = wait_for_jobs(
      waiter, 1, {}, [](JobId) {},
      [&] {
        ++losses;
        waiter.on_finished(failed);
      });
  BOOST_REQUIRE(ended.has_value());
  BOOST_TEST(losses == 1);
  BOOST_TEST(ended->front().text == "lost");
}

}  // namespace heddle::apps

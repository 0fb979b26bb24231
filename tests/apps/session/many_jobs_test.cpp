// Goal: whoever waits for many jobs hears the end of each, and of the cluster under them.
// Method: words put into a JobWaiter by hand.
#include "apps/session/many_jobs.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

namespace heddle::apps {
namespace many_jobs_test {

BOOST_AUTO_TEST_CASE(the_loss_of_the_cluster_is_handed_on_so_that_the_jobs_can_end) {
  JobWaiter waiter;
  waiter.on_job_accepted(JobAccepted{0, JobId{4}});
  waiter.on_cluster_lost(Error{Errc::unreachable, "no node is left"});
  JobFinished failed;
  failed.job = JobId{4};
  failed.text = "lost";
  int losses = 0;
  ManyJobsHooks hooks;
  hooks.one.on_cluster_lost = [&](const std::string&) {
    ++losses;
    waiter.on_finished(failed);
  };
  const JobCallbacks callbacks;
  const auto ended = ends_of(wait_for_jobs(waiter, 1, callbacks, hooks));
  BOOST_REQUIRE(ended.has_value());
  BOOST_TEST(losses == 1);
  BOOST_TEST(ended->front().text == "lost");
}

BOOST_AUTO_TEST_CASE(a_job_that_fails_because_its_cluster_is_lost_ends_with_the_reason_of_the_loss) {
  for (const bool has_driver : {false, true}) {
    JobWaiter waiter;
    waiter.on_cluster_lost(Error{Errc::unreachable, "no node is left"});
    JobHooks hooks;
    if (has_driver) hooks.on_cluster_lost = [&waiter](const std::string&) { waiter.on_finished(JobFinished{}); };
    const auto ended = wait_for_job(waiter, JobCallbacks{}, hooks);
    BOOST_REQUIRE(!ended.has_value());
    BOOST_TEST((ended.error() == Error{Errc::unreachable, "no node is left"}));
  }
}

BOOST_AUTO_TEST_CASE(jobs_that_another_driver_takes_over_have_new_ids_and_end_once) {
  JobWaiter waiter;
  const auto accept = [&](std::int64_t request, std::int64_t id) {
    waiter.on_job_accepted(JobAccepted{request, JobId{id}});
  };
  const auto finish = [&](std::int64_t id) {
    JobFinished word;
    word.job = JobId{id};
    word.status = JobStatus::succeeded;
    waiter.on_finished(word);
  };
  accept(0, 1);
  accept(1, 2);
  finish(1);
  waiter.on_driver_ready(DriverReady{});
  finish(2);  // said by nobody that is known any more
  accept(1, 1);
  finish(1);
  std::vector<std::size_t> told;
  ManyJobsHooks hooks;
  hooks.on_ended = [&](std::size_t number) { told.push_back(number); };
  const JobCallbacks callbacks;
  const auto ended = ends_of(wait_for_jobs(waiter, 2, callbacks, hooks));
  BOOST_REQUIRE(ended.has_value());
  BOOST_TEST(ended->size() == 2U);
  BOOST_TEST((told == std::vector<std::size_t>{0, 1}));
}

BOOST_AUTO_TEST_CASE(a_session_that_nobody_waits_at_is_told_once_why_it_is_over) {
  JobWaiter waiter;
  std::vector<std::string> told;
  waiter.tell_end_to([&](const std::string& why) { told.push_back(why); });
  waiter.on_notice(Notice{"nobody hears this"});
  waiter.on_refused(ApplicationRefused{"there is no queue"});
  BOOST_TEST(!waiter.next(std::chrono::milliseconds{0}).has_value());
  BOOST_TEST((told == std::vector<std::string>{"there is no queue"}));
  BOOST_TEST(waiter.is_application_over());
}

}  // namespace many_jobs_test
}  // namespace heddle::apps

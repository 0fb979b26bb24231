// Goal: whoever waits for many jobs hears the end of each, and of the cluster under them.
// Method: words put into a JobWaiter by hand.
#include "apps/session/many_jobs.hpp"

#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle::apps {
namespace many_jobs_test {
namespace {

JobFinished end_of(std::int64_t job, const std::string& text) {
  JobFinished word;
  word.job = JobId{job};
  word.text = text;
  return word;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_loss_of_the_cluster_is_handed_on_so_that_the_jobs_can_end) {
  JobWaiter waiter;
  waiter.on_job_accepted(JobAccepted{0, JobId{4}});
  waiter.on_cluster_lost(Error{Errc::unreachable, "no node is left"});
  int losses = 0;
  ManyJobsHooks hooks;
  hooks.one.on_cluster_lost = [&](const std::string&) {
    ++losses;
    waiter.on_finished(end_of(4, "lost"));
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
    JobHooks hooks;
    hooks.request = waiter.begin(1);
    waiter.on_job_accepted({hooks.request, JobId{0}});
    waiter.on_cluster_lost(Error{Errc::unreachable, "no node is left"});
    if (has_driver) hooks.on_cluster_lost = [&waiter](const std::string&) { waiter.on_finished(end_of(0, "failed")); };
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

BOOST_AUTO_TEST_CASE(a_cancelled_job_that_another_driver_takes_over_is_cancelled_there_too) {
  JobWaiter waiter;
  ManyJobsHooks hooks;
  std::vector<JobId> cancelled;
  hooks.one.cancel = [&](JobId job) {
    cancelled.push_back(job);
    if (cancelled.size() == 1) {
      waiter.on_driver_ready(DriverReady{});
      waiter.on_job_accepted(JobAccepted{0, JobId{0}});
    } else {
      waiter.on_finished(end_of(0, "cancelled"));
    }
  };
  waiter.on_job_accepted(JobAccepted{0, JobId{0}});
  bool is_accepted = false;
  JobCallbacks callbacks;
  callbacks.on_job = [&](std::size_t, JobId) { is_accepted = true; };
  int asked = 0;
  callbacks.is_cancelled = [&] {
    if (++asked > 50) waiter.on_ended({{}, false, "nobody cancels the job at the second Driver"});
    return is_accepted;
  };
  const auto ended = ends_of(wait_for_jobs(waiter, 1, callbacks, hooks));
  BOOST_REQUIRE(ended.has_value());
  BOOST_TEST((cancelled == std::vector<JobId>{JobId{0}, JobId{0}}));
}

BOOST_AUTO_TEST_CASE(the_end_of_a_former_job_is_not_the_end_of_the_next_one) {
  JobWaiter waiter;
  JobHooks hooks;
  hooks.request = waiter.begin(1);
  waiter.on_job_accepted({hooks.request, JobId{0}});
  const JobCallbacks throwing{[](const JobProgress&) { throw std::runtime_error{"left"}; }, {}, {}};
  waiter.on_progress(JobProgress{JobId{0}, {}, 0, 0, {}});
  BOOST_CHECK_THROW((void)wait_for_job(waiter, throwing, hooks), std::runtime_error);
  waiter.on_finished(end_of(0, "former"));
  const auto former = hooks.request;
  hooks.request = waiter.begin(1);
  BOOST_TEST(hooks.request == former + 1);
  BOOST_TEST(!waiter.next(std::chrono::milliseconds{0}).has_value());
  waiter.on_finished(end_of(0, "late"));  // the Driver was slower than the next call
  waiter.on_job_accepted({former, JobId{0}});
  waiter.on_finished(end_of(0, "later still"));
  waiter.on_job_accepted({hooks.request, JobId{1}});
  waiter.on_finished(end_of(0, "again"));
  waiter.on_finished(end_of(1, "own"));
  const auto end = wait_for_job(waiter, {}, hooks);
  BOOST_TEST_REQUIRE(end.has_value());
  BOOST_TEST(end->text == "own");
}

BOOST_AUTO_TEST_CASE(many_jobs_are_told_from_those_of_a_former_wait) {
  JobWaiter waiter;
  (void)waiter.begin(2);
  ManyJobsHooks hooks;
  hooks.one.request = waiter.begin(1);
  waiter.on_job_accepted({1, JobId{1}});
  waiter.on_finished(end_of(1, "former"));
  waiter.on_job_accepted({hooks.one.request, JobId{2}});
  waiter.on_finished(end_of(2, "own"));
  std::vector<std::size_t> numbers;
  JobCallbacks callbacks;
  callbacks.on_job = [&](std::size_t number, JobId) { numbers.push_back(number); };
  const auto ended = ends_of(wait_for_jobs(waiter, 1, callbacks, hooks));
  BOOST_REQUIRE(ended.has_value());
  BOOST_TEST(ended->at(0).text == "own");
  BOOST_TEST((numbers == std::vector<std::size_t>{0}));
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

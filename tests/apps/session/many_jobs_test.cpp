// Goal: the waiting thread gets the result of each job, and the reports about the application.
// Method: a Client that only records its messages; the test adds reports to a JobWaiter between two checks for a
// cancellation.
#include "apps/session/many_jobs.hpp"

#include <poll.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "messages/registration.hpp"

namespace heddle::apps {
namespace many_jobs_test {
namespace {

using actors::RequestEnded;
using namespace std::chrono_literals;

JobFinished end_of(std::int64_t job, const std::string& text, JobStatus status = JobStatus::failed) {
  JobFinished end;
  end.job = JobId{job};
  end.status = status;
  end.text = text;
  return end;
}

struct World {
  caf::actor_system_config config;
  std::unique_ptr<caf::actor_system> system;
  std::unique_ptr<caf::scoped_actor> recorder;
  ClientRoleActor client;
  JobWaiter waiter;
  JobCallbacks callbacks;
  std::vector<std::function<void()>> steps;  // one per check for a cancellation
  std::size_t step = 0;
  bool is_cancelled = false;

  World() {
    register_messages(config);
    system = std::make_unique<caf::actor_system>(config);
    recorder = std::make_unique<caf::scoped_actor>(*system);
    client = caf::actor_cast<ClientRoleActor>(caf::actor_cast<caf::strong_actor_ptr>(recorder->ptr()));
    callbacks.is_cancelled = [this] {
      if (step < steps.size()) steps[step++]();
      return is_cancelled;
    };
  }
  ~World() {
    client = nullptr;
    recorder.reset();
  }
  void accept(std::int64_t request, std::int64_t job) { waiter.on_report(JobAccepted{request, JobId{job}}); }
  void finish(std::int64_t request, Result<JobFinished> end) {
    waiter.on_report(RequestEnded{request, std::move(end)});
  }
  [[nodiscard]] Result<JobFinished> run_one() { return run_one_job(waiter, client, {}, callbacks); }
  [[nodiscard]] Result<std::vector<JobFinished>> run(std::size_t count) {
    return run_jobs(waiter, client, std::vector<SubmitJob>(count), callbacks);
  }
  [[nodiscard]] std::int64_t next_told() {
    std::int64_t request = -1;
    (*recorder)->receive([&](const RunJob& message) { request = message.job.request; });
    return request;
  }
};

BOOST_AUTO_TEST_CASE(results_are_returned_in_the_order_of_the_jobs) {
  World world;
  std::vector<std::size_t> numbers;
  std::vector<std::int64_t> finished;
  world.callbacks.on_job = [&](std::size_t number, JobId) { numbers.push_back(number); };
  world.callbacks.on_finished = [&](const JobFinished& end) { finished.push_back(end.job.value); };
  world.steps = {[&] {
    world.accept(1, 8);
    world.accept(0, 7);
    world.finish(1, end_of(8, "second"));
    world.finish(0, end_of(7, "first"));
  }};
  const auto ended = world.run(2);
  BOOST_REQUIRE(ended.has_value());
  BOOST_TEST(ended->at(0).text == "first");
  BOOST_TEST(ended->at(1).text == "second");
  BOOST_TEST((numbers == std::vector<std::size_t>{1, 0}));
  BOOST_TEST((finished == std::vector<std::int64_t>{8, 7}));
  BOOST_TEST(world.next_told() == 0);
  BOOST_TEST(world.next_told() == 1);
}

BOOST_AUTO_TEST_CASE(reports_of_an_earlier_wait_are_ignored) {
  World world;
  world.callbacks.on_progress = [](const JobProgress&) { throw std::runtime_error{"left"}; };
  world.steps = {[&] {
    world.accept(0, 4);
    world.waiter.on_report(JobProgress{JobId{4}, {}, 0, 0, {}});
  }};
  BOOST_CHECK_THROW((void)world.run_one(), std::runtime_error);
  world.finish(0, end_of(4, "former"));
  int shown = 0;
  world.callbacks.on_progress = [&shown](const JobProgress&) { ++shown; };
  world.step = 0;
  world.steps = {[&] {
    world.waiter.on_report(JobProgress{JobId{4}, {}, 0, 0, {}});
    world.finish(0, end_of(4, "late"));
    world.accept(0, 4);
    world.accept(1, 5);
    world.waiter.on_report(JobProgress{JobId{5}, {}, 0, 0, {}});
    world.finish(1, end_of(5, "own"));
  }};
  const auto end = world.run_one();
  BOOST_REQUIRE(end.has_value());
  BOOST_TEST(end->text == "own");
  BOOST_TEST(shown == 1);
}

BOOST_AUTO_TEST_CASE(a_cancellation_is_sent_once) {
  World world;
  world.is_cancelled = true;
  world.steps = {[] {}, [] {}, [&] { world.finish(0, end_of(0, "", JobStatus::cancelled)); }};
  const auto end = world.run_one();
  BOOST_REQUIRE(end.has_value());
  BOOST_TEST(world.next_told() == 0);
  int cancellations = 0;
  (*world.recorder)->receive([&](const CancelJobs&) { ++cancellations; });
  BOOST_TEST(cancellations == 1);
  BOOST_TEST(!(*world.recorder)->has_next_message());
}

BOOST_AUTO_TEST_CASE(a_cancellation_that_is_watched_is_not_polled_for) {
  World world;
  std::promise<void> is_waiting;
  std::atomic<int> looks{0};
  std::function<void()> notify;
  bool is_removed = false;
  world.callbacks.watch_cancellation = [&](std::function<void()> call) -> std::shared_ptr<void> {
    notify = std::move(call);
    return {&is_removed, [](bool* removed) { *removed = true; }};
  };
  world.steps = {[&] { is_waiting.set_value(); }, [] {}, [&] { world.finish(0, end_of(0, "", JobStatus::cancelled)); }};
  const auto steps = std::exchange(world.callbacks.is_cancelled, {});
  world.callbacks.is_cancelled = [&] { return ++looks, steps(); };
  int looks_before = 0;
  std::thread user{[&] {
    is_waiting.get_future().wait();
    ::poll(nullptr, 0, 300);
    looks_before = looks;
    world.is_cancelled = true;
    notify();
    while (looks < 2) std::this_thread::yield();  // below the quiet interval only after a notification
    notify();
  }};
  const auto end = world.run_one();
  user.join();
  BOOST_TEST(looks_before == 1);
  BOOST_REQUIRE(end.has_value());
  BOOST_TEST(world.next_told() == 0);
  int cancellations = 0;
  (*world.recorder)->receive([&](const CancelJobs&) { ++cancellations; });
  BOOST_TEST(cancellations == 1);
  BOOST_TEST(is_removed);
}

BOOST_AUTO_TEST_CASE(a_wait_ends_at_a_notification_that_came_before_it) {
  JobWaiter waiter;
  waiter.wake();
  BOOST_TEST(!waiter.next(1h).has_value());
  waiter.on_report(JobAccepted{0, JobId{1}});
  waiter.wake();
  BOOST_TEST(waiter.next(1h).has_value());
}

BOOST_AUTO_TEST_CASE(a_job_that_fails_by_a_lost_cluster_has_the_reason_of_the_loss) {
  for (const auto code : {Errc::unreachable, Errc::failed}) {
    World world;
    world.steps = {[&] {
      world.waiter.on_report(actors::ClusterUnusable{{code, "no node is left"}});
      world.finish(0, end_of(0, "failed"));
    }};
    const auto end = world.run_one();
    BOOST_TEST(end.has_value() == (code == Errc::failed));
    if (!end) BOOST_TEST((end.error() == Error{Errc::unreachable, "no node is left"}));
  }
}

BOOST_AUTO_TEST_CASE(each_job_that_fails_by_a_lost_cluster_is_unreachable) {
  for (const auto code : {Errc::unreachable, Errc::failed}) {
    World world;
    world.steps = {[&] {
      world.finish(0, end_of(0, "", JobStatus::succeeded));
      world.waiter.on_report(actors::ClusterUnusable{{code, "no node is left"}});
      world.finish(1, end_of(1, "failed"));
    }};
    const auto ends = world.run(2);
    BOOST_TEST_REQUIRE(ends.has_value());
    BOOST_TEST((ends->front().failure == FailureKind::none));
    BOOST_TEST((ends->back().failure == FailureKind::unreachable) == (code == Errc::unreachable));
  }
}

BOOST_AUTO_TEST_CASE(a_job_without_a_result_is_an_error) {
  World world;
  world.steps = {[&] {
    world.finish(0, end_of(0, "", JobStatus::succeeded));
    world.finish(1, Error{Errc::refused, "no such queue"});
  }};
  const auto ended = world.run(2);
  BOOST_REQUIRE(!ended.has_value());
  BOOST_TEST((ended.error() == Error{Errc::failed, "no such queue"}));
  world.steps = {[&] { world.finish(2, Error{Errc::unreachable, "no node is left"}); }};
  world.step = 0;
  BOOST_TEST((world.run(1).error() == Error{Errc::unreachable, "no node is left"}));
  world.steps = {[&] { world.finish(3, Error{Errc::refused, "no such queue"}); }};
  world.step = 0;
  BOOST_TEST((world.run_one().error().code == Errc::refused));
}

BOOST_AUTO_TEST_CASE(only_the_newest_progress_is_kept) {
  JobWaiter waiter;
  for (std::int32_t executors = 1; executors < 4; ++executors)
    waiter.on_report(JobProgress{JobId{0}, {}, executors, 0, {}});
  BOOST_TEST(std::get<JobProgress>(*waiter.next(0ms)).executors == 3);
  BOOST_TEST(!waiter.next(0ms).has_value());
}

BOOST_AUTO_TEST_CASE(a_session_without_waiting_thread_keeps_no_reports) {
  JobWaiter waiter;
  waiter.drop_reports();
  waiter.on_report(Notice{"nobody hears this"});
  waiter.on_report(actors::ApplicationOver{{Errc::refused, "there is no queue"}});
  BOOST_TEST(!waiter.next(0ms).has_value());
  BOOST_TEST(waiter.is_application_over());
}

BOOST_AUTO_TEST_CASE(the_wait_for_submission_ends_if_the_user_cancels) {
  int looks = 0;
  const IsCancelled at_third_look = [&looks] { return ++looks == 3; };
  JobWaiter waiter;
  BOOST_TEST((waiter.wait_for_submission(at_third_look).error().code == Errc::cancelled));
  waiter.on_report(actors::ApplicationSubmitted{});
  BOOST_TEST(waiter.wait_for_submission({}).has_value());
  looks = 0;
  BOOST_TEST((waiter.wait_for_answer(1h, at_third_look).error().code == Errc::cancelled));
  BOOST_TEST((waiter.wait_for_answer(0ms, {}).error().code == Errc::timed_out));
  waiter.on_report(ApplicationAccepted{});
  BOOST_TEST(waiter.wait_for_answer(0ms, {}).has_value());
  JobWaiter unreachable;
  unreachable.on_report(actors::ApplicationOver{{Errc::unreachable, "nobody answers"}});
  BOOST_TEST((unreachable.wait_for_submission({}).error() == Error{Errc::unreachable, "nobody answers"}));
}

}  // namespace
}  // namespace many_jobs_test
}  // namespace heddle::apps

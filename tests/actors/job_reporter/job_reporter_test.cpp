// Goal: each client that follows gets all reports, whenever it comes, and the application ends when none needs them any
// more. Method: clients that record what they hear, virtual time.
#include "actors/job_reporter/job_reporter.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>

#include "tests/support/actor_world.hpp"

namespace heddle::actors {
namespace job_reporter_test {
namespace {

using namespace std::chrono_literals;

JobFinished end_of(std::int64_t job, JobStatus status = JobStatus::succeeded) {
  JobFinished end;
  end.job = JobId{job};
  end.status = status;
  return end;
}

struct World : tests::ActorWorld {
  std::shared_ptr<int> ends = std::make_shared<int>(0);
  std::shared_ptr<bool> is_confirmed = std::make_shared<bool>(false);
  JobReporterActor reporter;

  explicit World(bool is_followed = true) {
    const auto on_over = [ends = ends, confirmed = is_confirmed](bool is_confirmed) {
      ++*ends;
      *confirmed = is_confirmed;
    };
    reporter = adopt(spawn_job_reporter(system(), {is_followed, on_over}, tools()));
    settle();
  }
};

BOOST_AUTO_TEST_CASE(a_client_that_comes_first_gets_each_report) {
  World world;
  auto& client = world.peer("client");
  world.say(client, world.reporter, FollowJobs{});
  BOOST_TEST(client.heard->empty());
  world.say(world.reporter, JobAccepted{0, JobId{4}});
  world.say(world.reporter, JobProgress{JobId{4}, {}, 1, 2, {}});
  world.say(world.reporter, Notice{"an executor is lost"});
  world.say(world.reporter, end_of(4));
  BOOST_TEST((client.last<JobAccepted>().job == JobId{4}));
  BOOST_TEST(client.last<JobProgress>().executors_wanted == 2);
  BOOST_TEST(client.last<Notice>().text == "an executor is lost");
  BOOST_TEST((client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(client.heard->size() == 4U);
}

BOOST_AUTO_TEST_CASE(a_client_that_comes_late_gets_the_newest_reports_of_each_job) {
  World world;
  world.say(world.reporter, JobAccepted{0, JobId{0}});
  world.say(world.reporter, JobAccepted{1, JobId{1}});
  world.say(world.reporter, JobProgress{JobId{0}, {}, 1, 2, {}});
  world.say(world.reporter, JobProgress{JobId{0}, {}, 2, 2, {}});
  world.say(world.reporter, end_of(0));
  world.say(world.reporter, end_of(7));  // was not accepted
  auto& client = world.peer("client");
  world.say(client, world.reporter, FollowJobs{});
  BOOST_TEST(client.count<JobAccepted>() == 2);
  BOOST_TEST(client.count<JobProgress>() == 1);
  BOOST_TEST(client.last<JobProgress>().executors == 2);
  BOOST_TEST(client.count<JobFinished>() == 1);
  BOOST_TEST((client.last<JobFinished>().job == JobId{0}));
}

BOOST_AUTO_TEST_CASE(the_application_ends_when_its_client_has_all_reports) {
  World world;
  auto& client = world.peer("client");
  world.say(client, world.reporter, FollowJobs{});
  world.say(world.reporter, JobsReported{});
  BOOST_TEST(*world.ends == 0);
  world.say(client, world.reporter, StopFollowing{});
  BOOST_TEST(*world.ends == 1);
  BOOST_TEST(*world.is_confirmed);
  world.say(world.reporter, end_of(0));
  world.advance(1h);
  BOOST_TEST(*world.ends == 1);
  BOOST_TEST(client.heard->empty());
}

BOOST_AUTO_TEST_CASE(the_application_ends_when_its_client_is_killed) {
  World world;
  auto& client = world.peer("client");
  world.say(client, world.reporter, FollowJobs{});
  world.say(world.reporter, JobsReported{});
  world.kill(client);
  BOOST_TEST(*world.ends == 1);
  BOOST_TEST(!*world.is_confirmed);
}

BOOST_AUTO_TEST_CASE(each_of_several_clients_is_waited_for) {
  World world;
  auto& one = world.peer("one");
  auto& other = world.peer("other");
  for (const auto* client : {&one, &other}) world.say(*client, world.reporter, FollowJobs{});
  world.say(one, world.reporter, FollowJobs{});  // repeated
  world.say(world.reporter, JobsReported{});
  world.say(one, world.reporter, StopFollowing{});
  BOOST_TEST(*world.ends == 0);
  world.kill(other);
  BOOST_TEST(*world.ends == 1);
}

BOOST_AUTO_TEST_CASE(a_client_that_never_comes_and_a_frozen_one_are_waited_for_with_a_limit) {
  World absent;
  absent.say(absent.reporter, JobsReported{});
  absent.advance(FollowerWait::arrival - 1s);
  BOOST_TEST(*absent.ends == 0);
  absent.advance(1s);
  BOOST_TEST(*absent.ends == 1);
  World frozen;
  frozen.say(frozen.peer("client"), frozen.reporter, FollowJobs{});
  frozen.say(frozen.reporter, JobsReported{});
  frozen.advance(FollowerWait::confirmation - 1s);
  frozen.say(frozen.reporter, JobReporterTick{99});  // of no timer
  BOOST_TEST(*frozen.ends == 0);
  frozen.advance(1s);
  BOOST_TEST(*frozen.ends == 1);
}

BOOST_AUTO_TEST_CASE(without_an_expected_client_the_application_ends_at_once) {
  World world{false};
  world.say(world.reporter, JobsReported{});
  BOOST_TEST(*world.ends == 1);
  BOOST_TEST(*world.is_confirmed);
}

}  // namespace
}  // namespace job_reporter_test
}  // namespace heddle::actors

// Goal: a client learns why its job does not run. Method: a fake client and a fake TaskTracker around one JobTracker,
// virtual time.
#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/actors/job_tracker/tracker_world.hpp"

namespace heddle::actors {
namespace job_waits_test {
namespace {

using tests::map_only_package;

/// The last reason of a wait that the client of the job got.
std::string last_wait(TrackerWorld& world, JobId job) {
  std::string text = "none";
  for (const auto& progress : world.client.all<JobProgress>())
    if (progress.job == job) text = progress.waiting;
  return text;
}

BOOST_AUTO_TEST_CASE(clients_get_progress_and_the_reason_of_a_wait) {
  TrackerWorld world;
  world.submit(map_only_package({{"a"}}));
  world.advance(1s);
  BOOST_TEST(world.client.last<JobProgress>().waiting == "no TaskTracker has registered yet");
  const int before = world.client.count<JobProgress>();
  world.advance(10s);
  BOOST_TEST(world.client.count<JobProgress>() == before);  // nothing changed
}

BOOST_AUTO_TEST_CASE(the_reason_of_a_wait_names_the_rule_and_its_numbers) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  world.submit(map_only_package({{"a"}, {"a"}}));
  const JobId second = world.submit(map_only_package({{"a"}}));
  world.beat(a);
  world.advance(1s);
  BOOST_TEST(last_wait(world, second) == "its job setup has not finished (rule SC-3)");
  world.succeed(a);  // the setup of the first job; that of the second one starts
  BOOST_TEST(world.succeed(a).launches.size() == 2U);
  world.beat(a);  // the TaskTracker reports both maps
  world.advance(1s);
  BOOST_TEST(last_wait(world, second) == "waits for a map slot: 2 of 2 are in use (rule JQ-5)");
}

}  // namespace
}  // namespace job_waits_test
}  // namespace heddle::actors

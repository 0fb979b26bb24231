// Goal: a job in a file runs as one in the message, and a file that cannot be used ends its job alone. Method:
// driver_world.hpp, with background work that runs at once or when the test lets it.
#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/actors/driver/driver_world.hpp"

namespace heddle::actors {
namespace driver_packages_test {
namespace {

JobPackage package_of(std::vector<StageDescription> stages) {
  JobPackage package;
  package.graph = {"job", "", std::move(stages)};
  package.splits.resize(package.graph.stages.size());
  return package;
}

StageDescription with_output() {
  auto stage = own_tasks("s", 1);
  stage.output = TextOutput{"/out", {}, {}, {}, {}, {}, {}};
  return stage;
}

JobFinished end_of(const DriverWorld& world) { return world.client.last<JobFinished>(); }

}  // namespace

BOOST_AUTO_TEST_CASE(a_job_in_a_file_runs_as_one_in_the_message) {
  DriverWorld world;
  world.package_files["/state/job"] = package_of({own_tasks("map", 1), after("reduce", 0, 1)});
  world.start();
  auto& executor = world.executor(1, 1);
  world.submit_file("/state/job");
  BOOST_TEST(world.client.count<JobAccepted>() == 1);
  world.report(executor, 1, DriverWorld::launched(executor).at(0), {});
  world.report(executor, 1, DriverWorld::launched(executor).at(1), {});
  BOOST_TEST((end_of(world).status == JobStatus::succeeded));
  BOOST_TEST(end_of(world).totals.tasks == 2);
  BOOST_TEST(world.events().count("job_submitted") == 1);
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_used_ends_its_job_alone_with_file_and_reason) {
  DriverWorld world;
  world.package_files["/state/empty"] = {};
  world.throwing_file = "/state/huge";
  world.start();
  auto& executor = world.executor(1, 2);
  world.submit({own_tasks("s", 1)});
  world.submit_file("/state/nowhere");
  BOOST_TEST((end_of(world).status == JobStatus::failed));
  BOOST_TEST(end_of(world).text == "cannot open '/state/nowhere'");
  world.submit_file("/state/empty");
  BOOST_TEST(end_of(world).text == "the job has no stages");
  world.submit_file("/state/huge");
  BOOST_TEST(end_of(world).text == "reading '/state/huge' failed: out of everything");
  BOOST_TEST(world.client.count<JobFinished>() == 3);
  BOOST_TEST(world.client.count<JobAccepted>() == 4);
  BOOST_TEST(world.commit.aborts == 0);
  world.report(executor, 1, DriverWorld::launched(executor).at(0), {});
  BOOST_TEST((end_of(world).status == JobStatus::succeeded));
  BOOST_TEST(world.events().count("job_submitted") == 4);
  BOOST_TEST(world.events().count("job_finished") == 4);
}

BOOST_AUTO_TEST_CASE(a_job_that_is_cancelled_while_its_file_is_read_starts_nothing) {
  DriverWorld world;
  world.package_files["/state/job"] = package_of({with_output()});
  world.start(true);
  auto& executor = world.executor(1, 1);
  world.submit_file("/state/job");
  world.say(world.client, world.driver, CancelJob{world.client.last<JobAccepted>().job, "enough"});
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  world.patient_background.let_go();
  world.settle();
  BOOST_TEST((end_of(world).status == JobStatus::cancelled));
  BOOST_TEST(end_of(world).text == "enough");
  BOOST_TEST(world.patient_background.waiting.empty());
  BOOST_TEST(DriverWorld::launched(executor).empty());
}

BOOST_AUTO_TEST_CASE(a_driver_that_stops_ends_the_jobs_whose_files_are_read_and_reads_no_more) {
  DriverWorld world;
  world.package_files["/state/job"] = package_of({own_tasks("s", 1)});
  world.start(true);
  world.submit_file("/state/job");
  world.say(world.client, world.driver, StopDriver{true, {}});
  world.submit_file("/state/job");
  BOOST_TEST(end_of(world).text == "the application is stopping; it accepts no more jobs");
  BOOST_TEST(world.patient_background.waiting.size() == 1U);
  world.patient_background.let_go();
  world.settle();
  BOOST_TEST(world.client.count<JobFinished>() == 2);
  BOOST_TEST(end_of(world).text == "the application was stopped before the job finished");
}

BOOST_AUTO_TEST_CASE(outputs_of_a_job_in_a_file_are_recovered_if_an_earlier_driver_had_it) {
  DriverWorld world;
  world.package_files["/state/job"] = package_of({with_output()});
  world.settings.application_attempt = 3;
  world.start();
  world.submit_file("/state/job");
  BOOST_TEST(world.commit.recovered_by == 0);
  world.submit_file("/state/job", 1);
  BOOST_TEST(world.commit.recovered_by == 3);
}

BOOST_AUTO_TEST_CASE(a_late_or_repeated_package_changes_nothing) {
  DriverWorld world;
  world.start(true);
  world.say(world.driver, PackageRead{JobId{7}, {}, "too late"});
  world.submit({with_output()});
  world.say(world.driver, PackageRead{world.client.last<JobAccepted>().job, {}, "too late"});
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  BOOST_TEST(world.events().count("job_submitted") == 1);
}

}  // namespace driver_packages_test
}  // namespace heddle::actors

// Goal: the applications of a Hadoop cluster are found, followed and killed. Method: a fake ResourceManager with a few
// applications.
#include "apps/session/yarn_applications.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>

#include "tests/support/fake_applications.hpp"

namespace heddle::apps {
namespace yarn_applications_test {
namespace {

using tests::FakeApplications;

/// Three applications: "words" of type HEDDLE runs, an older "words" and a "sort" of type SPARK have ended.
struct World {
  FakeApplications fake;
  std::unique_ptr<interop::YarnCluster> cluster;
  std::atomic<bool> is_cancelled{false};

  World() {
    fake.add(
        {{1700000000000, 3}, "words", "HEDDLE", interop::proto::APPLICATION_FINISHED, interop::proto::FINAL_FAILED});
    fake.add(
        {{1700000000000, 5}, "sort", "SPARK", interop::proto::APPLICATION_FINISHED, interop::proto::FINAL_SUCCEEDED});
    fake.add(
        {{1700000000000, 7}, "words", "HEDDLE", interop::proto::APPLICATION_RUNNING, interop::proto::FINAL_UNDEFINED});
    auto made = interop::YarnCluster::configure(100);
    BOOST_REQUIRE_MESSAGE(made.has_value(), (made ? "" : made.error().text));
    cluster = std::move(*made);
  }
  YarnApplications applications() {
    return {*cluster, [this] { return is_cancelled.load(); }, {}, {}};
  }
};

std::vector<std::int64_t> numbers(const Result<std::vector<ApplicationReport>>& listed) {
  std::vector<std::int64_t> made;
  for (const auto& each : *listed) made.push_back(each.id.number);
  return made;
}

BOOST_AUTO_TEST_CASE(a_list_has_running_applications_of_heddle_and_others_on_request) {
  World world;
  auto applications = world.applications();
  BOOST_TEST(numbers(applications.list(false, false)) == std::vector<std::int64_t>{7},
             boost::test_tools::per_element());
  BOOST_TEST(numbers(applications.list(false, true)) == (std::vector<std::int64_t>{3, 7}),
             boost::test_tools::per_element());
  BOOST_TEST(numbers(applications.list(true, true)) == (std::vector<std::int64_t>{3, 5, 7}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_unknown_application_is_answered_with_the_nearest_one) {
  World world;
  auto applications = world.applications();
  BOOST_TEST(applications.find("application_1700000000000_0007")->name == "words");
  const auto unknown = applications.find("application_1700000000000_0004");
  BOOST_TEST((unknown.error().code == Errc::not_found));
  BOOST_TEST(unknown.error().text ==
             "the ResourceManager does not know application_1700000000000_0004; the nearest one is "
             "application_1700000000000_0003 (\"words\" of ann, FINISHED)");
  const auto of_another = applications.find("application_1600000000000_0004");
  BOOST_TEST(of_another.error().text.find("the nearest one is application_1700000000000_0007") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_text_that_is_no_id_is_answered_with_the_id_it_may_mean) {
  World world;
  auto applications = world.applications();
  BOOST_TEST((applications.find("words").error().code == Errc::usage));
  BOOST_TEST(applications.find("words").error().text ==
             "\"words\" is no application id; the newest one with this name is application_1700000000000_0007 "
             "(\"words\" of ann, RUNNING)");
  BOOST_TEST(applications.find("aplication_1700000000000_0005").error().text ==
             "\"aplication_1700000000000_0005\" is no application id; did you mean "
             "\"application_1700000000000_0005\"?");
  BOOST_TEST(applications.find("x").error().text ==
             "\"x\" is no application id; heddle list --master yarn shows the ids");
}

BOOST_AUTO_TEST_CASE(details_have_attempts_and_containers_of_a_running_application) {
  World world;
  auto applications = world.applications();
  const auto running = applications.details(*applications.find("application_1700000000000_0007"));
  BOOST_REQUIRE_MESSAGE(running.has_value(), (running ? "" : running.error().text));
  BOOST_REQUIRE(running->attempts.size() == 1U);
  BOOST_TEST(running->attempts[0].container == "container_1700000000000_0007_01_000001");
  BOOST_REQUIRE(running->containers.size() == 2U);
  BOOST_TEST(running->containers[1].log ==
             "http://h2:8042/node/containerlogs/container_1700000000000_0007_01_000002/ann");
  const auto ended = applications.details(*applications.find("application_1700000000000_0003"));
  BOOST_TEST(ended->attempts.size() == 1U);
  BOOST_TEST(ended->containers.empty());
}

BOOST_AUTO_TEST_CASE(a_cancellation_is_repeated_until_the_application_has_ended) {
  World world;
  auto applications = world.applications();
  const auto killed = applications.cancel(*applications.find("application_1700000000000_0007"), "for a test");
  BOOST_REQUIRE_MESSAGE(killed.has_value(), (killed ? "" : killed.error().text));
  BOOST_TEST(killed->state == "KILLED");
  BOOST_TEST(killed->diagnostics == "for a test");
  BOOST_TEST(world.fake.count_of("forceKillApplication") == FakeApplications::kills_needed);
  BOOST_TEST(applications.cancel(*killed, "again")->state == "KILLED");  // nothing is sent
  BOOST_TEST(world.fake.count_of("forceKillApplication") == FakeApplications::kills_needed);
}

BOOST_AUTO_TEST_CASE(an_application_that_has_ended_cannot_be_cancelled) {
  World world;
  auto applications = world.applications();
  const auto refused = applications.cancel(*applications.find("application_1700000000000_0003"), "");
  BOOST_TEST((refused.error().code == Errc::refused));
  BOOST_TEST(refused.error().text ==
             "application_1700000000000_0003 has ended already, with status FAILED: there is nothing to cancel");
  BOOST_TEST(world.fake.count_of("forceKillApplication") == 0);
}

BOOST_AUTO_TEST_CASE(a_user_without_the_right_to_cancel_learns_why) {
  World world;
  world.fake.refuse_kills("User bob cannot perform operation MODIFY_APP on application_1700000000000_0007");
  auto applications = world.applications();
  const auto refused = applications.cancel(*applications.find("application_1700000000000_0007"), "");
  BOOST_TEST((refused.error().code == Errc::refused));
  BOOST_TEST(refused.error().text.find("User bob cannot perform operation MODIFY_APP") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_wait_reports_states_until_the_end) {
  World world;
  auto applications = world.applications();
  int reports = 0;
  const auto ended = applications.wait({1700000000000, 7}, Duration{1000}, [&](const ApplicationReport& report) {
    BOOST_TEST(report.state == "RUNNING");
    if (++reports == 3) world.fake.end({1700000000000, 7}, interop::proto::FINAL_SUCCEEDED);
  });
  BOOST_REQUIRE_MESSAGE(ended.has_value(), (ended ? "" : ended.error().text));
  BOOST_TEST(ended->final_status == "SUCCEEDED");
  BOOST_TEST(reports == 3);
}

BOOST_AUTO_TEST_CASE(a_cancelled_wait_leaves_the_application_alone) {
  World world;
  auto applications = world.applications();
  const auto ended = applications.wait({1700000000000, 7}, std::chrono::hours{1},
                                       [&](const ApplicationReport&) { world.is_cancelled = true; });
  BOOST_TEST((ended.error().code == Errc::cancelled));
  BOOST_TEST(world.fake.count_of("forceKillApplication") == 0);
}

}  // namespace
}  // namespace yarn_applications_test
}  // namespace heddle::apps

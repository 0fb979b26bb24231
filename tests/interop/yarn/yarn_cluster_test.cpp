// Goal: a client waits for a ResourceManager, says so once, and gives up. Method: a fake one that accepts connections
// and never answers.
#include "interop/yarn/yarn_cluster.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/support/fake_applications.hpp"

namespace heddle::interop {
namespace yarn_cluster_test {
namespace {

using tests::FakeApplications;

tests::FakeServerSettings silent() {
  tests::FakeServerSettings settings;
  settings.is_silent = true;
  return settings;
}

BOOST_AUTO_TEST_CASE(a_silent_resource_manager_is_named_once_and_ctrl_c_ends_the_wait) {
  BOOST_TEST(AnswerWait{}.notice_after.count() == 5'000);
  const FakeApplications fake{silent()};
  const auto cluster = YarnCluster::configure(900'000, {std::chrono::milliseconds{0}, std::chrono::milliseconds{1}});
  BOOST_REQUIRE_MESSAGE(cluster.has_value(), (cluster ? "" : cluster.error().text));
  std::vector<std::string> notices;
  int looks_after_notice = 0;
  const auto made =
      (*cluster)->new_application([&] { return !notices.empty() && ++looks_after_notice == 3; },  // Ctrl-C
                                  [&](const Notice& notice) { notices.push_back(notice.text); });
  BOOST_TEST((made.error().code == Errc::cancelled));
  BOOST_TEST(
      notices == std::vector<std::string>{"waiting up to 900 s for the ResourceManager: the ResourceManager does not "
                                          "answer"},
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_resource_manager_that_stays_silent_is_given_up_after_the_wait) {
  const FakeApplications fake{silent()};
  const auto cluster = YarnCluster::configure(1);
  BOOST_REQUIRE_MESSAGE(cluster.has_value(), (cluster ? "" : cluster.error().text));
  const auto made = (*cluster)->new_application({}, {});
  BOOST_TEST((made.error().code == Errc::timed_out));
  BOOST_TEST(made.error().text.find("ResourceManager") != std::string::npos, made.error().text);
}

}  // namespace
}  // namespace yarn_cluster_test
}  // namespace heddle::interop

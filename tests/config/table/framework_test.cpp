// Goal: each name of a framework is known under --framework and under Hadoop's key, and a wrong one is refused with the
// nearest choice. Method: plain calls.
#include "config/table/framework.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::config {
namespace framework_test {
namespace {

BOOST_AUTO_TEST_CASE(the_option_and_the_key_of_hadoop_name_the_same_frameworks) {
  BOOST_TEST((*parse_framework("driver") == Framework::driver));
  BOOST_TEST((*parse_framework("classic") == Framework::classic));
  BOOST_TEST((*parse_framework_name("local") == Framework::driver));
  BOOST_TEST((*parse_framework_name("classic") == Framework::classic));
}

BOOST_AUTO_TEST_CASE(other_names_are_refused_with_the_nearest_choice) {
  BOOST_TEST(parse_framework("clasic").error().text ==
             "--framework must be driver, classic or yarn, not \"clasic\"; did you mean \"classic\"?");
  BOOST_TEST(parse_framework("spark").error().text == "--framework must be driver, classic or yarn, not \"spark\"");
  BOOST_TEST(parse_framework_name("locale").error().text ==
             "mapreduce.framework.name must be local, classic or yarn, not \"locale\"; did you mean \"local\"?");
  BOOST_TEST((*parse_framework("yarn") == Framework::yarn));
  BOOST_TEST((*parse_framework_name("yarn") == Framework::yarn));
}

BOOST_AUTO_TEST_CASE(the_setting_selects_the_framework) {
  Settings settings;
  BOOST_TEST((framework_of(settings) == Framework::driver));
  BOOST_REQUIRE(settings.set("mapreduce.framework.name", "classic", Origin::command_line, "--set"));
  BOOST_TEST((framework_of(settings) == Framework::classic));
}

BOOST_AUTO_TEST_CASE(an_option_wins_over_the_command_line_then_the_topology_then_other_settings) {
  Settings settings;
  BOOST_REQUIRE(settings.set("mapreduce.framework.name", "classic", Origin::settings_file, "heddle.toml"));
  BOOST_TEST((choose_framework({}, {}, settings) == Framework::classic));
  BOOST_TEST((choose_framework({}, Framework::yarn, settings) == Framework::yarn));
  BOOST_REQUIRE(settings.set("mapreduce.framework.name", "local", Origin::command_line, "--set"));
  BOOST_TEST((choose_framework({}, Framework::yarn, settings) == Framework::driver));
  BOOST_TEST((choose_framework(Framework::classic, Framework::yarn, settings) == Framework::classic));
}

BOOST_AUTO_TEST_CASE(only_the_driver_without_hosts_of_a_topology_runs_on_every_master) {
  BOOST_TEST(to_string(usable_masters(Framework::driver, false)).find("local[N]") != std::string_view::npos);
  for (const auto framework : {Framework::driver, Framework::classic, Framework::yarn})
    BOOST_TEST(to_string(usable_masters(framework, true)) == "local-cluster[n,c,m]");
  BOOST_TEST(to_string(usable_masters(Framework::classic, false)) == "local-cluster[n,c,m]");
}

}  // namespace
}  // namespace framework_test
}  // namespace heddle::config

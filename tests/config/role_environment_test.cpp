// What a role's process is told through variables comes out as it went in.
#include "config/files/role_environment.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdlib>

namespace heddle::config {
namespace role_environment_test {

BOOST_AUTO_TEST_SUITE(environment_of_a_role)

BOOST_AUTO_TEST_CASE(racks_come_back_as_they_went) {
  for (const auto& racks :
       {std::map<std::string, std::string>{},
        std::map<std::string, std::string>{{"h1", "/rack 1"}, {"h2", "/rack=2"}, {"h3", "/default-rack"}}}) {
    const auto back = read_racks(write_racks(racks));
    BOOST_TEST((back == racks), write_racks(racks));
  }
}

BOOST_AUTO_TEST_CASE(settings_come_back_as_they_went) {
  Settings settings;
  BOOST_REQUIRE(settings.set("heddle.locality.wait", "7s", Origin::command_line, "--set").has_value());
  const auto back = read_settings(write_settings(settings));
  BOOST_REQUIRE(back.has_value());
  BOOST_TEST(back->effective("heddle.locality.wait").text == "7s");
  BOOST_TEST(!read_settings("no.such.key=1\n").has_value());
}

BOOST_AUTO_TEST_CASE(a_derived_setting_is_no_wish_of_the_user_in_the_other_process_either) {
  Settings settings;
  BOOST_REQUIRE(settings.set("heddle.executor.instances", "4", Origin::derived, "topology").has_value());
  const auto back = read_settings(write_settings(settings));
  BOOST_REQUIRE(back.has_value());
  BOOST_TEST(back->effective("heddle.executor.instances").text == "4");
  BOOST_TEST((back->effective("heddle.executor.instances").origin == Origin::derived));
}

BOOST_AUTO_TEST_CASE(a_value_of_several_lines_sets_no_other_key) {
  for (const std::string value : {"two\nheddle.locality.wait=9s", "C:\\new\\", "\\n", "\n"}) {
    Settings settings;
    BOOST_REQUIRE(settings.set("heddle.application.name", value, Origin::command_line, "--set").has_value());
    const auto back = read_settings(write_settings(settings));
    BOOST_REQUIRE(back.has_value());
    BOOST_TEST(back->effective("heddle.application.name").text == value);
    BOOST_TEST(!back->is_set("heddle.locality.wait"));
  }
}

BOOST_AUTO_TEST_CASE(what_is_hidden_is_read_here_and_inherited_by_nobody) {
  const auto* own = "HEDDLE_OWN_OF_A_USER";
  for (const auto* name : {"HEDDLE_TOKEN", "HEDDLE_DRIVER_ADDRESS", own}) ::setenv(name, "told", 1);
  hide_role_variables();
  for (const auto* name : {"HEDDLE_TOKEN", "HEDDLE_DRIVER_ADDRESS"}) {
    BOOST_TEST(role_variable(name) == "told");
    BOOST_TEST((std::getenv(name) == nullptr), name);
  }
  BOOST_TEST(std::getenv(own) == std::string{"told"});
  ::unsetenv(own);
}

BOOST_AUTO_TEST_CASE(a_number_that_is_none_is_the_other_one) {
  const auto* name = "HEDDLE_TEST_NUMBER";
  ::unsetenv(name);
  BOOST_TEST(role_number(name, 5) == 5);
  BOOST_TEST(role_variable(name).empty());
  for (const auto& [text, expected] :
       {std::pair{"12", 12}, std::pair{"-3", -3}, std::pair{"", 5}, std::pair{"twelve", 5}}) {
    ::setenv(name, text, 1);
    BOOST_TEST(role_number(name, 5) == expected, text);
  }
  ::unsetenv(name);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace role_environment_test
}  // namespace heddle::config

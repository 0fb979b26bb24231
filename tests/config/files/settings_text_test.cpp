// Settings survive the text that is passed to a role's process.
#include "config/files/settings_text.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::config {
namespace settings_text_test {

BOOST_AUTO_TEST_SUITE(text_of_settings)

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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace settings_text_test
}  // namespace heddle::config

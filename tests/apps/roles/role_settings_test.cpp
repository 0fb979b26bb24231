// Goal: settings reach the parameters of the deciders.
// Method: sets keys and checks fields.
#include "apps/roles/role_settings.hpp"

#include <boost/test/unit_test.hpp>

#include "config/table/settings.hpp"

namespace role_settings_test {

using namespace heddle;

namespace {

config::Settings settings_with(const std::vector<std::pair<std::string, std::string>>& values) {
  config::Settings settings;
  for (const auto& [key, value] : values)
    BOOST_REQUIRE(settings.set(key, value, config::Origin::command_line, "test").has_value());
  return settings;
}

// C-POOL-11
BOOST_AUTO_TEST_CASE(a_missing_pool_file_is_an_error_with_its_path) {
  const auto file = apps::read_pool_file("/nowhere/INVALID_FILE_NAME");
  BOOST_REQUIRE(!file.has_value());
  BOOST_TEST(file.error().text.find("/nowhere/INVALID_FILE_NAME") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(settings_of_exclusion_reach_the_task_scheduler) {
  for (const bool is_on : {false, true}) {
    const auto made = apps::driver_settings(
        settings_with({{"spark.excludeOnFailure.enabled", "true"},
                       {"spark.excludeOnFailure.application.fetchFailure.enabled", is_on ? "true" : "false"}}));
    BOOST_REQUIRE(made.task_scheduler.exclusion.has_value());
    BOOST_TEST(made.task_scheduler.exclusion->fetch_failure == is_on);
  }
}

}  // namespace
}  // namespace role_settings_test

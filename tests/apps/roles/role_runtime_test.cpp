// Goal: heddle.debug.check_invariants reaches the tools of each role process, and is off unless it is set.
// Method: the settings as a role process reads them from its launch spec.
#include "apps/roles/role_runtime.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>

#include "config/files/settings_text.hpp"
#include "runtime/event_log/event_log_writer.hpp"

namespace heddle::apps {
namespace role_runtime_test {
namespace {

BOOST_AUTO_TEST_CASE(the_setting_of_checks_reaches_the_tools_of_a_role) {
  for (const bool is_set : {false, true}) {
    config::Settings chosen;
    if (is_set)
      BOOST_REQUIRE(chosen.set("heddle.debug.check_invariants", "true", config::Origin::command_line, "test"));
    const auto received = config::read_settings(config::write_settings(chosen));
    BOOST_REQUIRE(received.has_value());
    RoleRuntime world{*received, std::make_unique<runtime::NoEvents>(), {{"cluster", "secret"}, "node-manager"}};
    BOOST_TEST(world.tools().checks_invariants == is_set);
  }
}

}  // namespace
}  // namespace role_runtime_test
}  // namespace heddle::apps

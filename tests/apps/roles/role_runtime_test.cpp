// Goal: heddle.debug.check_invariants reaches the tools of each role process; processes with one key reach each other,
// and no others do.
// Method: the settings as a role process reads them from its launch spec; two runtimes in one process.
#include "apps/roles/role_runtime.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "config/files/settings_text.hpp"
#include "runtime/event_log/event_log_writer.hpp"

namespace heddle::apps {
namespace role_runtime_test {
namespace {

using namespace std::chrono_literals;

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

/// True if a process with `key` gets a handle of the actor at the address.
bool reaches(const ports::TransportKey& key, const std::string& address) {
  RoleRuntime world{{}, std::make_unique<runtime::NoEvents>(), {key, "node-manager"}};
  caf::scoped_actor self{world.system()};
  bool is_found = false;
  self->request(world.tools().connector, 20s, ConnectPeer{address, 0})
      .receive([&](const caf::strong_actor_ptr& actor) { is_found = actor != nullptr; }, [](const caf::error&) {});
  caf::anon_send_exit(world.tools().connector, caf::exit_reason::user_shutdown);
  return is_found;
}

BOOST_AUTO_TEST_CASE(only_a_process_with_the_key_of_the_cluster_reaches_its_roles) {
  const ports::TransportKey key{"cluster_1", "secret"};
  RoleRuntime server{{}, std::make_unique<runtime::NoEvents>(), {key, "resource-manager"}};
  const auto connector = server.tools().connector;  // any actor
  const auto address = server.publish(connector);
  BOOST_TEST(address.starts_with("127.0.0.1:"));
  BOOST_TEST(reaches(key, address));
  BOOST_TEST(!reaches({"cluster_1", "guessed"}, address));
  BOOST_TEST(!reaches({"cluster_2", "secret"}, address));
  BOOST_TEST(server.tools().peers != nullptr);
  caf::anon_send_exit(connector, caf::exit_reason::user_shutdown);
}

BOOST_AUTO_TEST_CASE(the_settings_of_the_driver_say_where_it_listens_and_is_found) {
  config::Settings chosen;
  for (const auto& [name, value] : std::map<std::string, std::string>{{"heddle.driver.bind_address", "0.0.0.0"},
                                                                      {"heddle.driver.host", "localhost"}})
    BOOST_REQUIRE(chosen.set(name, value, config::Origin::command_line, "test"));
  for (const bool has_driver : {true, false}) {
    RoleRuntime world{chosen, std::make_unique<runtime::NoEvents>(), {{"cluster", "secret"}, "client", has_driver}};
    const auto connector = world.tools().connector;
    BOOST_TEST(world.publish(connector).starts_with(has_driver ? "localhost:" : "127.0.0.1:"));
    caf::anon_send_exit(connector, caf::exit_reason::user_shutdown);
  }
}

// The settings of a client are about its own host.
BOOST_AUTO_TEST_CASE(a_driver_on_another_host_than_its_client_listens_where_its_node_is) {
  config::Settings chosen;
  BOOST_REQUIRE(chosen.set("heddle.driver.host", "client.example", config::Origin::command_line, "test"));
  NetworkPlace place{{"cluster", "secret"}, "application-master", true};
  place.host = "127.0.0.2";
  RoleRuntime world{chosen, std::make_unique<runtime::NoEvents>(), place};
  BOOST_TEST(world.publish(world.tools().connector).starts_with("127.0.0.2:"));
  world.stop_connecting();
}

}  // namespace
}  // namespace role_runtime_test
}  // namespace heddle::apps

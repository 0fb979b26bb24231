// Goal: a Driver that is not reached at first gets its jobs all the same, each once.
// Method: a real actor system, with a connector that fails once and a Driver that counts what it is sent.
#include "apps/session/remote_driver.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <memory>

#include "messages/registration.hpp"

namespace heddle::apps {
namespace remote_driver_test {
namespace {

struct FailsOnce {
  caf::actor_system_config config;
  std::unique_ptr<caf::actor_system> system;
  FailsOnce() {
    register_messages(config);
    system = std::make_unique<caf::actor_system>(config);
  }
};

PeerConnectorActor::behavior_type connect_second_time(PeerConnectorActor::pointer, int* connects,
                                                      const caf::strong_actor_ptr& driver) {
  return {
      [connects, driver](const ConnectPeer&) -> caf::result<caf::strong_actor_ptr> {
        if (++*connects == 1) return caf::make_error(caf::sec::cannot_connect_to_node);
        return driver;
      },
      [](const RetryConnect&) {},
  };
}

BOOST_AUTO_TEST_CASE(a_job_is_submitted_once_a_driver_that_was_not_reached_can_be) {
  FailsOnce world;
  caf::scoped_actor driver{*world.system};
  int connects = 0;
  const auto peer = caf::actor_cast<caf::strong_actor_ptr>(driver.ptr());
  const auto connector = world.system->spawn(connect_second_time, &connects, peer);
  {
    RemoteDriver remote{*world.system, connector, caf::actor_cast<ClientActor>(peer)};
    SubmitJob job;
    job.request = 3;
    remote.submit(job);
    remote.on_driver_ready(DriverReady{AttemptId{{1000, 1}, 2}, "driver:2"});
    BOOST_TEST(!remote.handle());
    while (!remote.handle()) remote.connect_again();
    BOOST_TEST(connects == 2);
    for (int look = 0; look < 3; ++look) remote.connect_again();
    BOOST_TEST(connects == 2);
    driver->receive([](const SubmitJob& told) { BOOST_TEST(told.request == 3); });
    BOOST_TEST(remote.job(3).earlier_drivers == 1);
  }
  caf::anon_send_exit(connector, caf::exit_reason::user_shutdown);
}

}  // namespace
}  // namespace remote_driver_test
}  // namespace heddle::apps

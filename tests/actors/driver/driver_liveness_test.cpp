// Goal: silent executors are lost, in time and with all they ran, and others are not.
// Method: fake executors around one Driver, virtual time; the numbered cases of Spark's heartbeat receiver.
#include <boost/test/unit_test.hpp>

#include "actors/driver/driver.hpp"
#include "tests/support/actor_world.hpp"

namespace heddle::actors {
namespace {

using namespace std::chrono_literals;

class NoBackground final : public ports::Background {
public:
  void run(std::function<void()> work) override { work(); }
};

struct LivenessWorld : tests::ActorWorld {
  NoBackground background;
  DriverActor driver;
  std::map<std::int64_t, Epoch> epochs;

  LivenessWorld() {
    DriverSettings settings;
    settings.build_id = "same";
    settings.allocation.dynamic = false;
    settings.allocation.executors_initial = 2;
    settings.executor_timeout = 10s;
    driver = adopt(spawn_driver(system(), settings, tools(), {nullptr, &background}));
    settle();
    for (const std::int64_t id : {1, 2}) {
      auto& executor = peer("executor-" + std::to_string(id));
      const auto host = "h" + std::to_string(id);
      say(executor, driver, RegisterExecutor{ExecutorId{id}, 1, host, {NodeId{id}, Epoch{1}, host, "", "/" + host}, "same"});
      epochs[id] = executor.last<RegisteredExecutor>().epoch;
    }
  }
  void beat(std::int64_t id) { say(peer("executor-" + std::to_string(id)), driver, Heartbeat{ExecutorId{id}, epochs[id]}); }
};

// C-HB-03: a silence of exactly the time-out is none yet.
BOOST_AUTO_TEST_CASE(an_executor_is_lost_after_its_timeout_and_not_at_it) {
  LivenessWorld world;
  world.advance(5s);
  world.beat(1);
  world.advance(5s);
  BOOST_TEST(world.events().count("executor_lost") == 0);
  world.advance(1ms);
  BOOST_TEST(world.events().count("executor_lost") == 1);
  world.advance(4999ms);
  BOOST_TEST(world.events().count("executor_lost") == 1);
  world.advance(1ms);
  BOOST_TEST(world.events().count("executor_lost") == 2);
}

}  // namespace
}  // namespace heddle::actors

// Goal: a task holds the device addresses that it needs from its launch to its end, and no other task has them
// meanwhile. Method: fake executors that register with devices, virtual time.
#include "tests/actors/driver/driver_world.hpp"

namespace heddle::actors {
namespace driver_devices_test {
namespace {

using namespace std::chrono_literals;
using Addresses = std::vector<std::string>;

struct DevicesWorld : DriverWorld {
  explicit DevicesWorld(double amount) {
    settings.devices = {{"fpga", 1}, {"gpu", amount}};
    settings.executor_timeout = 10s;
    settings.intervals.progress = 1s;
    settings.queue_ahead = 10;
    start();
  }
  tests::Peer& executor(std::int64_t id, std::int32_t cores, const Addresses& gpus) {
    return DriverWorld::executor(id, cores,
                                 {{"gpu", gpus}, {"fpga", {"f0", "f1", "f2", "f3"}}, {"nobody needs it", {"0"}}});
  }
  /// The addresses of each task, in order of the launches.
  static std::vector<Addresses> gpus(const tests::Peer& executor) {
    std::vector<Addresses> held;
    for (const auto& range : launched(executor)) {
      BOOST_TEST(range.devices.size() == static_cast<std::size_t>(range.count));
      for (const auto& devices : range.devices) {
        BOOST_TEST_REQUIRE(devices.kinds.size() == 2U);
        BOOST_TEST(devices.kinds[0].name == "fpga");
        BOOST_TEST(devices.kinds[0].addresses.size() == 1U);
        BOOST_TEST(devices.kinds[1].name == "gpu");
        held.push_back(devices.kinds[1].addresses);
      }
    }
    return held;
  }
  static TaskRange task(std::int32_t index) { return {{JobId{0}, StageId{0}, 0}, index, 1, 0, {}}; }
};

}  // namespace

BOOST_AUTO_TEST_CASE(tasks_hold_devices_and_release_them_when_they_end) {
  DevicesWorld world{1};
  auto& executor = world.executor(1, 4, {"a", "b"});
  world.submit({own_tasks("s", 5)});
  BOOST_TEST((DevicesWorld::gpus(executor) == std::vector<Addresses>{{"a"}, {"b"}}));
  world.report(executor, 1, DevicesWorld::task(1), {});
  BOOST_TEST((DevicesWorld::gpus(executor) == std::vector<Addresses>{{"a"}, {"b"}, {"b"}}));
  world.report(executor, 1, DevicesWorld::task(0), failure("broken"));
  BOOST_TEST((DevicesWorld::gpus(executor).back() == Addresses{"a"}));
  BOOST_TEST(DevicesWorld::gpus(executor).size() == 4U);
  world.advance(2s);
  BOOST_TEST(world.client.last<JobProgress>().waiting.find("but not the other resources of a task") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_task_gets_several_devices_and_tasks_share_one_device) {
  DevicesWorld whole{2};
  auto& first = whole.executor(1, 4, {"a", "b", "c", "d", "e"});
  whole.submit({own_tasks("s", 4)});
  BOOST_TEST((DevicesWorld::gpus(first) == std::vector<Addresses>{{"a", "b"}, {"c", "d"}}));
  DevicesWorld shared{0.5};
  auto& second = shared.executor(1, 4, {"a", "b"});
  shared.submit({own_tasks("s", 4)});
  BOOST_TEST((DevicesWorld::gpus(second) == std::vector<Addresses>{{"a"}, {"a"}, {"b"}, {"b"}}));
}

BOOST_AUTO_TEST_CASE(an_executor_without_the_devices_gets_no_task) {
  DevicesWorld world{1};
  auto& without = world.executor(1, 4, {});
  world.submit({own_tasks("s", 1)});
  BOOST_TEST(DriverWorld::launched(without).empty());
  auto& with = world.executor(2, 1, {"a"});
  BOOST_TEST(DevicesWorld::gpus(with).size() == 1U);
}

BOOST_AUTO_TEST_CASE(devices_of_a_lost_executor_are_free_after_it_registers_again) {
  DevicesWorld world{1};
  auto& executor = world.executor(1, 1, {"a"});
  const auto former = executor.last<RegisteredExecutor>().epoch;
  world.submit({own_tasks("s", 1)});
  world.advance(11s);
  BOOST_TEST(world.events().count("executor_lost") == 1);
  world.say(executor, world.driver, Heartbeat{ExecutorId{1}, former});
  BOOST_TEST(executor.count<RegisterAgain>() == 1);
  executor.clear();
  world.executor(1, 1, {"a"});
  BOOST_TEST((DevicesWorld::gpus(executor) == std::vector<Addresses>{{"a"}}));
  auto again = DevicesWorld::task(0);
  again.attempt = 1;
  world.report(executor, 1, again, {});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
}

}  // namespace driver_devices_test
}  // namespace heddle::actors

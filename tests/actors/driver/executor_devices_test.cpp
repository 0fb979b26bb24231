// Goal: held and free shares of an executor's devices always add up to what it registered. Method: a numbered case of
// Spark's scheduler backend, and random launches and ends.
#include "actors/driver/executor_devices.hpp"

#include <boost/test/unit_test.hpp>
#include <random>

namespace heddle::actors {
namespace executor_devices_test {
namespace {

using Addresses = std::vector<std::string>;

Addresses free_of(const ExecutorDevices& devices, const Addresses& names) {
  Addresses free;
  for (const auto& share : devices.offered()->free)
    if (share.share == policies::whole_address) free.push_back(names.at(static_cast<std::size_t>(share.address)));
  return free;
}

}  // namespace

// C-BE-03c, without the times of requests, which the Driver does not keep.
BOOST_AUTO_TEST_CASE(a_task_holds_a_device_address_from_launch_to_end) {
  const Addresses names{"0", "1", "3"};
  ExecutorDevices devices{{{"gpu", 1}}, {{"gpu", names}}};
  const std::vector<policies::TaskResource> need{{0, 1}};
  const auto shares = policies::assign_resources(devices.offered()->free, need);
  BOOST_REQUIRE(shares);
  const auto held = devices.assign(policies::LaunchId{5}, *shares);
  BOOST_TEST_REQUIRE(held.kinds.size() == 1U);
  BOOST_TEST(held.kinds[0].addresses == Addresses{"0"}, boost::test_tools::per_element());
  BOOST_TEST(free_of(devices, names) == (Addresses{"1", "3"}), boost::test_tools::per_element());
  BOOST_TEST(devices.slots({{"gpu", 1}}, 4, 1) == 3);  // slots of the idle executor
  devices.release(policies::LaunchId{6});
  BOOST_TEST(free_of(devices, names).size() == 2U);
  devices.release(policies::LaunchId{5});
  devices.release(policies::LaunchId{5});
  BOOST_TEST(free_of(devices, names) == names, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(device_kinds_that_no_task_needs_are_not_offered) {
  BOOST_TEST(ExecutorDevices({}, {{"gpu", {"0"}}}).offered() == nullptr);
  const ExecutorDevices devices{{{"fpga", 1}, {"gpu", 1}}, {{"gpu", {"0", "1"}}, {"other", {"0"}}}};
  BOOST_TEST_REQUIRE(devices.offered()->free.size() == 2U);
  BOOST_TEST(devices.offered()->free[0].kind == 1);
  BOOST_TEST(devices.slots({{"fpga", 1}, {"gpu", 1}}, 4, 1) == 0);
}

BOOST_AUTO_TEST_CASE(random_launches_and_ends_neither_lose_nor_duplicate_a_share) {
  std::mt19937_64 random{11};
  for (int turn = 0; turn < 50; ++turn) {
    const double amount = std::vector<double>{0.25, 0.5, 1, 2}[random() % 4];
    ExecutorDevices devices{{{"gpu", amount}}, {{"gpu", {"a", "b", "c", "d"}}}};
    const std::vector<policies::TaskResource> need{{0, amount}};
    std::vector<policies::LaunchId> live;
    for (std::int64_t id = 0; id < 100; ++id) {
      if (const auto shares = policies::assign_resources(devices.offered()->free, need); shares && random() % 2 == 0) {
        devices.assign(policies::LaunchId{id}, *shares);
        live.emplace_back(id);
      } else if (!live.empty()) {
        const auto at = live.begin() + static_cast<std::ptrdiff_t>(random() % live.size());
        devices.release(*at);
        live.erase(at);
      }
      std::int64_t free = 0;
      for (const auto& share : devices.offered()->free) {
        BOOST_TEST_REQUIRE((share.share >= 0 && share.share <= policies::whole_address));
        free += share.share / (policies::whole_address / 4);
      }
      BOOST_TEST_REQUIRE(free + static_cast<std::int64_t>(static_cast<double>(live.size()) * amount * 4) == 16);
    }
  }
}

}  // namespace executor_devices_test
}  // namespace heddle::actors

// Goal: containers of executors request the other resources of the configuration under YARN's names. Method: the
// numbered cases of the Spark specification, through the allocator's next call; then random amounts.
#include "policies/containers/requested_resources.hpp"

#include <boost/test/unit_test.hpp>
#include <random>

#include "model/resource_text.hpp"
#include "policies/containers/container_allocator.hpp"

namespace heddle::policies {
namespace requested_resources_test {
namespace {

/// Other resources than memory and cores of each ask of the first call.
ResourceAmounts asked(const ResourceAmounts& others) {
  ContainerAllocatorSettings settings;
  settings.default_profile.resource.others = others;
  ContainerAllocator allocator{{settings, RackTable{}}};
  ContainerEffects effects;
  ExecutorTotals requested;
  requested.totals[ProfileId{0}] = 1;
  BOOST_REQUIRE(allocator.apply(Instant{}, container_input::TotalsRequested{requested}, effects));
  const AllocateCall call = allocator.apply(Instant{}, container_input::CallDue{}, effects);
  BOOST_REQUIRE(!call.asks.empty());
  for (const ProfileAsk& ask : call.asks) BOOST_TEST((ask.resource == call.asks.front().resource));
  return call.asks.front().resource.others;
}

// C-YA-24: resource gpu with the amount 2G.
BOOST_AUTO_TEST_CASE(what_is_named_for_yarn_is_asked_for_with_its_unit) {
  const auto wanted = requested_others({{"gpu", *read_resource_amount("2G")}}, {}, {});
  BOOST_TEST((asked(wanted) == ResourceAmounts{{"gpu", 2'000'000'000}}));
}

// C-YA-25: gpu 3, fpga 2, yarn.io/madeup 5.
BOOST_AUTO_TEST_CASE(devices_of_spark_are_asked_for_under_their_names_of_yarn) {
  const auto wanted = requested_others({{"yarn.io/madeup", 5}}, {{"gpu", 3}, {"fpga", 2}, {"other", 7}}, {});
  BOOST_TEST((asked(wanted) == ResourceAmounts{{"yarn.io/fpga", 2}, {"yarn.io/gpu", 3}, {"yarn.io/madeup", 5}}));
}

// C-YA-26: custom/gpu and custom/fpga.
BOOST_AUTO_TEST_CASE(the_names_of_yarn_can_be_others) {
  const auto wanted = requested_others({}, {{"gpu", 3}, {"fpga", 2}}, {"custom/gpu", "custom/fpga"});
  BOOST_TEST((asked(wanted) == ResourceAmounts{{"custom/fpga", 2}, {"custom/gpu", 3}}));
}

BOOST_AUTO_TEST_CASE(what_has_no_name_or_no_amount_is_not_asked_for) {
  BOOST_TEST(requested_others({{"license", 0}}, {{"gpu", 3}, {"fpga", 0}}, {"", "yarn.io/fpga"}).empty());
}

// For any names: each resource once, sorted by name, with an amount; a device's amount overrides that of its YARN name.
BOOST_AUTO_TEST_CASE(random_requests_name_each_kind_once_and_devices_first) {
  std::mt19937 random{7};
  const auto number = [&random](std::int64_t below) { return static_cast<std::int64_t>(random()) % below; };
  for (int round = 0; round < 500; ++round) {
    std::vector<ResourceAmount> named;
    for (std::int64_t i = number(6); i > 0; --i) named.push_back({"kind" + std::to_string(number(4)), number(3)});
    const std::map<std::string, std::int64_t> devices{{"gpu", number(3)}, {"fpga", number(3)}, {"other", 9}};
    const DeviceResourceNames names{"kind" + std::to_string(number(4)),
                                    number(2) == 0 ? "" : "kind" + std::to_string(4 + number(2))};
    const auto wanted = requested_others(named, devices, names);
    const auto& rows = wanted.rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      BOOST_TEST(rows[i].amount > 0);
      if (i > 0) BOOST_TEST(rows[i - 1].name < rows[i].name);
    }
    if (devices.at("gpu") > 0) BOOST_TEST(wanted.of(names.gpu) == devices.at("gpu"));
    if (!names.fpga.empty()) BOOST_TEST(wanted.of(names.fpga) == devices.at("fpga"));
    for (const auto& [name, amount] : named) BOOST_TEST((amount == 0 || wanted.of(name) > 0));
  }
}

}  // namespace
}  // namespace requested_resources_test
}  // namespace heddle::policies

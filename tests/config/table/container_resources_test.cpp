// Goal: other resource types of containers and nodes are set by name, under heddle's names and those of Spark and YARN.
// Method: tables of names and values; a value that Spark refuses is refused with the name to use instead.
#include "config/table/container_resources.hpp"

#include <boost/test/unit_test.hpp>

#include "config/files/settings_sources.hpp"
#include "config/files/settings_text.hpp"
#include "config/spark/spark_rules.hpp"
#include "config/table/setting_rows.hpp"
#include "config/table/settings_rules.hpp"

namespace heddle::config {
namespace container_resources_test {
namespace {

Result<Done> set(Settings& settings, const std::string& key, const std::string& value) {
  return settings.set(key, value, Origin::command_line, "--set");
}

BOOST_AUTO_TEST_CASE(amounts_are_gathered_by_kind_under_either_name) {
  Settings settings;
  BOOST_TEST(set(settings, "spark.yarn.executor.resource.yarn.io/madeup.amount", "2G").has_value());
  BOOST_TEST(set(settings, "heddle.executor.container_resource.license.amount", "1").has_value());
  BOOST_TEST(set(settings, "spark.yarn.am.resource.license.amount", "3").has_value());
  BOOST_TEST(set(settings, "spark.yarn.driver.resource.a.b.amount", "4Ki").has_value());
  BOOST_TEST(set(settings, "yarn.nodemanager.resource-type.yarn.io/gpu", " 8 ").has_value());
  const ContainerResources expected{
      {{"license", 1}, {"yarn.io/madeup", 2'000'000'000}}, {{"license", 3}}, {{"a.b", 4096}}, {{"yarn.io/gpu", 8}}};
  BOOST_TEST((container_resources(settings) == expected));
  BOOST_TEST(validate(settings).has_value());
  BOOST_TEST(settings.effective("heddle.executor.container_resource.yarn.io/madeup.amount").text == "2000000000");
  const auto elsewhere = read_settings(write_settings(settings));
  BOOST_REQUIRE(elsewhere.has_value());
  BOOST_TEST((container_resources(*elsewhere) == expected));
}

BOOST_AUTO_TEST_CASE(what_is_no_kind_or_no_amount_is_refused) {
  Settings settings;
  for (const auto* unknown :
       {"heddle.executor.container_resource..amount", "heddle.executor.container_resource.9gpu.amount",
        "heddle.executor.container_resource.a b.amount", "heddle.executor.container_resource.-/gpu.amount",
        "heddle.executor.container_resource.gpu.amounts", "heddle.executor.container_resource.amount",
        "spark.yarn.executor.resource.gpu", "yarn.nodemanager.resource-type.",
        "heddle.executor.resource.yarn.io/gpu.amount", "heddle.task.resource.a=b.amount"})
    BOOST_TEST(!set(settings, unknown, "1").has_value(), unknown);
  const auto misspelt = set(settings, "heddle.executor.container_resource.yarn.io/gpu.amout", "1");
  BOOST_TEST(misspelt.error().text.find("did you mean \"heddle.executor.container_resource.NAME.amount\"") !=
             std::string::npos);
  const auto unreadable = set(settings, "heddle.node_manager.resource.yarn.io/gpu", "2X");
  BOOST_TEST(
      unreadable.error().text ==
      "heddle.node_manager.resource.yarn.io/gpu: \"2X\" is not an amount; expected: a whole number, with k, M, G, "
      "T, P, Ki, Mi, Gi, Ti or Pi");
}

BOOST_AUTO_TEST_CASE(memory_cores_and_devices_are_said_in_their_own_places) {
  const std::vector<std::array<std::string, 2>> rows{
      {"spark.yarn.executor.resource.memory-mb.amount",
       "do not use heddle.executor.container_resource.memory-mb.amount, please use heddle.executor.memory instead"},
      {"spark.yarn.executor.resource.cpu-vcores.amount", "please use heddle.executor.cores instead"},
      {"spark.yarn.am.resource.mb.amount", "please use heddle.master.memory instead"},
      {"spark.yarn.driver.resource.cores.amount", "please use heddle.master.cores instead"},
      {"yarn.nodemanager.resource-type.vcores",
       "do not use heddle.node_manager.resource.vcores, please use heddle.node_manager.cores instead"},
      {"spark.yarn.executor.resource.yarn.io/gpu.amount", "please use heddle.executor.resource.gpu.amount instead"},
      {"spark.yarn.executor.resource.yarn.io/fpga.amount", "please use heddle.executor.resource.fpga.amount instead"}};
  for (const auto& [key, sentence] : rows) {
    Settings settings;
    BOOST_TEST(set(settings, key, "1").has_value());
    const auto checked = validate(settings);
    BOOST_REQUIRE(!checked.has_value());
    BOOST_TEST((checked.error().text.find(sentence) != std::string::npos), checked.error().text);
  }
}

BOOST_AUTO_TEST_CASE(devices_stand_for_the_kinds_that_are_named_for_them) {
  Settings settings;
  BOOST_TEST(set(settings, "spark.yarn.resourceGpuDeviceName", "custom/gpu").has_value());
  BOOST_TEST(set(settings, "spark.yarn.executor.resource.yarn.io/gpu.amount", "1").has_value());
  BOOST_TEST(validate(settings).has_value());
  BOOST_TEST(set(settings, "spark.yarn.executor.resource.custom/gpu.amount", "1").has_value());
  BOOST_TEST(!validate(settings).has_value());
  Settings wrong;
  BOOST_TEST(set(wrong, "heddle.device.fpga.container_resource", "my fpga").has_value());
  BOOST_TEST(broken_rules(wrong).size() == 1U);
  Settings kinds;
  BOOST_TEST(set(kinds, "yarn.resource-types", "yarn.io/gpu, license,").has_value());
  BOOST_TEST((counted_kinds(kinds) == std::vector<std::string>{"yarn.io/gpu", "license"}));
  BOOST_TEST(validate(kinds).has_value());
  BOOST_TEST(set(kinds, "yarn.resource-types", "memory-mb").has_value());
  BOOST_TEST(broken_rules(kinds).size() == 1U);
}

BOOST_AUTO_TEST_CASE(behind_a_kind_stands_its_amount_as_spark_says_it) {
  const auto missing = broken_spark_rules({{"spark.yarn.executor.resource.gpu", "1", "f:1"}});
  BOOST_REQUIRE(missing.size() == 1U);
  BOOST_TEST(missing.front() == "missing suffix for spark.yarn.executor.resource.gpu, you must specify one: .amount");
  const auto other = broken_spark_rules({{"spark.yarn.am.resource.yarn.io/gpu.vendor", "1", "f:1"}});
  BOOST_REQUIRE(other.size() == 1U);
  BOOST_TEST(other.front() ==
             "unsupported suffix: vendor in: spark.yarn.am.resource.yarn.io/gpu.vendor, only .amount is supported");
  BOOST_TEST(broken_spark_rules({{"spark.yarn.driver.resource.yarn.io/gpu.amount", "1", "f:1"}}).empty());
}

}  // namespace
}  // namespace container_resources_test
}  // namespace heddle::config

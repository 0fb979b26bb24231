#include "config/table/container_resources.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "config/table/setting_rows.hpp"
#include "config/text/value_text.hpp"
#include "model/resource_text.hpp"

namespace heddle::config {
namespace {

constexpr std::string_view executor_key = "heddle.executor.container_resource.NAME.amount";
constexpr std::string_view master_key = "heddle.master.container_resource.NAME.amount";
constexpr std::string_view driver_key = "heddle.driver.container_resource.NAME.amount";
constexpr std::string_view node_key = "heddle.node_manager.resource.NAME";

std::vector<ResourceAmount> amounts(const Settings& settings, std::string_view family_key) {
  std::vector<ResourceAmount> made;
  for (const auto& [key, value] : settings.changes())
    if (const auto name = name_in_family(family_key, key); !name.empty())
      made.push_back({std::string{name}, *parse_integer(value)});
  return made;
}

/// A family of keys with NAME, and the keys to use for memory and cores instead.
struct Family {
  std::string_view prefix;
  std::string_view suffix;
  std::string_view memory_key;
  std::string_view cores_key;
};

void check_family(const Family& family, const std::vector<ResourceAmount>& named, std::vector<std::string>& misplaced) {
  for (const auto& [name, amount] : named) {
    const auto key = is_memory_name(name)  ? family.memory_key
                     : is_cores_name(name) ? family.cores_key
                                           : std::string_view{};
    if (!key.empty())
      misplaced.push_back(
          fmt::format("do not use {}{}{}, please use {} instead", family.prefix, name, family.suffix, key));
  }
}

void check_devices(const Settings& settings, const std::vector<ResourceAmount>& named,
                   std::vector<std::string>& misplaced) {
  const auto section = settings.container_resource();
  const std::array<std::pair<std::string_view, std::string>, 2> mapped{
      {{"gpu", section.gpu_kind}, {"fpga", section.fpga_kind}}};
  for (const auto& [device, kind] : mapped) {
    if (!kind.empty() && !is_resource_name(kind))
      misplaced.push_back(
          fmt::format("heddle.device.{}.container_resource (\"{}\") is not a resource name", device, kind));
    for (const auto& [name, amount] : named)
      if (name == kind)
        misplaced.push_back(
            fmt::format("do not use heddle.executor.container_resource.{}.amount, please use "
                        "heddle.executor.resource.{}.amount instead",
                        name, device));
  }
}

}  // namespace

ContainerResources container_resources(const Settings& settings) {
  return {amounts(settings, executor_key), amounts(settings, master_key), amounts(settings, driver_key),
          amounts(settings, node_key)};
}

std::vector<std::string> counted_kinds(const Settings& settings) {
  return comma_separated(settings.resource_manager().resource_kinds);
}

std::vector<std::string> misplaced_resources(const Settings& settings) {
  const auto named = container_resources(settings);
  std::vector<std::string> misplaced;
  constexpr std::string_view amount = ".amount";
  check_family({"heddle.executor.container_resource.", amount, "heddle.executor.memory", "heddle.executor.cores"},
               named.executor, misplaced);
  check_family({"heddle.master.container_resource.", amount, "heddle.master.memory", "heddle.master.cores"},
               named.master, misplaced);
  check_family({"heddle.driver.container_resource.", amount, "heddle.master.memory", "heddle.master.cores"},
               named.driver, misplaced);
  check_family({"heddle.node_manager.resource.", "", "heddle.node_manager.memory", "heddle.node_manager.cores"},
               named.node, misplaced);
  check_devices(settings, named.executor, misplaced);
  for (const auto& kind : counted_kinds(settings))
    if (!is_resource_name(kind) || is_memory_name(kind) || is_cores_name(kind))
      misplaced.push_back(
          fmt::format("heddle.resource_manager.resource_kinds has \"{}\", which is not the name of a resource type "
                      "besides memory and cores",
                      kind));
  return misplaced;
}

}  // namespace heddle::config

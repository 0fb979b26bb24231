#include "config/table/device_requests.hpp"

#include <set>
#include <string_view>

#include "config/text/value_text.hpp"

namespace heddle::config {
namespace {

constexpr std::string_view task_prefix = "heddle.task.resource.";
constexpr std::string_view executor_prefix = "heddle.executor.resource.";

std::set<std::string> names_of_devices(const Settings& settings) {
  std::set<std::string> names;
  for (const auto& [key, value] : settings.changes())
    for (const auto start : {task_prefix, executor_prefix})
      if (key.starts_with(start)) names.insert(key.substr(start.size(), key.rfind('.') - start.size()));
  return names;
}

}  // namespace

std::vector<DeviceRequest> device_requests(const Settings& settings) {
  std::vector<DeviceRequest> requests;
  for (const auto& name : names_of_devices(settings)) {
    const auto of_executor = [&](std::string_view key) {
      return settings.effective(std::string{executor_prefix} + name + "." + std::string{key}).text;
    };
    DeviceSettings section;
    section.task_amount = *parse_real(settings.effective(std::string{task_prefix} + name + ".amount").text);
    section.executor_amount = *parse_integer(of_executor("amount"));
    section.discovery_script = of_executor("discovery_script");
    section.addresses = of_executor("addresses");
    requests.push_back({name, section.task_amount, section.executor_amount, section.discovery_script,
                        comma_separated(section.addresses)});
  }
  return requests;
}

}  // namespace heddle::config

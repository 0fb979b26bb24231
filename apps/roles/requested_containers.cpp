#include "apps/roles/requested_containers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "config/table/container_resources.hpp"
#include "config/table/device_requests.hpp"
#include "policies/containers/requested_resources.hpp"

namespace heddle::apps {
namespace {

/// Without the types that the cluster does not count.
ResourceAmounts counted(const config::Settings& settings, const ResourceAmounts& named) {
  const auto kinds = config::counted_kinds(settings);
  ResourceAmounts others;
  for (const auto& [name, amount] : named)
    if (std::find(kinds.begin(), kinds.end(), name) != kinds.end()) others.set(name, amount);
  return others;
}

ResourceAmounts requested(const config::Settings& settings, const std::vector<ResourceAmount>& named) {
  std::map<std::string, std::int64_t> devices;
  for (const auto& request : config::device_requests(settings)) devices.emplace(request.name, request.executor_amount);
  const auto section = settings.container_resource();
  return counted(settings, policies::requested_others(named, devices, {section.gpu_kind, section.fpga_kind}));
}

}  // namespace

ResourceAmounts executor_others(const config::Settings& settings) {
  return requested(settings, config::container_resources(settings).executor);
}

ResourceAmounts device_others(const config::Settings& settings) { return requested(settings, {}); }

ResourceAmounts master_others(const config::Settings& settings, bool holds_driver) {
  const auto named = config::container_resources(settings);
  return counted(settings, ResourceAmounts{holds_driver ? named.driver : named.master});
}

}  // namespace heddle::apps

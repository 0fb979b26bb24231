#include "apps/roles/container_extras.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "config/table/container_resources.hpp"
#include "config/table/device_requests.hpp"
#include "policies/containers/requested_extras.hpp"

namespace heddle::apps {
namespace {

/// Removes kinds that the cluster does not count, and amounts of 0.
ExtraResources counted(const config::Settings& settings, ExtraResources extras) {
  const auto kinds = config::counted_kinds(settings);
  std::erase_if(extras, [&](const ExtraResource& extra) {
    return extra.amount == 0 || std::find(kinds.begin(), kinds.end(), extra.name) == kinds.end();
  });
  return extras;
}

ExtraResources requested(const config::Settings& settings, const ExtraResources& named) {
  std::map<std::string, std::int64_t> devices;
  for (const auto& request : config::device_requests(settings)) devices.emplace(request.name, request.executor_amount);
  const auto section = settings.container_resource();
  return counted(settings, policies::requested_extras(named, devices, {section.gpu_kind, section.fpga_kind}));
}

}  // namespace

ExtraResources executor_extras(const config::Settings& settings) {
  return requested(settings, config::container_resources(settings).executor);
}

ExtraResources device_extras(const config::Settings& settings) { return requested(settings, {}); }

ExtraResources master_extras(const config::Settings& settings, bool holds_driver) {
  const auto named = config::container_resources(settings);
  return counted(settings, holds_driver ? named.driver : named.master);
}

std::string extras_text(const ExtraResources& extras) {
  std::string text;
  for (const auto& [name, amount] : extras) text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", amount, name);
  return text;
}

}  // namespace heddle::apps

#include "config/table/derived_settings.hpp"

#include <algorithm>

namespace heddle::config {

ExclusionSettings exclusion_rules(const Settings& settings) {
  auto rules = settings.exclusion();
  if (rules.legacy_timeout > Duration{0}) {
    if (!settings.is_set("heddle.exclusion.enabled")) {
      if (!settings.is_set("heddle.exclusion.application.enabled")) rules.application_enabled = true;
      if (!settings.is_set("heddle.exclusion.task_and_stage.enabled")) rules.task_and_stage_enabled = true;
    }
    if (!settings.is_set("heddle.exclusion.timeout")) rules.timeout = rules.legacy_timeout;
  }
  return rules;
}

YarnAllocatorSettings allocator_rules(const Settings& settings) {
  auto rules = settings.yarn_allocator();
  rules.heartbeat_interval = std::min(rules.heartbeat_interval, settings.resource_manager().master_timeout / 2);
  rules.initial_interval = std::min(rules.initial_interval, rules.heartbeat_interval);
  return rules;
}

MapReduceMasterSettings map_reduce_master_rules(const Settings& settings) {
  auto rules = settings.map_reduce_master();
  rules.heartbeat_interval = std::min(rules.heartbeat_interval, settings.resource_manager().master_timeout / 2);
  return rules;
}

Duration connection_silence(const Settings& settings) {
  constexpr Duration margin = std::chrono::seconds{30};  // for the role to act and to notify its peer
  const auto cluster = settings.resource_manager();
  const auto longest = std::max({settings.driver().executor_timeout, cluster.node_timeout, cluster.master_timeout});
  return std::max(settings.network().silence, longest + margin);
}

}  // namespace heddle::config

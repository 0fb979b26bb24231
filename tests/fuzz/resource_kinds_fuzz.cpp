// Names of resource types in keys of settings, in node settings, and in queue limits: a name is either invalid or
// passes unchanged through every list and line.
#include "config/files/settings_text.hpp"
#include "config/hadoop/fair_scheduler_xml.hpp"
#include "config/table/container_resources.hpp"
#include "config/table/setting_rows.hpp"
#include "model/resource_text.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace config = heddle::config;

namespace {

void try_key(const std::string& key) {
  config::Settings settings;
  if (config::find_setting(key) == nullptr) return;  // the search for suggestions is slow and covered by other targets
  if (!settings.set(key, "2k", config::Origin::command_line, "--set")) return;
  const auto elsewhere = config::read_settings(config::write_settings(settings));
  HEDDLE_ASSERT(elsewhere && elsewhere->changes() == settings.changes(), key);
  HEDDLE_ASSERT(config::container_resources(*elsewhere) == config::container_resources(settings), key);
  static_cast<void>(config::misplaced_resources(settings));
}

}  // namespace

HEDDLE_FUZZ_TARGET(resource_kinds) {
  const std::string text{input};
  for (const auto* prefix : {"heddle.executor.container_resource.", "spark.yarn.am.resource.", "spark.task.resource."})
    try_key(prefix + text + ".amount");
  try_key("yarn.nodemanager.resource-type." + text);
  if (const auto resource = heddle::read_resource(input))
    HEDDLE_ASSERT(*heddle::read_resource(heddle::to_text(*resource)) == *resource, text);
  if (heddle::is_resource_name(input)) HEDDLE_ASSERT(heddle::read_resource(text + "=3").has_value(), text);
  if (const auto amount = heddle::read_resource_amount(input)) HEDDLE_ASSERT(*amount >= 0, text);
  for (const auto& missing : {config::unlimited, heddle::Resource{}})
    if (const auto limit = config::read_configured_resource(input, missing)) {
      const auto now = limit->of({1 << 20, 64});
      HEDDLE_ASSERT(now.memory_mib >= 0 && now.cores >= 0, text);
      HEDDLE_ASSERT(limit->of_kind("test1", 7).value_or(0) >= 0, text);
    }
}

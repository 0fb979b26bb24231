// Finds the files that hold settings and lays them over each other: --set, job file, heddle.toml, spark-defaults.conf,
// defaults.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/table/master.hpp"
#include "config/table/setting_entry.hpp"
#include "config/table/settings.hpp"
#include "config/text/environment.hpp"
#include "model/result.hpp"

namespace heddle::config {

struct SettingsRequest {
  std::vector<std::string> assignments;   // KEY=VALUE as given with --set
  std::vector<SettingEntry> job_entries;  // [settings] of the job file
  std::optional<Master> master;
  std::string working_folder;  // where heddle.toml is looked for first
  Environment environment;
};

struct LoadedSettings {
  Settings settings;
  std::vector<std::string> warnings;  // one sentence per file: keys of Spark's that heddle does not honour
  std::vector<std::string> files;     // read, strongest first
};

/// A wrong key or value is an error that names its place; keys of spark-defaults.conf that are unknown, and words there
/// that heddle has no counterpart for, are named once as a warning. Ends with the rules that join settings.
Result<LoadedSettings> load_settings(const SettingsRequest& request);

/// A sentence about $HADOOP_CONF_DIR or $YARN_CONF_DIR, which only a topology reads; empty where neither is set.
[[nodiscard]] std::string unread_hadoop_folder(const Environment& environment);

/// "KEY=VALUE" in two; a usage error without =.
Result<SettingEntry> split_assignment(std::string_view assignment, std::string_view option);

/// Entries of a heddle.toml: at its top, or in a [settings] table as in a job file.
Result<std::vector<SettingEntry>> parse_settings_file(const std::string& name, std::string_view content);

}  // namespace heddle::config

// Reads all sources of settings. Precedence: --set, --master, job file, heddle.toml, spark-defaults.conf, defaults.
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
  std::vector<std::string> assignments;   // KEY=VALUE of each --set
  std::vector<SettingEntry> job_entries;  // [settings] of the job file
  std::optional<MasterUrl> master;
  std::string working_folder;  // first folder to search for heddle.toml
  Environment environment;
};

struct LoadedSettings {
  Settings settings;
  std::vector<std::string> warnings;  // one per file, with the Spark keys that heddle ignores
  std::vector<std::string> files;     // that were read, highest precedence first
};

/// Reads and merges all sources, then checks the rules over several settings (settings_rules.hpp). An unknown key or a
/// wrong value fails with Errc::usage and its file and line. Exception: in spark-defaults.conf, unknown keys and
/// choices without a counterpart give one warning.
Result<LoadedSettings> load_settings(const SettingsRequest& request);

/// A notice if $HADOOP_CONF_DIR or $YARN_CONF_DIR is set (only a topology file reads that folder); empty otherwise.
[[nodiscard]] std::string unread_hadoop_folder(const Environment& environment);

/// Splits "KEY=VALUE"; Errc::usage without a key or without =.
Result<SettingEntry> split_assignment(std::string_view assignment, std::string_view option);

/// Entries of a heddle.toml, at its top level or in a [settings] table.
Result<std::vector<SettingEntry>> parse_settings_file(const std::string& name, std::string_view content);

}  // namespace heddle::config

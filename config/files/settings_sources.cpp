#include "config/files/settings_sources.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "config/files/toml_reader.hpp"
#include "config/spark/spark_defaults.hpp"
#include "config/spark/spark_rules.hpp"
#include "config/table/setting_rows.hpp"
#include "config/table/settings_rules.hpp"
#include "config/text/text_file.hpp"

namespace heddle::config {
namespace {

Result<Done> add_entries(Settings& settings, const std::vector<SettingEntry>& entries, Origin origin) {
  for (const auto& entry : entries)
    if (const auto done = settings.set(entry.key, entry.value, origin, entry.place); !done)
      return Error{done.error().code, fmt::format("{}: {}", entry.place, done.error().text)};
  return Done{};
}

/// Content of an optional file.
Result<std::optional<std::string>> read_optional(const std::string& path) {
  auto content = read_text_file(path);
  if (content) return std::optional<std::string>{std::move(*content)};
  if (content.error().code == Errc::not_found) return std::optional<std::string>{};
  return content.error();
}

/// Removes folders that this user may not enter, such as HOME after a change of the user: their settings are those of
/// another user. A file in an open folder that cannot be read is an error.
void remove_if_closed(std::string& folder, std::vector<std::string>& warnings) {
  std::error_code failure;
  if (!folder.empty()) static_cast<void>(std::filesystem::status(folder + "/.", failure));
  if (failure != std::errc::permission_denied) return;
  warnings.push_back(fmt::format("{}: {}; no settings are read from it", folder, failure.message()));
  folder.clear();
}

Result<Done> add_spark_defaults(LoadedSettings& loaded, const std::string& folder) {
  if (folder.empty()) return Done{};
  const auto path = folder + "/spark-defaults.conf";
  const auto content = read_optional(path);
  if (!content) return content.error();
  if (!content->has_value()) return Done{};
  loaded.files.push_back(path);
  std::vector<std::string> ignored;
  const auto entries = parse_spark_defaults(path, **content);
  if (const auto broken = broken_spark_rules(entries); !broken.empty())
    return Error{Errc::usage,
                 fmt::format("{}: Spark does not start with these settings: {}", path, fmt::join(broken, "; "))};
  for (const auto& entry : entries) {
    const auto* row = find_setting(entry.key);
    const bool has_counterpart =
        row != nullptr && (row->kind != SettingKind::choice || normalized_value(*row, entry.value).has_value());
    if (!has_counterpart) {
      ignored.push_back(row == nullptr ? entry.key : fmt::format("{}={}", entry.key, entry.value));
      continue;
    }
    if (const auto done = add_entries(loaded.settings, {entry}, Origin::spark_defaults); !done) return done.error();
  }
  if (!ignored.empty()) loaded.warnings.push_back(fmt::format("{}: heddle ignores {}", path, fmt::join(ignored, ", ")));
  return Done{};
}

/// If no pool file is set, uses fairscheduler.xml of the Spark configuration folder, as Spark does.
Result<Done> add_pool_file(LoadedSettings& loaded, const std::string& folder) {
  if (folder.empty() || loaded.settings.task_scheduler().mode != "FAIR") return Done{};
  const auto path = folder + "/fairscheduler.xml";
  const auto content = read_optional(path);
  if (!content) return content.error();
  return content->has_value() ? loaded.settings.set("heddle.scheduler.pool_file", path, Origin::derived, folder)
                              : Done{};
}

Result<Done> add_settings_file(LoadedSettings& loaded, const SettingsRequest& request) {
  for (const auto& folder : {request.working_folder, request.environment.config_folder}) {
    if (folder.empty()) continue;
    const auto path = folder + "/heddle.toml";
    const auto content = read_optional(path);
    if (!content) return content.error();
    if (!content->has_value()) continue;
    loaded.files.push_back(path);
    const auto entries = parse_settings_file(path, **content);
    if (!entries) return entries.error();
    return add_entries(loaded.settings, *entries, Origin::settings_file);
  }
  return Done{};
}

Result<Done> add_assignments(Settings& settings, const std::vector<std::string>& assignments) {
  for (const auto& assignment : assignments) {
    const auto entry = split_assignment(assignment, "--set");
    if (!entry) return entry.error();
    if (const auto done = add_entries(settings, {*entry}, Origin::command_line); !done) return done.error();
  }
  return Done{};
}

}  // namespace

std::string unread_hadoop_folder(const Environment& environment) {
  const auto& folder = environment.hadoop_conf_folder;
  if (folder.empty()) return {};
  return fmt::format(
      "{0} is set, but only --master yarn and a topology file read a Hadoop folder: add hadoop_conf = \"{1}\" to the "
      "topology; heddle mapreduce reads a file of it with -conf {1}/mapred-site.xml",
      environment.hadoop_conf_variable, folder);
}

Result<SettingEntry> split_assignment(std::string_view assignment, std::string_view option) {
  const auto equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return Error{Errc::usage, fmt::format("{} needs KEY=VALUE, not \"{}\"", option, assignment)};
  return SettingEntry{std::string{assignment.substr(0, equals)}, std::string{assignment.substr(equals + 1)},
                      std::string{option}};
}

Result<std::vector<SettingEntry>> parse_settings_file(const std::string& name, std::string_view content) {
  TomlReader reader{name, content};
  // Also accepts a [settings] table, so that settings can be copied from a job file or a topology.
  auto root = reader.root();
  std::vector<SettingEntry> entries;
  if (const auto* settings = reader.table(root, "settings")) entries = read_setting_entries(reader, *settings);
  root.erase("settings");
  const auto others = read_setting_entries(reader, root);
  entries.insert(entries.end(), others.begin(), others.end());
  if (reader.error()) return *reader.error();
  return entries;
}

Result<LoadedSettings> load_settings(const SettingsRequest& wanted) {
  LoadedSettings loaded;
  auto request = wanted;
  remove_if_closed(request.environment.config_folder, loaded.warnings);
  remove_if_closed(request.environment.spark_conf_folder, loaded.warnings);
  if (const auto done = add_settings_file(loaded, request); !done) return done.error();
  if (const auto done = add_spark_defaults(loaded, request.environment.spark_conf_folder); !done) return done.error();
  if (const auto done = add_entries(loaded.settings, request.job_entries, Origin::job_file); !done) return done.error();
  if (request.master)
    if (const auto done = apply_master(loaded.settings, *request.master); !done) return done.error();
  if (const auto done = add_assignments(loaded.settings, request.assignments); !done) return done.error();
  if (const auto done = add_pool_file(loaded, request.environment.spark_conf_folder); !done) return done.error();
  if (const auto done = validate(loaded.settings); !done) return done.error();
  return loaded;
}

}  // namespace heddle::config

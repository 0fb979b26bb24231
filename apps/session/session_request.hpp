// From what a user asked for to what a session is opened with: master, topology and settings, each from where it counts
// most.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/session/session.hpp"
#include "config/table/setting_entry.hpp"

namespace heddle::apps {

struct SessionRequest {
  std::string name;                                                // of the application
  std::optional<config::MasterUrl> master;                         // none: of the topology's hosts, else local[*]
  bool is_cluster_deploy = false;                                  // the Driver in the master container
  std::string topology;                                            // path; empty: none
  std::vector<std::string> assignments;                            // KEY=VALUE, strongest
  std::vector<config::SettingEntry> entries;                       // [settings] of a job file
  std::vector<std::pair<std::string, std::string>> weak_settings;  // hold where nothing else names the key
};

struct PreparedSession {
  SessionOptions options;
  std::vector<std::string> warnings;
};

/// Reads the files that hold settings, and the topology. An error names its place.
[[nodiscard]] Result<PreparedSession> prepare_session(const SessionRequest& request);

/// The folder in which this process works; not_found where it has been removed.
[[nodiscard]] Result<std::string> current_folder();

/// Processors of this machine, at least 1.
[[nodiscard]] std::int32_t processors();

}  // namespace heddle::apps

// Computes the options of a session (master URL, topology, settings) from a user's request, by the precedence of their
// sources.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/session/session.hpp"
#include "config/table/setting_entry.hpp"

namespace heddle::apps {

struct SessionRequest {
  std::string name;                           // application name
  std::optional<config::MasterUrl> master;    // none: cluster of the topology's hosts, otherwise local[*]
  bool is_cluster_deploy = false;             // the Driver runs in the master container
  std::string topology;                       // path; empty: none
  std::vector<std::string> assignments;       // KEY=VALUE of --set, highest precedence
  std::vector<config::SettingEntry> entries;  // [settings] of a job file
  std::vector<std::pair<std::string, std::string>> fallback_settings;  // lowest precedence
  bool is_map_reduce = false;                                          // it has a framework
  std::optional<config::Framework> framework = {};                     // absent: the setting decides
};

struct PreparedSession {
  SessionOptions options;
  std::vector<std::string> warnings;
};

/// Reads the settings files and the topology file. An error has file and line.
[[nodiscard]] Result<PreparedSession> prepare_session(const SessionRequest& request);

/// Current working folder; Errc::not_found if it was removed.
[[nodiscard]] Result<std::string> current_folder();

/// Number of processors of this machine, at least 1.
[[nodiscard]] std::int32_t processors();

}  // namespace heddle::apps

// The job file: a graph of stages in TOML, and the settings that belong to it (product page 5).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/table/setting_entry.hpp"
#include "model/job_graph.hpp"
#include "model/result.hpp"

namespace heddle::config {

struct JobFile {
  JobGraph graph;  // parents first; stages of equal standing in the order of the file
  std::vector<SettingEntry> settings;
};

/// Errors name file, line and column, and for an unknown key the nearest known one. `name` is what the user called the
/// file.
Result<JobFile> parse_job_file(const std::string& name, std::string_view content);

/// Reads the file; a missing one is not_found.
Result<JobFile> read_job_file(const std::string& path);

}  // namespace heddle::config

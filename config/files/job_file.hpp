// Reader of the job file: a graph of stages in TOML, with its settings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/table/setting_entry.hpp"
#include "model/job_graph.hpp"
#include "model/result.hpp"

namespace heddle::config {

struct JobFile {
  JobGraph graph;  // parents first, otherwise in the order of the file
  std::vector<SettingEntry> settings;
};

/// Parses a job file. Fails with Errc::usage; the text has file, line and column, and for an unknown key the closest
/// known one. `name`: path for error texts.
Result<JobFile> parse_job_file(const std::string& name, std::string_view content);

/// Reads and parses the file; Errc::not_found if it does not exist.
Result<JobFile> read_job_file(const std::string& path);

}  // namespace heddle::config

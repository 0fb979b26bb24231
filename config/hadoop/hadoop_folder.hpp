// Reads a Hadoop configuration folder that a topology names: core-site.xml, hdfs-site.xml, mapred-site.xml,
// yarn-site.xml, resource-types.xml, node-resources.xml, the queue file and the rack table. Properties without a
// counterpart in heddle give a warning. Values may refer to properties of all site files and to environment variables.
#pragma once

#include <string>
#include <vector>

#include "config/hadoop/rack_table.hpp"
#include "config/table/setting_entry.hpp"
#include "model/result.hpp"

namespace heddle::config {

struct HadoopFolder {
  std::vector<SettingEntry> settings;  // scheduler, queue file, and each property that is an alias of a setting
  std::vector<SettingEntry> job_keys;  // that heddle mapreduce reads (is_job_key), by their names of Hadoop 3
  RackTable racks;
  std::vector<std::string> warnings;  // one per file, with the properties that heddle ignores
};

/// Missing files are skipped; Errc::not_found if all are missing. The queue file is the one of yarn-site.xml, otherwise
/// fair-scheduler.xml or capacity-scheduler.xml in the folder, as in Hadoop. Errors name the file.
[[nodiscard]] Result<HadoopFolder> read_hadoop_folder(const std::string& folder);

}  // namespace heddle::config

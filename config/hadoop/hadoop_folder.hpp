// A folder of Hadoop's configuration (core-site.xml, hdfs-site.xml, mapred-site.xml, yarn-site.xml, resource-types.xml,
// node-resources.xml, queue files, rack table), as far as heddle has counterparts: for topologies that name one. A
// value may refer to values of any of the site files and to the environment.
#pragma once

#include <string>
#include <vector>

#include "config/hadoop/rack_table.hpp"
#include "config/table/setting_entry.hpp"
#include "model/result.hpp"

namespace heddle::config {

struct HadoopFolder {
  std::vector<SettingEntry>
      settings;  // the scheduler, its queue file and every property that is another name of a setting
  RackTable racks;
  std::vector<std::string> warnings;  // one sentence per file: properties that heddle does not honour
};

/// Files that are not there are passed over; a folder without any of them is an error. Queue files are found as Hadoop
/// finds them: the one that yarn-site.xml names, else fair-scheduler.xml or capacity-scheduler.xml here. A wrong file
/// is an error that names it.
[[nodiscard]] Result<HadoopFolder> read_hadoop_folder(const std::string& folder);

}  // namespace heddle::config

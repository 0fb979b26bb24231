// The file systems of a process: those that its settings describe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "config/table/settings.hpp"
#include "interop/hadoop/hadoop_site.hpp"
#include "work/files/file_systems.hpp"

namespace heddle::apps {

/// Where paths without scheme are.
enum class PathRules : std::uint8_t {
  local,
  hadoop  // on fs.defaultFS of HADOOP_CONF_DIR; relative paths start at /user/NAME
};

/// Value of heddle.hdfs.site: HDFS as this configuration describes it.
[[nodiscard]] std::string hdfs_site_text(const interop::HadoopSite& site);

/// `is_cancelled`: called on any thread; true ends a wait for a NameNode in safe mode, or
/// for the lock of an output.
[[nodiscard]] work::FileSystems file_systems_of(const config::Settings& settings, PathRules rules = PathRules::local,
                                                const std::function<bool()>& is_cancelled = {});

}  // namespace heddle::apps

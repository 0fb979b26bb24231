// The topology file: racks, hosts, what they offer and hold, and the applications that run there (product page 5).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/table/setting_entry.hpp"
#include "model/extra_resource.hpp"
#include "model/resources.hpp"
#include "model/result.hpp"
#include "model/time.hpp"

namespace heddle::config {

/// One NodeManager. In real processes its name is a label for locality.
struct TopologyHost {
  std::string name;
  std::string rack;
  Resource resource;
  double speed = 1.0;           // a task on a host of speed 0.5 takes twice its time
  bool has_own_memory = false;  // the file says it; otherwise a Hadoop folder may
  bool has_own_cores = false;
  std::optional<ExtraResources> extras = {};  // beside memory and cores; none said: as the settings have it
};

/// Hosts that hold the blocks of some input: block i of a matching file is on the hosts of the ith entry, then again
/// from the first.
struct TopologyReplica {
  std::string input;                            // a path or glob, as in a job file
  std::vector<std::vector<std::string>> hosts;  // per block, in turn
};

/// An application that `run --topology FILE` submits.
struct TopologyApplication {
  std::string name;
  std::string user;
  std::string queue;
  Duration submit_at{};
  std::vector<std::string>
      jobs;  // paths of job files, submitted together; relative ones start at the topology file's folder
  std::vector<SettingEntry> settings;
};

struct TopologyFile {
  std::vector<TopologyHost> hosts;  // in the order of the file
  std::vector<TopologyReplica> replicas;
  std::vector<TopologyApplication> applications;
  std::vector<SettingEntry> settings;  // those of the Hadoop folder first: later ones count
  std::string hadoop_folder;  // as written: Hadoop's configuration; relative paths start at the topology file's folder
  std::string rack_table;     // as written: a file that places hosts whose rack is not said
  std::vector<std::string> warnings;
};

/// The rack of a host that the topology does not place.
inline constexpr std::string_view default_rack = "/default-rack";

Result<TopologyFile> parse_topology_file(const std::string& name, std::string_view content);
Result<TopologyFile> read_topology_file(const std::string& path);

}  // namespace heddle::config

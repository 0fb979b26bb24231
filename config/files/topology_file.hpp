// Reader of the topology file: racks, hosts, their resources and blocks, and the applications to run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/table/framework.hpp"
#include "config/table/setting_entry.hpp"
#include "model/resources.hpp"
#include "model/result.hpp"
#include "model/time.hpp"

namespace heddle::config {

/// One NodeManager or TaskTracker. All of them run on this machine; the host name is only a label for locality.
struct TopologyHost {
  std::string name;
  std::string rack;
  Resource resource;
  double speed = 1.0;                          // 0.5: tasks take twice as long
  bool has_own_memory = false;                 // the file or local-cluster[n,c,m] sets it; otherwise yarn-site.xml may
  bool has_own_cores = false;                  // likewise
  bool has_own_others = false;                 // otherwise other resource types come from the settings
  std::optional<std::int32_t> map_slots = {};  // of a TaskTracker; otherwise from the settings, or the own cores
  std::optional<std::int32_t> reduce_slots = {};  // likewise
  std::optional<Duration> lost_at = {};           // after the start of the cluster its process is killed
};

/// Hosts that hold the blocks of an input: block i of a matching file is on the hosts of entry i modulo the number of
/// entries.
struct TopologyReplica {
  std::string input;                            // a path or glob, as in a job file
  std::vector<std::vector<std::string>> hosts;  // by block
};

/// An application that `run --topology FILE` submits.
struct TopologyApplication {
  std::string name;
  std::string user;
  std::string queue;
  Duration submit_at{};
  std::vector<std::string> jobs;  // job files, submitted together; relative to the folder of the topology file
  std::vector<SettingEntry> settings;
};

struct TopologyFile {
  std::vector<TopologyHost> hosts;  // in the order of the file
  std::vector<TopologyReplica> replicas;
  std::vector<TopologyApplication> applications;
  std::optional<Framework> framework;  // of its applications; otherwise the Driver
  std::vector<SettingEntry> settings;  // of the Hadoop folder first; later entries win
  std::vector<SettingEntry> job_keys;  // of the Hadoop folder: keys that heddle mapreduce reads
  std::string hadoop_folder;           // Hadoop configuration folder; relative to the topology file
  std::string rack_table;              // rack table for hosts without a rack in this file
  std::vector<std::string> warnings;
};

/// Rack of hosts without one.
inline constexpr std::string_view default_rack = "/default-rack";

/// Parses a topology file, without the files that it names. Fails with Errc::usage; the text has file, line and column.
Result<TopologyFile> parse_topology_file(const std::string& name, std::string_view content);
/// Reads the file with its rack table and Hadoop folder, and makes its paths relative to its folder.
Result<TopologyFile> read_topology_file(const std::string& path);

}  // namespace heddle::config

// Cuts files into input splits, one per map task. The size comes from the block size and its bounds; the last split of
// a file has up to 1.1 times that size. New interface: hosts of the block in which the split begins. Old interface:
// hosts with most bytes of the split. Order: files as given, then offset. Cost: splits times their blocks. Source:
// Hadoop's FileInputFormat.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/input_split.hpp"

namespace heddle::policies {

/// A file with its blocks; the last block may be shorter.
struct SplitFile {
  std::string path;
  std::int64_t length = 0;
  std::int64_t block_bytes = 128 << 20;
  std::vector<std::vector<std::string>> block_hosts;  // empty: no preferred hosts
  bool is_splittable = true;
  std::vector<std::vector<std::string>> block_cached_hosts = {};  // those of block_hosts that hold the block in memory
};

struct SplitSettings {
  bool old_interface = true;  // mapred, as in streaming jobs
  std::int64_t split_bytes_min = 1;
  std::int64_t split_bytes_max = INT64_MAX;  // only new interface
  std::int32_t wanted_splits = 2;            // only old interface
};

/// Rack of a host, for the choice of hosts in the old interface.
struct HostRack {
  std::string host;
  std::string rack;
};

[[nodiscard]] std::vector<InputSplit> compute_splits(const std::vector<SplitFile>& files, const SplitSettings& settings,
                                                     const std::vector<HostRack>& racks);

/// Sorts splits as Hadoop submits them: the longest first, equal lengths in their order.
void order_for_submission(std::vector<InputSplit>& splits);

}  // namespace heddle::policies

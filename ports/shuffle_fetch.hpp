// Brings one partition of many map outputs to one reduce task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/stage_work.hpp"
#include "ports/task_runner.hpp"

namespace heddle::ports {

/// One map output's part for one partition: blocks exactly as they stand in the file (compressed, each with its checksum).
struct FetchedSegment {
  std::int32_t map = 0;
  std::vector<std::byte> bytes;  // the whole segment in memory …
  std::string path;              // … or where to read it on this machine
  std::int64_t offset = 0;
  std::int64_t length = 0;
  bool is_owned = false;  // the file is the receiver's, to remove
};

/// Which output could not be had, and where it should have been.
struct FetchFailure {
  std::int32_t map = -1;
  MapOutputLocation at;
  std::string text;
  bool is_lost = true;  // false: this side could not fetch (no descriptors, full disk); nothing is known about the output
};

class ShuffleFetch {
public:
  virtual ~ShuffleFetch() = default;
  /// Fetches partition `partition` of every map; `on_segment` runs on the caller's thread as segments arrive, in any order,
  /// and ends the fetch by returning false. Returns false with `failure` filled at the first output that cannot be had.
  /// Bytes in flight are bounded.
  virtual bool fetch(const ShuffleLocations& locations, std::int32_t partition, const std::function<bool(FetchedSegment)>& on_segment,
                     FetchFailure& failure) = 0;
};

}  // namespace heddle::ports

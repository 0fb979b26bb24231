// Reads one partition in a reduce task: collects segments in bounded memory, spills, and merges by key. Without an
// order, segments are read one after the other by map. Equal keys are ordered by map, then by position, independent of
// arrival and spills.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "model/stage_work.hpp"
#include "ports/merge_rules.hpp"
#include "ports/shuffle_fetch.hpp"
#include "work/records/record.hpp"
#include "work/shuffle/hadoop_merges.hpp"

namespace heddle::work {

struct ShuffleReaderSettings {
  std::string spill_directory;  // folder of runs of segments that do not fit into memory
  std::int64_t memory_bytes = 192 << 20;
  std::int64_t block_bytes = 128 << 10;  // of spilled runs
  bool verifies_files = false;           // reads segments in files when they are added, to find damage before the merge
};

class ShuffleReader : public RecordStream {
public:
  /// `description`: of the shuffle. If a stage has several inputs, one reader serves all, with consecutive map numbers.
  /// With `rules`, these decide what stays in memory, not `memory_bytes`.
  [[nodiscard]] static Result<std::unique_ptr<ShuffleReader>> open(const ShuffleDescription& description,
                                                                   const ShuffleReaderSettings& settings,
                                                                   std::unique_ptr<ports::MergeRules> rules = nullptr);

  /// Adds a segment, in any order, before the first `next`. Verifies checksums of segments in memory, and of those in
  /// files if the settings say so; a damaged one is not added, and another copy of it can be.
  [[nodiscard]] virtual Result<Done> add(ports::FetchedSegment segment) = 0;
  /// After Errc::corrupt or Errc::not_found: the map whose segment failed, which is a fetch failure; otherwise -1.
  [[nodiscard]] virtual std::int32_t failed_map() const = 0;
  [[nodiscard]] virtual std::int64_t bytes_in() const = 0;
  [[nodiscard]] virtual std::int64_t bytes_spilled() const = 0;
  [[nodiscard]] virtual std::int64_t records_read() const = 0;
  /// Content of the segments of the first `maps` maps, as far as it was read.
  [[nodiscard]] virtual std::vector<SegmentSize> segment_sizes(std::int32_t maps) const = 0;
};

}  // namespace heddle::work

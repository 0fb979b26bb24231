// Records that Hadoop's merges write or read (rule ST-14), computed from the sizes of the segments that they would
// merge. Nothing is merged here: heddle merges by its own rules (shuffle_writer.hpp, shuffle_reader.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "model/job_graph.hpp"

namespace heddle::work {

/// Content of a segment. `bytes`: before compression.
struct SegmentSize {
  std::int64_t records = 0;
  std::int64_t bytes = 0;

  /// Length in Hadoop's file format, if no key or value is longer than 125 bytes; otherwise a few bytes more or less.
  [[nodiscard]] std::int64_t hadoop_bytes() const { return bytes + 2 * records + 2; }
};

/// Records of the merges before the last one, which reads at most `factor` segments. Each takes the smallest segments
/// that are not empty; the first takes as few as leave full merges. Ties: the earlier segment.
[[nodiscard]] std::int64_t records_of_early_merges(std::vector<SegmentSize> segments, std::int32_t factor);

/// SPILLED_RECORDS of a reduce: records that its merges read from files. `outputs`: of all maps, empty ones too, in the
/// order of copying. Merges in the background end before the next output comes.
[[nodiscard]] std::int64_t reduce_spilled_records(const std::vector<SegmentSize>& outputs, const MapReduceRules& rules);

}  // namespace heddle::work

// Reads one partition on the reduce side: takes segments as they arrive, holds them in bounded memory, merges by key.
// Order none: segments are read one after the other in order of map, nothing is merged.
// Ties between segments go by map, then by position, whatever came first and whatever was spilled.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/result.hpp"
#include "model/stage_work.hpp"
#include "ports/shuffle_fetch.hpp"
#include "work/records/record.hpp"

namespace heddle::work {

struct ShuffleReaderSettings {
  std::string spill_directory;  // for runs of segments that did not fit
  std::int64_t memory_bytes = 192 << 20;
  std::int64_t block_bytes = 128 << 10;  // of spilled runs
};

class ShuffleReader : public RecordStream {
public:
  /// `description` of the shuffle; with several inputs of one stage, one reader serves all (maps numbered through).
  [[nodiscard]] static Result<std::unique_ptr<ShuffleReader>> open(const ShuffleDescription& description,
                                                                   const ShuffleReaderSettings& settings);

  /// Takes a segment, in any order. Not after the first `next`. Verifies the checksums of segments in memory.
  [[nodiscard]] virtual Result<Done> add(ports::FetchedSegment segment) = 0;
  /// After an error corrupt or not_found: the map whose segment was broken, otherwise -1. It is a fetch failure.
  [[nodiscard]] virtual std::int32_t failed_map() const = 0;
  [[nodiscard]] virtual std::int64_t bytes_in() const = 0;
  [[nodiscard]] virtual std::int64_t bytes_spilled() const = 0;
  [[nodiscard]] virtual std::int64_t records_read() const = 0;
};

}  // namespace heddle::work

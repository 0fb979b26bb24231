// Writes one map task's output: partitions, sorts in bounded memory, spills, combines, merges, compresses, checksums.
// Order none: records of a partition stay in the order they came, nothing is compared.
// Errors (full disk, no descriptors) leave no index behind: the output is whole or absent.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "model/stage_work.hpp"
#include "work/records/record.hpp"
#include "work/shuffle/shuffle_block.hpp"

namespace heddle::work {

struct ShuffleWriterSettings {
  std::string directory;                  // of the application on this node
  std::int64_t first_shuffle = 0;         // added to shuffle ids in names: Drivers of one application differ
  std::int64_t memory_bytes = 192 << 20;  // records and their index; above it they are spilled
  std::int64_t block_bytes = 128 << 10;   // of records, before compression
  ShuffleCompression compression = ShuffleCompression::lz4;  // a block that does not shrink is stored as it is
  std::int32_t compression_level = 1;                        // of zstd
  std::int32_t merge_factor = 64;                            // runs merged at once
};

/// Reads the sorted records of one partition and hands out fewer. Runs per spill and, from three spills on, at the
/// merge.
using Combine = std::function<Result<Done>(RecordStream& records, const RecordSink& sink)>;

/// What became of a map output.
struct ShuffleWritten {
  std::vector<std::int64_t> partition_bytes;  // as they stand in the file
  std::int64_t bytes = 0;
  std::int64_t records_in = 0;
  std::int64_t bytes_in = 0;
  std::int64_t bytes_spilled = 0;
  std::int64_t combine_records_in = 0;
  std::int64_t combine_records_out = 0;
};

class ShuffleWriter {
public:
  /// `attempt` tells the attempts of a map apart: "<stage attempt>.<attempt>".
  [[nodiscard]] static Result<std::unique_ptr<ShuffleWriter>> open(const ShuffleOutput& output, std::int32_t map,
                                                                   std::string attempt,
                                                                   const ShuffleWriterSettings& settings,
                                                                   Combine combine = {});
  virtual ~ShuffleWriter() = default;  // without finish: deletes what was written

  /// Takes a copy of one record. After an error nothing more may be added.
  [[nodiscard]] virtual Result<Done> add(std::string_view key, std::string_view value) = 0;
  /// Merges, writes data and index, puts them in place, unless another attempt of the same stage attempt has: then that
  /// one's output is the map's, and its sizes are answered.
  [[nodiscard]] virtual Result<ShuffleWritten> finish() = 0;
};

}  // namespace heddle::work

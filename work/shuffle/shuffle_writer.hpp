// Writes the output of one map task: partitions, sorts in bounded memory, spills, combines, merges, compresses,
// checksums. Without an order, records of a partition keep their input order and are not compared. After an error (full
// disk, no descriptors) there is no index: an output is complete or absent.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/job_graph.hpp"
#include "model/result.hpp"
#include "model/stage_work.hpp"
#include "work/records/record.hpp"
#include "work/shuffle/shuffle_block.hpp"

namespace heddle::work {

struct ShuffleWriterSettings {
  std::string directory;  // folder of the application on this node
  // added to shuffle ids in file names, because several Drivers of an application share the folder
  std::int64_t first_shuffle = 0;
  std::int64_t memory_bytes = 192 << 20;  // limit for records and their entries; above it, records are spilled
  std::int64_t block_bytes = 128 << 10;   // bytes of records before compression
  ShuffleCompression compression = ShuffleCompression::lz4;  // blocks that do not shrink are stored uncompressed
  std::int32_t compression_level = 1;                        // only for zstd
  std::int32_t merge_factor = 64;                            // number of runs to merge at once
  std::optional<MapReduceRules> map_reduce;  // spills and combines where a map of Hadoop does, and counts as it does
};

/// Combines the sorted records of one partition. Called at each spill and, with three or more spills (or as the rules
/// of MapReduce say), at the last merge.
using Combine = std::function<Result<Done>(RecordStream& records, const RecordSink& sink)>;

/// Counters of a map output.
struct ShuffleCounts {
  std::int64_t records_in = 0;
  std::int64_t combine_records_in = 0;
  std::int64_t combine_records_out = 0;
  // with ShuffleWriterSettings::map_reduce:
  std::int64_t serialised_bytes = 0;  // of records as Hadoop's Text
  std::int64_t spilled_records = 0;   // records that Hadoop's spills and merges write
};

/// A complete map output.
struct ShuffleWritten {
  std::vector<std::int64_t> partition_bytes;  // compressed, as in the file
  std::int64_t bytes = 0;
  std::int64_t bytes_in = 0;
  std::int64_t bytes_spilled = 0;
  ShuffleCounts counts;
};

class ShuffleWriter {
public:
  /// `attempt`: "<stage attempt>.<attempt>", unique per map.
  [[nodiscard]] static Result<std::unique_ptr<ShuffleWriter>> open(const ShuffleOutput& output, std::int32_t map,
                                                                   std::string attempt,
                                                                   const ShuffleWriterSettings& settings,
                                                                   Combine combine = {});
  virtual ~ShuffleWriter() = default;  // without finish(): removes its files

  /// Copies one record. Must not be called after an error.
  [[nodiscard]] virtual Result<Done> add(std::string_view key, std::string_view value) = 0;
  /// Counters so far. Can be called from any thread.
  [[nodiscard]] virtual ShuffleCounts counts() const = 0;
  /// Merges and commits data and index. If another attempt of the same stage attempt has committed, its output stays
  /// and its sizes are returned.
  [[nodiscard]] virtual Result<ShuffleWritten> finish() = 0;
};

}  // namespace heddle::work

// Maps keys to partitions as Hadoop's HashPartitioner and KeyFieldBasedPartitioner do for Text keys: signed bytes,
// wrapping 32-bit hash.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/job_graph.hpp"
#include "model/result.hpp"
#include "work/records/key_field.hpp"

namespace heddle::work {

/// Text.hashCode of Hadoop: h = 31 h + byte, from 1.
[[nodiscard]] std::int32_t text_hash(std::string_view bytes);

class Partitioner {
public:
  /// Errc::usage if an option is not of the form -kF[.C][,F[.C]][nr].
  [[nodiscard]] static Result<Partitioner> make(const ShuffleDescription& description, std::int32_t partitions);

  /// Returns a partition index in [0, partitions).
  [[nodiscard]] std::int32_t partition_of(std::string_view key) const;

private:
  Partitioner() = default;
  [[nodiscard]] std::int32_t field_hash(std::string_view key) const;

  std::int32_t partitions_ = 1;
  PartitionerKind kind_ = PartitionerKind::hash;
  KeyCutter cutter_;
};

}  // namespace heddle::work

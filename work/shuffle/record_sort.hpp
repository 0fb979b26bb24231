// Sorts the entries of an arena by partition, then by key; equal keys stay in the order they came.
// By bytes: a radix sort over key prefixes, eight bytes after eight bytes. By key fields: a merge sort, which is safe
// with an order that is no total one. Not sorted: by partition alone.
#pragma once

#include <vector>

#include "work/records/key_comparator.hpp"
#include "work/shuffle/record_arena.hpp"

namespace heddle::work {

/// Answers where each partition begins; one number more than there are partitions.
[[nodiscard]] std::vector<std::size_t> sort_records(RecordArena& arena, std::int32_t partitions,
                                                    const KeyComparator& comparator, bool is_sorted);

}  // namespace heddle::work

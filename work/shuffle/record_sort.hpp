// Sorts the entries of an arena by partition, then by key; equal keys keep their input order. Order by bytes: radix
// sort of key prefixes of seven bytes. Order by key fields: merge sort, which also ends if the order is not total.
// Unsorted shuffle: by partition only.
#pragma once

#include <vector>

#include "work/records/key_comparator.hpp"
#include "work/shuffle/record_arena.hpp"

namespace heddle::work {

/// Returns the index of the first entry of each partition, and as last element the number of entries.
[[nodiscard]] std::vector<std::size_t> sort_records(RecordArena& arena, std::int32_t partitions,
                                                    const KeyComparator& comparator, bool is_sorted);

}  // namespace heddle::work

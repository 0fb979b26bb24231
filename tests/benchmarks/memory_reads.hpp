// A bare loop for rows that compare a cluster with one of a tenth of its size: reads of records in random order, each
// of which names the next one, in a table of the larger cluster's memory and in one of a tenth of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "model/random_stream.hpp"

namespace heddle::benchmarks {

/// Seconds for each read in a table of so many bytes. `clock` returns seconds.
template <class Clock>
double seconds_per_read(std::size_t bytes, Clock clock) {
  struct alignas(64) Record {
    std::uint32_t next = 0;
  };
  std::vector<std::uint32_t> order(bytes / sizeof(Record));
  std::iota(order.begin(), order.end(), 0U);
  RandomStream random{1};
  for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  std::vector<Record> records(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) records[order[i]].next = order[(i + 1) % order.size()];
  constexpr int reads = 5'000'000;
  volatile std::uint32_t at = 0;
  const double start = clock();
  for (int i = 0; i < reads; ++i) at = records[at].next;
  return (clock() - start) / reads;
}

}  // namespace heddle::benchmarks

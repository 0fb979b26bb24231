// Counters of a MapReduce job about its attempts: Hadoop's group JobCounter. Each framework counts by its own rule.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heddle::policies {

/// Counters of a job that follow from its attempts. The first of each pair is for maps.
enum class MapReduceJobCounter : std::uint8_t {
  total_launched_maps,
  total_launched_reduces,
  num_failed_maps,
  num_failed_reduces,
  num_killed_maps,
  num_killed_reduces,
  slots_millis_maps,
  slots_millis_reduces,
  mb_millis_maps,
  mb_millis_reduces,
  vcores_millis_maps,
  vcores_millis_reduces,
  millis_maps,
  millis_reduces,
  data_local_maps,  // of maps only, as the next two
  rack_local_maps,
  other_local_maps,
};
constexpr MapReduceJobCounter last_of(MapReduceJobCounter) { return MapReduceJobCounter::other_local_maps; }
/// The counter of the pair for maps and reduces that starts with `of_maps`.
[[nodiscard]] constexpr MapReduceJobCounter counter_of(bool is_reduce, MapReduceJobCounter of_maps) {
  return static_cast<MapReduceJobCounter>(static_cast<int>(of_maps) + (is_reduce ? 1 : 0));
}

/// Where a map runs: on the node of its split, in its rack, or elsewhere.
enum class MapPlace : std::uint8_t { node, rack, other };

class JobCounters {
public:
  void add(MapReduceJobCounter counter, std::int64_t amount) { sums_[static_cast<std::size_t>(counter)] += amount; }
  /// Counts attempts of maps by their place.
  void add_place(MapPlace place, std::int64_t amount);
  /// Adds the sums that are not 0 to `counters` under "group\tname". A user may have counted there too.
  void add_to(std::vector<std::pair<std::string, std::int64_t>>& counters) const;

private:
  std::array<std::int64_t, static_cast<std::size_t>(last_of(MapReduceJobCounter{})) + 1> sums_{};
};

}  // namespace heddle::policies

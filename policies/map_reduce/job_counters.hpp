// Counters of a MapReduce job about its attempts: Hadoop's group JobCounter. Each framework counts by its own rule.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "policies/map_reduce/map_reduce_events.hpp"
#include "policies/map_reduce/map_reduce_state_effects.hpp"

namespace heddle::policies {

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

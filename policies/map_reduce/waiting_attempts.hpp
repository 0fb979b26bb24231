// Attempts of a MapReduce job that wait for a container, in order of insertion, with look-up by attempt.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/time.hpp"
#include "policies/map_reduce/map_reduce_events.hpp"
#include "policies/map_reduce/map_reduce_requests.hpp"

namespace heddle::policies {

/// Request of one attempt.
struct AttemptRequest {
  MapReduceAttempt attempt;
  std::vector<std::string> hosts;
  std::vector<std::string> racks;
  MapReducePriority priority = MapReducePriority::map;
  Instant made;
};
/// Requests in order of insertion. A request that is added again keeps its place.
class WaitingAttempts {
public:
  void put(AttemptRequest request);
  std::optional<AttemptRequest> take(MapReduceAttempt attempt);
  [[nodiscard]] const AttemptRequest* find(MapReduceAttempt attempt) const;
  [[nodiscard]] const AttemptRequest* first() const { return requests_.empty() ? nullptr : &requests_.begin()->second; }
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(requests_.size()); }
  [[nodiscard]] const std::map<std::int64_t, AttemptRequest>& in_order() const { return requests_; }

private:
  std::map<std::int64_t, AttemptRequest> requests_;
  std::map<MapReduceAttempt, std::int64_t> place_;
  std::int64_t next_ = 0;
};

}  // namespace heddle::policies

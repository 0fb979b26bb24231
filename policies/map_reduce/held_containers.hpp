// Containers of the attempts of a MapReduce job, with their hosts. Order: as assigned. Cost: logarithmic in the
// containers.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/ids.hpp"
#include "policies/map_reduce/map_reduce_events.hpp"

namespace heddle::policies {

class HeldContainers {
public:
  struct Holding {
    ContainerId container;
    std::string host;
  };
  /// Attempts of one kind with a container, in the order of assignment.
  struct Assigned {
    std::map<std::int64_t, MapReduceAttempt> in_order;
    std::map<MapReduceAttempt, std::int64_t> place;
    [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(place.size()); }
  };

  void give(ContainerId container, const std::string& host, MapReduceAttempt attempt);
  /// Precondition: the attempt has a container.
  void forget(MapReduceAttempt attempt);
  /// Null if the attempt has no container.
  [[nodiscard]] const Holding* find(MapReduceAttempt attempt) const;
  /// Null if the container has no attempt.
  [[nodiscard]] const MapReduceAttempt* find(ContainerId container) const;
  [[nodiscard]] const Assigned& maps() const { return maps_; }
  [[nodiscard]] const Assigned& reduces() const { return reduces_; }
  [[nodiscard]] const std::map<MapReduceAttempt, Holding>& all() const { return holdings_; }
  void check_invariants() const;

private:
  Assigned maps_;
  Assigned reduces_;
  std::int64_t next_ = 0;
  std::map<MapReduceAttempt, Holding> holdings_;
  std::map<ContainerId, MapReduceAttempt> attempts_;
};

}  // namespace heddle::policies

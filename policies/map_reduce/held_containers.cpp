#include "policies/map_reduce/held_containers.hpp"

#include "model/assert.hpp"

namespace heddle::policies {

void HeldContainers::give(ContainerId container, const std::string& host, MapReduceAttempt attempt) {
  holdings_[attempt] = {container, host};
  attempts_[container] = attempt;
  Assigned& assigned = attempt.is_reduce ? reduces_ : maps_;
  assigned.place[attempt] = next_;
  assigned.in_order[next_++] = attempt;
}

void HeldContainers::forget(MapReduceAttempt attempt) {
  const auto row = holdings_.find(attempt);
  attempts_.erase(row->second.container);
  holdings_.erase(row);
  Assigned& assigned = attempt.is_reduce ? reduces_ : maps_;
  const auto place = assigned.place.find(attempt);
  assigned.in_order.erase(place->second);
  assigned.place.erase(place);
}

const HeldContainers::Holding* HeldContainers::find(MapReduceAttempt attempt) const {
  const auto row = holdings_.find(attempt);
  return row == holdings_.end() ? nullptr : &row->second;
}

const MapReduceAttempt* HeldContainers::find(ContainerId container) const {
  const auto row = attempts_.find(container);
  return row == attempts_.end() ? nullptr : &row->second;
}

void HeldContainers::check_invariants() const {
  HEDDLE_ASSERT(holdings_.size() == maps_.place.size() + reduces_.place.size(), "attempts with containers");
  HEDDLE_ASSERT(holdings_.size() == attempts_.size(), "two attempts in one container");
  for (const auto& row : holdings_)
    HEDDLE_ASSERT(attempts_.at(row.second.container) == row.first, "container " + to_string(row.second.container));
}

}  // namespace heddle::policies

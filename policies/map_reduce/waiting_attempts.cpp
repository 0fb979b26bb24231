#include "policies/map_reduce/waiting_attempts.hpp"

#include <utility>

namespace heddle::policies {

void WaitingAttempts::put(AttemptRequest request) {
  const auto [row, is_new] = place_.try_emplace(request.attempt, next_);
  if (is_new) ++next_;
  requests_.insert_or_assign(row->second, std::move(request));
}

std::optional<AttemptRequest> WaitingAttempts::take(MapReduceAttempt attempt) {
  const auto row = place_.find(attempt);
  if (row == place_.end()) return std::nullopt;
  auto node = requests_.extract(row->second);
  place_.erase(row);
  return std::move(node.mapped());
}

const AttemptRequest* WaitingAttempts::find(MapReduceAttempt attempt) const {
  const auto row = place_.find(attempt);
  return row == place_.end() ? nullptr : &requests_.at(row->second);
}

}  // namespace heddle::policies

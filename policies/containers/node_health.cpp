#include "policies/containers/node_health.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace heddle::policies {

NodeHealth::NodeHealth(NodeHealthSettings settings) : settings_{std::move(settings)} {}

std::optional<ExclusionChanged> NodeHealth::on_scheduler_exclusion(Instant now, std::set<std::string> hosts) {
  scheduler_excluded_ = std::move(hosts);
  return refresh(now);
}

std::optional<ExclusionChanged> NodeHealth::on_failure(Instant now, const std::optional<std::string>& host) {
  if (!settings_.exclude_on_launch_failure || !host) {
    add(now, failures_);
    return std::nullopt;
  }
  // Late failures on an excluded node do not count towards the application's limit.
  if (scheduler_excluded_.contains(*host) || own_excluded_.contains(*host)) return std::nullopt;
  add(now, failures_);
  add(now, failures_of_host_[*host]);
  if (failures_on(now, *host) <= settings_.failures_per_node_max) return std::nullopt;
  own_excluded_[*host] = now + settings_.exclusion_timeout;
  return refresh(now);
}

std::int32_t NodeHealth::failures(Instant now) const { return count(now, failures_); }

std::int32_t NodeHealth::failures_on(Instant now, const std::string& host) const {
  const auto row = failures_of_host_.find(host);
  return row == failures_of_host_.end() ? 0 : count(now, row->second);
}

bool NodeHealth::all_excluded() const {
  return cluster_nodes_ > 0 && excluded_.size() >= static_cast<std::size_t>(cluster_nodes_);
}

std::optional<ExclusionChanged> NodeHealth::refresh(Instant now) {
  std::erase_if(own_excluded_, [now](const auto& row) { return row.second <= now; });
  std::set<std::string> wanted = settings_.excluded_nodes;
  wanted.insert(scheduler_excluded_.begin(), scheduler_excluded_.end());
  for (const auto& row : own_excluded_) wanted.insert(row.first);
  ExclusionChanged change;
  std::set_difference(wanted.begin(), wanted.end(), excluded_.begin(), excluded_.end(),
                      std::back_inserter(change.added));
  std::set_difference(excluded_.begin(), excluded_.end(), wanted.begin(), wanted.end(),
                      std::back_inserter(change.removed));
  excluded_ = std::move(wanted);
  if (change.added.empty() && change.removed.empty()) return std::nullopt;
  return change;
}

void NodeHealth::add(Instant now, std::deque<Instant>& failures) const {
  failures.erase(failures.begin(), failures.end() - count(now, failures));
  failures.push_back(now);
}

std::int32_t NodeHealth::count(Instant now, const std::deque<Instant>& failures) const {
  const Duration validity = settings_.failure_validity.value_or(Duration{0});
  if (validity <= Duration{0}) return static_cast<std::int32_t>(failures.size());
  return static_cast<std::int32_t>(failures.end() - std::lower_bound(failures.begin(), failures.end(), now - validity));
}

}  // namespace heddle::policies

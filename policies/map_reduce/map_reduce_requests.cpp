#include "policies/map_reduce/map_reduce_requests.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "model/assert.hpp"
#include "model/java_number.hpp"

namespace heddle::policies {
namespace {

const std::string anywhere = "*";

}  // namespace

void MapReduceRequests::change(MapReducePriority priority, const std::string& name, std::int32_t by,
                               bool opportunistic) {
  Place place{priority, name};
  auto row = table_.find(place);
  // A host that was excluded before its ask was sent has no row.
  if (row == table_.end() && by < 0) return;
  if (row == table_.end()) row = table_.emplace(std::move(place), Entry{0, opportunistic}).first;
  row->second.count = std::max(0, row->second.count + by);
  next_changes_.asks[{priority, name, row->second.opportunistic}] = row->second.count;
  if (row->second.count == 0) table_.erase(row);
}

void MapReduceRequests::add(MapReducePriority priority, const Names& hosts, const Names& racks) {
  for (const auto& host : hosts)
    if (!is_excluded(host)) change(priority, host, 1);
  for (const auto& rack : racks) change(priority, rack, 1);
  change(priority, anywhere, 1);
}

void MapReduceRequests::add_opportunistic(MapReducePriority priority) { change(priority, anywhere, 1, true); }

void MapReduceRequests::remove(MapReducePriority priority, const Names& hosts, const Names& racks) {
  for (const auto& host : hosts) change(priority, host, -1);
  for (const auto& rack : racks) change(priority, rack, -1);
  change(priority, anywhere, -1);
}

void MapReduceRequests::repeat(MapReducePriority priority, const Names& names) {
  for (const auto& name : names) {
    const auto row = table_.find(Place{priority, name});
    if (row != table_.end()) next_changes_.asks[{priority, name, row->second.opportunistic}] = row->second.count;
  }
}

void MapReduceRequests::release(ContainerId container) {
  next_changes_.releases.insert(container);
  unconfirmed_releases_.insert(container);
}

void MapReduceRequests::set_limit(MapReducePriority priority, std::int32_t limit) {
  if (limit < 0) limit = std::numeric_limits<std::int32_t>::max();
  const auto [row, is_new] = limits_.try_emplace(priority, limit);
  if (is_new || row->second < limit) limits_to_send_.insert(priority);
  row->second = limit;
}

void MapReduceRequests::apply_limits() {
  constexpr std::int32_t unlimited = std::numeric_limits<std::int32_t>::max();
  for (auto each = limits_.begin(); each != limits_.end();) {
    const auto [priority, limit] = *each;
    const auto row = table_.find(Place{priority, anywhere});
    // A priority without a limit is removed if requests exist, so that the next limit counts as new and sends the
    // request again.
    each = row != table_.end() && limit == unlimited ? limits_.erase(each) : std::next(each);
    if (row == table_.end()) continue;
    const Key key{priority, anywhere, row->second.opportunistic};
    // A limit is never opportunistic, so a limit that has to be sent again does not find an opportunistic request.
    const bool is_sent_again = !key.opportunistic && limits_to_send_.contains(priority);
    if (next_changes_.asks.erase(key) == 0 && !is_sent_again) continue;
    if (row->second.count > limit) next_changes_.asks.try_emplace(Key{priority, anywhere, false}, limit);
    else next_changes_.asks.try_emplace(key, row->second.count);
  }
  limits_to_send_.clear();
}

// -- exclusion ----------------------------------------------------------------

bool MapReduceRequests::is_excluded(const std::string& host) const {
  return exclusion_.is_on && !ignores_exclusion_ && excluded_.contains(host);
}

void MapReduceRequests::on_failure(const std::string& host) {
  if (!exclusion_.is_on || excluded_.contains(host)) return;
  if (++failures_[host] < exclusion_.failures_per_host_max) return;
  failures_.erase(host);
  excluded_.insert(host);
  if (!ignores_exclusion_) next_changes_.exclude.insert(host);
  for (const auto priority : {MapReducePriority::failed_map, MapReducePriority::reduce,
                              MapReducePriority::opportunistic_map, MapReducePriority::map}) {
    const auto row = table_.find(Place{priority, host});
    if (row == table_.end()) continue;
    const Key key{priority, host, row->second.opportunistic};
    // An ask that was sent keeps its row here and is cancelled at the ResourceManager. A later removal sends the rest
    // again, as in Hadoop.
    if (next_changes_.asks.erase(key) > 0) table_.erase(row);
    else next_changes_.asks[key] = 0;
  }
}

bool MapReduceRequests::must_ignore_exclusion() const {
  if (!exclusion_.is_on || exclusion_.ignore_percent == -1 || cluster_nodes_ == 0) return ignores_exclusion_;
  const float part = static_cast<float>(excluded_.size()) / static_cast<float>(cluster_nodes_) * 100.0F;
  return java::to_int(static_cast<double>(part)) >= exclusion_.ignore_percent;
}

void MapReduceRequests::update_ignoring() {
  if (counted_excluded_ == excluded_.size() && cluster_nodes_ == cluster_nodes_before_) return;
  counted_excluded_ = excluded_.size();
  const bool ignore = must_ignore_exclusion();
  if (ignore == ignores_exclusion_) return;
  ignores_exclusion_ = ignore;
  (ignore ? next_changes_.exclude : next_changes_.include).clear();
  (ignore ? next_changes_.include : next_changes_.exclude).insert(excluded_.begin(), excluded_.end());
}

// -- calls --------------------------------------------------------------------

MapReduceCall MapReduceRequests::next_call() {
  apply_limits();
  MapReduceCall call;
  call.response_id = response_id_;
  for (const auto& [key, count] : next_changes_.asks)
    call.asks.push_back({key.priority, key.name, resources_[key.priority], count, key.opportunistic});
  call.releases.assign(next_changes_.releases.begin(), next_changes_.releases.end());
  call.exclude.assign(next_changes_.exclude.begin(), next_changes_.exclude.end());
  call.include.assign(next_changes_.include.begin(), next_changes_.include.end());
  sent_changes_ = std::exchange(next_changes_, {});
  return call;
}

void MapReduceRequests::on_answer(std::int32_t response_id, std::int32_t cluster_nodes, bool any_completed) {
  sent_changes_ = {};
  response_id_ = response_id;
  cluster_nodes_before_ = cluster_nodes_;
  cluster_nodes_ = cluster_nodes;
  if (!any_completed) return;
  for (const auto& row : limits_) limits_to_send_.insert(row.first);
}

void MapReduceRequests::on_call_failed() {
  // Newer changes override those of the failed call.
  for (const auto& [key, count] : sent_changes_.asks) next_changes_.asks.try_emplace(key, count);
  next_changes_.releases.merge(sent_changes_.releases);
  for (const auto& host : sent_changes_.exclude)
    if (!next_changes_.include.contains(host)) next_changes_.exclude.insert(host);
  for (const auto& host : sent_changes_.include)
    if (!next_changes_.exclude.contains(host)) next_changes_.include.insert(host);
  sent_changes_ = {};
}

void MapReduceRequests::on_not_registered() {
  on_call_failed();
  response_id_ = 0;
  for (const auto& [place, entry] : table_)
    next_changes_.asks[{place.priority, place.name, entry.opportunistic}] = entry.count;
  if (!ignores_exclusion_) next_changes_.exclude.insert(excluded_.begin(), excluded_.end());
  next_changes_.releases.insert(unconfirmed_releases_.begin(), unconfirmed_releases_.end());
  for (const auto& row : limits_) limits_to_send_.insert(row.first);
}

void MapReduceRequests::check_invariants() const {
  for (const auto& [place, entry] : table_) HEDDLE_ASSERT(entry.count > 0, "request with count 0 at " + place.name);
}

}  // namespace heddle::policies

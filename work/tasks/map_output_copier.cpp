#include "work/tasks/map_output_copier.hpp"

#include <algorithm>
#include <utility>

namespace heddle::work {
namespace {

using Clock = std::chrono::steady_clock;

/// The location of a map output; null if the table has none.
const MapOutputLocation* location_of(const ports::ShuffleLocations& table, std::int32_t map) {
  const auto index = static_cast<std::size_t>(map);
  if (map < 0 || index >= table.place_of_map.size() || table.place_of_map[index] < 0) return nullptr;
  return &table.places[static_cast<std::size_t>(table.place_of_map[index])];
}

}  // namespace

CopyEnd MapOutputCopier::copy() {
  using Kind = CopyEnd::Kind;
  Table table = tables_.latest(request_.shuffle);
  if (!table)
    return {Kind::lost,
            {-1, {}, "no locations of shuffle " + to_string(request_.shuffle) + " are known to this executor"}};
  while (table && !is_killed_.load()) {
    if (request_.rules != nullptr) request_.rules->on_longest_map(table->longest_map);
    ports::FetchFailure failure;
    const bool has_fetched = fetch_wanted(*table, failure);
    if (is_killed_.load()) break;
    if (has_fetched) {
      if (is_complete(*table)) return {};
      table = tables_.wait_for_other(request_.shuffle, table, is_killed_, next_retry());
      continue;
    }
    if (fault_ && !fault_->is_damaged) return {Kind::failed, {}, fault_->error};
    if (fault_) {
      const auto* at = location_of(*table, fault_map_);
      failure = {fault_map_, at == nullptr ? MapOutputLocation{} : *at, fault_->error.text};
    }
    if (!failure.is_lost) return {Kind::failed, {}, Error{Errc::io, failure.text}};
    if (request_.rules != nullptr && failure.map >= 0) {
      if (auto end = judge(*table, failure)) return std::move(*end);
      table = tables_.latest(request_.shuffle);
      continue;
    }
    const auto again = fault_ ? nullptr : find_again(failure);
    if (!again) return {Kind::lost, std::move(failure)};
    table = again;
  }
  if (is_killed_.load()) return {Kind::killed};
  return {Kind::failed, {}, Error{Errc::io, "the locations of the map outputs were removed"}};
}

bool MapOutputCopier::is_complete(const ports::ShuffleLocations& table) const {
  for (std::size_t map = 0; map < table.place_of_map.size(); ++map)
    if (!has_come(map) && table.place_of_map[map] != ports::ShuffleLocations::not_wanted) return false;
  return true;
}

ports::ShuffleLocations MapOutputCopier::wanted(const ports::ShuffleLocations& table) {
  auto result = table;
  std::erase_if(left_alone_, [now = Clock::now()](const auto& host) { return host.second <= now; });
  std::vector<bool> is_left_alone;
  for (const auto& place : table.places) is_left_alone.push_back(left_alone_.contains(place));
  for (std::size_t map = 0; map < result.place_of_map.size(); ++map) {
    auto& place = result.place_of_map[map];
    if (has_come(map)) place = ports::ShuffleLocations::not_wanted;
    else if (place >= 0 && is_left_alone[static_cast<std::size_t>(place)]) place = ports::ShuffleLocations::expected;
  }
  return result;
}

bool MapOutputCopier::fetch_wanted(const ports::ShuffleLocations& table, ports::FetchFailure& failure) {
  fault_.reset();
  const auto take = [&](ports::FetchedSegment segment) {
    on_segment(table, std::move(segment));
    return !fault_ && !is_killed_.load();
  };
  const bool is_first = has_come_.empty() && left_alone_.empty();
  return is_first ? fetch_.fetch({table, request_.partition, request_.stop}, take, failure)
                  : fetch_.fetch({wanted(table), request_.partition, request_.stop}, take, failure);
}

void MapOutputCopier::on_segment(const ports::ShuffleLocations& table, ports::FetchedSegment segment) {
  const std::int32_t map = segment.map;
  fault_ = add_(std::move(segment));
  fault_map_ = map;
  if (fault_) return;
  if (has_come_.size() <= static_cast<std::size_t>(map))
    has_come_.resize(std::max(table.place_of_map.size(), static_cast<std::size_t>(map) + 1));
  has_come_[static_cast<std::size_t>(map)] = true;
  if (request_.rules == nullptr) return;
  if (const auto* at = location_of(table, map)) request_.rules->on_copied(map, at->host);
}

std::optional<CopyEnd> MapOutputCopier::judge(const ports::ShuffleLocations& table,
                                              const ports::FetchFailure& failure) {
  std::vector<std::int32_t> lost{failure.map};
  if (failure.error == CopyError::connect)
    for (std::int32_t map = 0; map < std::ssize(table.place_of_map); ++map) {
      const auto* at = location_of(table, map);
      if (map != failure.map && at != nullptr && *at == failure.at && !has_come(static_cast<std::size_t>(map)))
        lost.push_back(map);
    }
  Duration wait{0};
  for (const std::int32_t map : lost) {
    const auto verdict = request_.rules->on_copy_failed(map, failure.at.host, failure.error);
    wait = std::max(wait, verdict.host_wait);
    if (verdict.end_task.empty()) continue;
    CopyEnd end{CopyEnd::Kind::lost, failure, {}};
    end.failure.text = verdict.end_task + ": " + failure.text;
    return end;
  }
  left_alone_[failure.at] = Clock::now() + wait;
  return std::nullopt;
}

LocationTables::Table MapOutputCopier::find_again(const ports::FetchFailure& failure) {
  auto now = tables_.latest(request_.shuffle);
  const auto lost = static_cast<std::size_t>(failure.map);
  if (!now || failure.map < 0 || lost >= now->place_of_map.size()) return nullptr;
  if (now->place_of_map[lost] == ports::ShuffleLocations::expected) return now;
  const auto* at = location_of(*now, failure.map);
  return at == nullptr || *at == failure.at ? nullptr : now;
}

std::optional<LocationTables::Deadline> MapOutputCopier::next_retry() const {
  // It may have passed during the last fetch, which left the host out.
  std::optional<Deadline> next;
  for (const auto& [location, until] : left_alone_)
    if (!next || until < *next) next = until;
  return next;
}

}  // namespace heddle::work

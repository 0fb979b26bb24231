#include "actors/driver/shuffle_migration.hpp"

#include <algorithm>

#include "model/assert.hpp"
#include "model/due_heap.hpp"

namespace heddle::actors {

std::vector<HostId> ShuffleMigration::pop_hosts_due(Instant now) {
  std::vector<HostId> due;
  for (auto& [host, kill_due] : hosts_) {
    if (!kill_due || now < *kill_due) continue;
    kill_due.reset();
    due.push_back(host);
  }
  return due;
}

std::optional<Instant> ShuffleMigration::next_due() const {
  std::optional<Instant> next;
  for (const auto& [host, kill_due] : hosts_) next = earlier(next, kill_due);
  return next;
}

void ShuffleMigration::add(ShuffleId shuffle, std::int32_t map, policies::MapStatusLocation from) {
  const Key key{shuffle, map};
  const auto found = moves_.find(key);
  if (found != moves_.end()) {
    if (found->second.from == from) return;
    if (!found->second.target.is_none()) std::erase(busy_[found->second.target], key);
    moves_.erase(found);
  }
  moves_[key].from = from;
  waiting_.insert(key);
}

bool ShuffleMigration::can_assign(const Move& move, ExecutorId target, std::size_t targets) const {
  return move.failed_at.size() >= targets || !move.failed_at.contains(target);
}

std::vector<ShuffleMigration::Batch> ShuffleMigration::assign(std::span<const ExecutorId> targets) {
  std::vector<Batch> batches;
  for (const auto target : targets) {
    if (waiting_.empty() || busy_.size() >= static_cast<std::size_t>(batches_max_)) break;
    if (busy_.contains(target)) continue;
    Batch batch{target, {}, {}, {}};
    std::vector<Key> keys;
    for (const auto& key : waiting_) {
      const auto& move = moves_.at(key);
      if (!keys.empty() && key.first != batch.shuffle) break;
      if (!can_assign(move, target, targets.size()) || (!keys.empty() && move.from != batch.from)) continue;
      batch.shuffle = key.first;
      batch.from = move.from;
      batch.maps.push_back(key.second);
      keys.push_back(key);
      if (keys.size() == batch_maps_max) break;
    }
    if (keys.empty()) continue;
    for (const auto& key : keys) {
      waiting_.erase(key);
      moves_.at(key).target = target;
    }
    busy_.emplace(target, std::move(keys));
    batches.push_back(std::move(batch));
  }
  return batches;
}

std::vector<std::pair<std::int32_t, policies::MapStatusLocation>> ShuffleMigration::end_batch(
    ExecutorId target, ShuffleId shuffle, const std::vector<std::int32_t>& copied) {
  std::vector<std::pair<std::int32_t, policies::MapStatusLocation>> moved;
  const auto batch = busy_.find(target);
  if (batch == busy_.end()) return moved;
  const auto keys = std::move(batch->second);
  busy_.erase(batch);
  for (const auto& key : keys) {
    auto& move = moves_.at(key);
    if (key.first == shuffle && std::find(copied.begin(), copied.end(), key.second) != copied.end()) {
      moved.emplace_back(key.second, move.from);
      moves_.erase(key);
      continue;
    }
    move.failed_at.insert(target);
    if (++move.failures >= failures_max_) moves_.erase(key);
    else requeue(key);
  }
  return moved;
}

void ShuffleMigration::remove_target(ExecutorId target) {
  const auto batch = busy_.find(target);
  if (batch == busy_.end()) return;
  for (const auto& key : batch->second) requeue(key);
  busy_.erase(batch);
}

void ShuffleMigration::requeue(const Key& key) {
  const auto row = moves_.find(key);
  if (row->second.is_source_lost) {
    moves_.erase(row);
    return;
  }
  row->second.target = {};
  waiting_.insert(key);
}

void ShuffleMigration::forget(ShuffleId shuffle) {
  const auto is_its = [shuffle](const Key& key) { return key.first == shuffle; };
  std::erase_if(moves_, [&](const auto& move) { return is_its(move.first); });
  std::erase_if(waiting_, is_its);
  for (auto& [target, keys] : busy_) std::erase_if(keys, is_its);
}

void ShuffleMigration::remove_sources(const std::set<ExecutorId>& sources) {
  for (auto row = moves_.begin(); row != moves_.end();) {
    auto& [key, move] = *row;
    const bool is_given_up = sources.contains(move.from.executor) && move.target.is_none();
    if (sources.contains(move.from.executor)) move.is_source_lost = true;
    if (is_given_up) waiting_.erase(key);
    row = is_given_up ? moves_.erase(row) : std::next(row);
  }
}

void ShuffleMigration::check_invariants() const {
  std::size_t held = 0;
  for (const auto& [target, keys] : busy_) {
    held += keys.size();
    for (const auto& key : keys)
      HEDDLE_ASSERT(moves_.at(key).target == target, "a batch holds an output of another target");
  }
  for (const auto& key : waiting_)
    HEDDLE_ASSERT(moves_.at(key).target.is_none(), "an output waits although a target copies it");
  HEDDLE_ASSERT(held + waiting_.size() == moves_.size(), "an output neither waits nor is being copied");
}

}  // namespace heddle::actors

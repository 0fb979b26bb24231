#include "work/shuffle/run_merge.hpp"

#include <utility>

namespace heddle::work {
namespace {
constexpr std::size_t merge_batch_records = 4096;
}

RunMerge::RunMerge(std::vector<SegmentLocation> locations, KeyComparator comparator, bool is_sorted)
    : comparator_{std::move(comparator)}, is_sorted_{is_sorted} {
  cursors_.reserve(locations.size());
  for (auto& location : locations) cursors_.emplace_back(std::move(location));
  heads_.resize(cursors_.size());
  waiting_ = is_sorted_ ? cursors_.size() : 0;
}

Result<bool> RunMerge::next(RecordBatch& batch) {
  batch.clear();
  return is_sorted_ && cursors_.size() > 1 ? next_merged(batch) : next_sequential(batch);
}

// Reads the segments one after the other, one block per batch. `waiting_` is the current segment.
Result<bool> RunMerge::next_sequential(RecordBatch& batch) {
  if (waiting_ == cursors_.size() && !is_built_) waiting_ = 0;
  is_built_ = true;
  while (waiting_ < cursors_.size()) {
    auto more = cursors_[waiting_].next_block();
    if (!more) {
      failed_map_ = cursors_[waiting_].map();
      return more.error();
    }
    if (!*more) {
      cursors_[waiting_++].close();
      continue;
    }
    Record record;
    while (cursors_[waiting_].next(record)) batch.push_back(record);
    if (!batch.empty()) return true;
  }
  return false;
}

void RunMerge::set_head(std::size_t run, const Record& record) {
  heads_[run].record = record;
  heads_[run].is_over = false;
  if (comparator_.is_bytes()) heads_[run].prefix = key_prefix(record.key.data(), record.key.size());
}

// Reads the next block of the run; its first record becomes the head.
Result<Done> RunMerge::load(std::size_t run) {
  heads_[run].is_over = true;
  for (;;) {
    auto more = cursors_[run].next_block();
    if (!more) {
      failed_map_ = cursors_[run].map();
      return more.error();
    }
    if (!*more) {
      cursors_[run].close();
      return Done{};
    }
    Record record;
    if (!cursors_[run].next(record)) continue;
    set_head(run, record);
    return Done{};
  }
}

bool RunMerge::is_before(std::size_t left, std::size_t right) const {
  if (left >= heads_.size() || right >= heads_.size()) return left < right;
  const auto& a = heads_[left];
  const auto& b = heads_[right];
  if (a.is_over != b.is_over) return b.is_over;
  if (a.is_over) return left < right;
  if (a.prefix != b.prefix) return a.prefix < b.prefix;
  if (comparator_.is_bytes() && is_whole_key(a.prefix)) return left < right;
  const int order = comparator_.compare(a.record.key, b.record.key);
  return order != 0 ? order < 0 : left < right;
}

void RunMerge::build() {
  while (leaves_ < heads_.size()) leaves_ *= 2;
  losers_.assign(leaves_, 0);
  std::vector<std::size_t> winners(2 * leaves_);
  for (std::size_t i = 0; i < leaves_; ++i) winners[leaves_ + i] = i;
  for (std::size_t node = leaves_ - 1; node >= 1; --node) {
    const auto left = winners[2 * node];
    const auto right = winners[2 * node + 1];
    const bool left_wins = is_before(left, right);
    winners[node] = left_wins ? left : right;
    losers_[node] = left_wins ? right : left;
  }
  losers_[0] = winners[1];
}

void RunMerge::replay(std::size_t run) {
  auto winner = run;
  for (auto node = (leaves_ + run) / 2; node >= 1; node /= 2)
    if (is_before(losers_[node], winner)) std::swap(losers_[node], winner);
  losers_[0] = winner;
}

Result<bool> RunMerge::next_merged(RecordBatch& batch) {
  if (!is_built_) {
    for (std::size_t run = 0; run < cursors_.size(); ++run)
      if (auto done = load(run); !done) return done.error();
    build();
    is_built_ = true;
  }
  if (waiting_ != cursors_.size()) {
    if (auto done = load(waiting_); !done) return done.error();
    replay(waiting_);
    waiting_ = cursors_.size();
  }
  while (batch.size() < merge_batch_records) {
    const auto run = losers_[0];
    if (heads_[run].is_over) break;
    batch.push_back(heads_[run].record);
    Record record;
    if (!cursors_[run].next(record)) {
      waiting_ = run;
      break;
    }
    if (record.key == heads_[run].record.key) {  // it is before all other heads, as the last one was
      heads_[run].record = record;
      continue;
    }
    set_head(run, record);
    replay(run);
  }
  return !batch.empty();
}

}  // namespace heddle::work

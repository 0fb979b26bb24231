// Completion events of the maps of one job, for its reduces: they read them by position (JB-4).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "model/attempt_work.hpp"

namespace heddle::actors {

class CompletionList {
public:
  void add_success(std::int32_t map, std::int32_t attempt, MapOutputLocation place, std::int64_t run_us) {
    success_of_map_.insert_or_assign(map, rows_.size());
    rows_.push_back({map, attempt, AttemptEnding::succeeded, std::move(place), run_us});
  }
  /// The output of this attempt is not used any more: readers that have its success see the later event.
  void add_loss(std::int32_t map, std::int32_t attempt) {
    const auto row = success_of_map_.find(map);
    if (row == success_of_map_.end() || rows_[row->second].attempt != attempt) return;
    rows_[row->second].ending = AttemptEnding::obsolete;
    success_of_map_.erase(row);
    rows_.push_back({map, attempt, AttemptEnding::killed});
  }
  /// The map has failed for good, and the job goes on without it.
  void add_failed_map(std::int32_t map, std::int32_t attempt) {
    rows_.push_back({map, attempt, AttemptEnding::task_failed});
  }
  /// At most map_completions_max events; none if `from` is not a position in the list.
  [[nodiscard]] std::vector<MapCompletion> rows_from(std::int32_t from) const {
    const auto begin = static_cast<std::size_t>(from);
    if (from < 0 || begin >= rows_.size()) return {};
    const auto count = std::min(map_completions_max, rows_.size() - begin);
    const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(begin);
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }

private:
  std::vector<MapCompletion> rows_;
  std::map<std::int32_t, std::size_t> success_of_map_;  // positions of rows that are not obsolete
};

}  // namespace heddle::actors

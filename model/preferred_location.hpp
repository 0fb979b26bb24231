// Preferred locations of tasks for the deciders. Hosts and executors are numbers; the roles map them to names.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/ids.hpp"

namespace heddle {

/// A host, numbered densely from 0 by the caller's table of names.
struct HostId {
  std::int32_t value = -1;
  constexpr HostId() = default;
  constexpr explicit HostId(std::int32_t number) : value{number} {}
  [[nodiscard]] constexpr bool is_none() const { return value < 0; }
  constexpr auto operator<=>(const HostId&) const = default;
};

/// `count` consecutive numbers from `first`.
struct IndexRange {
  std::int32_t first = 0;
  std::int32_t count = 0;
  constexpr IndexRange() = default;
  constexpr IndexRange(std::int32_t first_index, std::int32_t length) : first{first_index}, count{length} {}
  auto operator<=>(const IndexRange&) const = default;
  static void visit_fields(auto& visit, auto& self) {
    visit("first", self.first);
    visit("count", self.count);
  }
};

/// Appends a number to a list of ranges; extends the last range if the number follows it.
inline void append_index(std::vector<IndexRange>& ranges, std::int32_t index) {
  if (!ranges.empty() && ranges.back().first + ranges.back().count == index) {
    ranges.back().count += 1;
  } else {
    ranges.emplace_back(index, 1);
  }
}

/// Number of indices in the ranges.
[[nodiscard]] inline std::int32_t count_indices(std::span<const IndexRange> ranges) {
  std::int32_t count = 0;
  for (const IndexRange& range : ranges) count += range.count;
  return count;
}

/// One preferred location: a host, a host that caches the input, or an executor on a host.
struct PreferredLocation {
  enum class Kind : std::uint8_t { host, cached_on_host, executor };
  HostId host;
  Kind kind = Kind::host;
  ExecutorId executor;  // only for kind executor
  constexpr PreferredLocation() = default;
  constexpr explicit PreferredLocation(HostId on_host) : host{on_host} {}
  constexpr PreferredLocation(HostId on_host, ExecutorId on_executor)
      : host{on_host}, kind{Kind::executor}, executor{on_executor} {}
  auto operator<=>(const PreferredLocation&) const = default;
  static void visit_fields(auto& visit, auto& self) {
    visit("host", self.host);
    visit("kind", self.kind);
    visit("executor", self.executor);
  }
};

/// Preferred locations per index, best first, in two flat arrays. Immutable and shared.
class PreferredLocationLists {
public:
  void add(std::span<const PreferredLocation> places) {
    places_.insert(places_.end(), places.begin(), places.end());
    empty_lists_ += places.empty() ? 1 : 0;
    for (std::size_t i = 1; i < places.size() && !has_repeats_; ++i) {
      const std::span<const PreferredLocation> before = places.first(i);
      has_repeats_ = std::find(before.begin(), before.end(), places[i]) != before.end();
    }
    ends_.push_back(static_cast<std::uint32_t>(places_.size()));
  }
  void reserve(std::size_t lists, std::size_t places) {
    ends_.reserve(lists);
    places_.reserve(places);
  }
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  /// The locations of one index; empty for an index beyond the end.
  [[nodiscard]] std::span<const PreferredLocation> of(std::size_t index) const {
    if (index >= ends_.size()) return {};
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
    return {places_.data() + begin, ends_[index] - begin};
  }
  /// True if no index has a location.
  [[nodiscard]] bool is_blank() const { return places_.empty(); }
  /// True if every index has a location.
  [[nodiscard]] bool is_full() const { return empty_lists_ == 0; }

  /// True if a list has a location twice.
  [[nodiscard]] bool has_repeats() const { return has_repeats_; }

  /// For the digest of effects.
  static void visit_fields(auto& visit, auto& self) {
    visit("lists", self.ends_);
    visit("places", self.places_);
  }

private:
  std::vector<std::uint32_t> ends_;
  std::vector<PreferredLocation> places_;
  std::size_t empty_lists_ = 0;
  bool has_repeats_ = false;
};

/// Preferred locations of one task set. The lists belong to the dataset (look-up by partition index) or to this set
/// (look-up by task index). Without lists no task has a preference.
struct TaskSetLocations {
  std::shared_ptr<const PreferredLocationLists> lists;
  bool by_partition = true;
  static void visit_fields(auto& visit, auto& self) {
    visit("lists", self.lists);
    visit("by_partition", self.by_partition);
  }
  [[nodiscard]] std::span<const PreferredLocation> of(std::size_t position, std::int32_t partition) const {
    if (!lists) return {};
    return lists->of(by_partition ? static_cast<std::size_t>(partition) : position);
  }
};

/// The same lists without repeated locations; the first of each is kept.
[[nodiscard]] inline std::shared_ptr<const PreferredLocationLists> without_repeats(
    std::shared_ptr<const PreferredLocationLists> lists) {
  if (!lists || !lists->has_repeats()) return lists;
  auto distinct = std::make_shared<PreferredLocationLists>();
  std::vector<PreferredLocation> kept;
  for (std::size_t index = 0; index < lists->size(); ++index) {
    kept.clear();
    for (const PreferredLocation& place : lists->of(index)) {
      if (std::find(kept.begin(), kept.end(), place) == kept.end()) kept.push_back(place);
    }
    distinct->add(kept);
  }
  return distinct;
}

}  // namespace heddle

// Places where a task would like to run, as the deciders know them: hosts and executors are numbers, names stay at the
// boundary.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/ids.hpp"

namespace heddle::policies {

/// A host, numbered densely from 0 by the table of names that the caller owns.
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

/// Adds one number at the end of a list of ranges; it prolongs the last range if it follows it.
inline void append_index(std::vector<IndexRange>& ranges, std::int32_t index) {
  if (!ranges.empty() && ranges.back().first + ranges.back().count == index) {
    ranges.back().count += 1;
  } else {
    ranges.emplace_back(index, 1);
  }
}

/// How many numbers the ranges hold.
[[nodiscard]] inline std::int32_t count_indices(std::span<const IndexRange> ranges) {
  std::int32_t count = 0;
  for (const IndexRange& range : ranges) count += range.count;
  return count;
}

/// One preferred place: a host, a host that caches the input, or one executor on a host.
struct PreferredLocation {
  enum class Kind : std::uint8_t { host, cached_on_host, executor };
  HostId host;
  Kind kind = Kind::host;
  ExecutorId executor;  // kind executor only
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

/// A list of places per index, best first, in two flat arrays: made once, then shared by whoever reads it.
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
  /// The places of one index; none for an index beyond the end.
  [[nodiscard]] std::span<const PreferredLocation> of(std::size_t index) const {
    if (index >= ends_.size()) return {};
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
    return {places_.data() + begin, ends_[index] - begin};
  }
  /// True if nobody has a place.
  [[nodiscard]] bool is_blank() const { return places_.empty(); }
  /// True if every index has at least one place.
  [[nodiscard]] bool is_full() const { return empty_lists_ == 0; }

  /// True if some list names a place twice.
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

/// The places of the tasks of one task set. The lists belong to a whole dataset (then they are found by partition) or
/// to this set (then by position in the set). No lists: nobody has a preference.
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

/// The same lists, each place named once, where it was named first.
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

}  // namespace heddle::policies

// Places where a task would like to run, as the deciders know them: hosts and executors are numbers, names stay at the boundary.
#pragma once

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
};

/// One preferred place: a host, a host that caches the input, or one executor on a host.
struct TaskPlace {
  enum class Kind : std::uint8_t { host, cached_on_host, executor };
  HostId host;
  Kind kind = Kind::host;
  ExecutorId executor;  // kind executor only
  constexpr TaskPlace() = default;
  constexpr explicit TaskPlace(HostId on_host) : host{on_host} {}
  constexpr TaskPlace(HostId on_host, ExecutorId on_executor) : host{on_host}, kind{Kind::executor}, executor{on_executor} {}
  auto operator<=>(const TaskPlace&) const = default;
};

/// A list of places per index, best first, in two flat arrays: made once, then shared by whoever reads it.
class PlaceLists {
public:
  void add(std::span<const TaskPlace> places) {
    places_.insert(places_.end(), places.begin(), places.end());
    empty_lists_ += places.empty() ? 1 : 0;
    ends_.push_back(static_cast<std::uint32_t>(places_.size()));
  }
  void reserve(std::size_t lists, std::size_t places) {
    ends_.reserve(lists);
    places_.reserve(places);
  }
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  /// The places of one index; none for an index beyond the end.
  [[nodiscard]] std::span<const TaskPlace> of(std::size_t index) const {
    if (index >= ends_.size()) return {};
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
    return {places_.data() + begin, ends_[index] - begin};
  }
  /// True if nobody has a place.
  [[nodiscard]] bool is_blank() const { return places_.empty(); }
  /// True if every index has at least one place.
  [[nodiscard]] bool is_full() const { return empty_lists_ == 0; }

private:
  std::vector<std::uint32_t> ends_;
  std::vector<TaskPlace> places_;
  std::size_t empty_lists_ = 0;
};

/// The places of the tasks of one task set. The lists belong to a whole dataset (then they are found by partition) or to this set
/// (then by position in the set). No lists: nobody has a preference.
struct TaskSetPlaces {
  std::shared_ptr<const PlaceLists> lists;
  bool by_partition = true;
  [[nodiscard]] std::span<const TaskPlace> of(std::size_t position, std::int32_t partition) const {
    if (!lists) return {};
    return lists->of(by_partition ? static_cast<std::size_t>(partition) : position);
  }
};

}  // namespace heddle::policies

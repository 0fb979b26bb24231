// Fetches one partition of many map outputs for a reduce task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "model/stage_work.hpp"
#include "ports/copy_rules.hpp"
#include "ports/task_runner.hpp"

namespace heddle::ports {

/// Allocator that leaves new elements uninitialised, for buffers that the caller overwrites completely.
template <class Element>
struct UnfilledAllocator : std::allocator<Element> {
  template <class Other>
  struct rebind {
    using other = UnfilledAllocator<Other>;
  };
  template <class Other>
  void construct(Other* at) noexcept {
    ::new (static_cast<void*>(at)) Other;
  }
  template <class Other, class... Arguments>
  void construct(Other* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) Other(std::forward<Arguments>(arguments)...);
  }
};
using SegmentBytes = std::vector<std::byte, UnfilledAllocator<std::byte>>;

/// One partition of one map output: blocks as they are in the file (compressed, each with its checksum).
struct FetchedSegment {
  std::int32_t map = 0;
  SegmentBytes bytes;  // the segment, if it is in memory; otherwise:
  std::string path;    // file on this machine
  std::int64_t offset = 0;
  std::int64_t length = 0;
  bool is_owned = false;  // the receiver removes the file
};

/// The map output that could not be fetched, and its expected location.
struct FetchFailure {
  std::int32_t map = -1;
  MapOutputLocation at;
  std::string text;
  bool is_lost = true;  // false: a local error (no descriptors, full disk); the output may be intact
  CopyError error = CopyError::other;
};

struct FetchRequest {
  const ShuffleLocations& locations;
  std::int32_t partition = 0;
  int stop = -1;  // descriptor; the fetch ends as soon as it is readable. -1: the fetch cannot be stopped
};

class ShuffleFetch {
public:
  virtual ~ShuffleFetch() = default;
  /// Fetches partition `request.partition` of every map with a location; one without a location fails, unless it is
  /// not wanted or expected. Calls `on_segment` on the thread of the caller for each
  /// segment, in any order; if it returns false, the fetch ends. Returns false and fills `failure` at the first output
  /// that cannot be fetched, and at once when `request.stop` becomes readable. The bytes in flight are bounded
  /// (heddle.shuffle.in_flight_max).
  virtual bool fetch(const FetchRequest& request, const std::function<bool(FetchedSegment)>& on_segment,
                     FetchFailure& failure) = 0;
};

}  // namespace heddle::ports

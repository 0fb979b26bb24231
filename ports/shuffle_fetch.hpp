// Brings one partition of many map outputs to one reduce task.
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
#include "ports/task_runner.hpp"

namespace heddle::ports {

/// Leaves new elements as they are: whoever grows a buffer to receive into it overwrites every byte.
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

/// One map output's part for one partition: blocks exactly as they stand in the file (compressed, each with its
/// checksum).
struct FetchedSegment {
  std::int32_t map = 0;
  SegmentBytes bytes;  // the whole segment in memory …
  std::string path;    // … or where to read it on this machine
  std::int64_t offset = 0;
  std::int64_t length = 0;
  bool is_owned = false;  // the file is the receiver's, to remove
};

/// Which output could not be had, and where it should have been.
struct FetchFailure {
  std::int32_t map = -1;
  MapOutputLocation at;
  std::string text;
  bool is_lost =
      true;  // false: this side could not fetch (no descriptors, full disk); nothing is known about the output
};

struct FetchRequest {
  const ShuffleLocations& locations;
  std::int32_t partition = 0;
  int stop = -1;  // a descriptor; readable: the caller wants nothing more. -1: the fetch cannot be stopped
};

class ShuffleFetch {
public:
  virtual ~ShuffleFetch() = default;
  /// Fetches the partition of every map; `on_segment` runs on the caller's thread as segments arrive, in any order, and
  /// ends the fetch by returning false. Returns false with `failure` filled at the first output that cannot be had, and
  /// at once when `request.stop` becomes readable. Bytes in flight are bounded.
  virtual bool fetch(const FetchRequest& request, const std::function<bool(FetchedSegment)>& on_segment,
                     FetchFailure& failure) = 0;
};

}  // namespace heddle::ports

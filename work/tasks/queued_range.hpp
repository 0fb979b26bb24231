// Range of task attempts in the queue of a runner. Slots claim attempts at its front; retract removes them at its end;
// killed attempts that have not started are recorded.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "ports/task_runner.hpp"
#include "work/tasks/task_attempt.hpp"

namespace heddle::work {

struct InstalledStage {
  std::shared_ptr<const StageProgram> work;
  StageFunctions functions;
};

/// `window` has the unclaimed attempts as offsets from first_index: begin in the low half, end in the high half, so
/// that slots (begin) and retract (end) change it atomically.
struct QueuedRange {
  std::shared_ptr<const InstalledStage> stage;
  TaskRange range;
  std::atomic<std::uint64_t> window{0};
  std::atomic<bool> has_killed{false};
  std::map<std::int32_t, bool> killed;  // offset, and whether it was reported; guarded by the runner's mutex
  std::string kill_reason;

  static std::uint64_t pack(std::uint32_t begin, std::uint32_t end) {
    return (static_cast<std::uint64_t>(end) << 32) | begin;
  }
  static std::uint32_t begin_of(std::uint64_t packed) { return static_cast<std::uint32_t>(packed); }
  static std::uint32_t end_of(std::uint64_t packed) { return static_cast<std::uint32_t>(packed >> 32); }

  /// Claims the next offset; -1 if there is none.
  std::int32_t claim() {
    auto seen = window.load();
    while (begin_of(seen) < end_of(seen)) {
      if (window.compare_exchange_weak(seen, pack(begin_of(seen) + 1, end_of(seen))))
        return static_cast<std::int32_t>(begin_of(seen));
    }
    return -1;
  }
  /// Removes up to `count` attempts from the end; returns the first offset and the number.
  std::pair<std::int32_t, std::int32_t> retract(std::int32_t count);
  [[nodiscard]] bool is_empty() const {
    const auto seen = window.load();
    return begin_of(seen) >= end_of(seen);
  }
};

/// Returns a report of one attempt with an empty outcome.
[[nodiscard]] ports::TaskReport report_of(const QueuedRange& range, std::int32_t offset);
[[nodiscard]] ports::TaskReport killed_report(const QueuedRange& range, std::int32_t offset, const std::string& reason);

}  // namespace heddle::work

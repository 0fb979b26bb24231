// A range of task attempts in the queue of a runner: slots claim from its front, what is taken back leaves at its end,
// and what was killed before it began is noted here.
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

/// A range in the queue. `window` holds what is not claimed, as offsets from first_index: begin in the low half, end in
/// the high one. Slots move the begin, retract moves the end, each in one step.
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

  /// The next offset, or -1.
  std::int32_t claim() {
    auto seen = window.load();
    while (begin_of(seen) < end_of(seen)) {
      if (window.compare_exchange_weak(seen, pack(begin_of(seen) + 1, end_of(seen))))
        return static_cast<std::int32_t>(begin_of(seen));
    }
    return -1;
  }
  /// Takes up to `count` off the end; answers the first offset taken and how many.
  std::pair<std::int32_t, std::int32_t> take_back(std::int32_t count);
  [[nodiscard]] bool is_empty() const {
    const auto seen = window.load();
    return begin_of(seen) >= end_of(seen);
  }
};

/// A report of one attempt of the range, with nothing said of it yet.
[[nodiscard]] ports::TaskReport report_of(const QueuedRange& range, std::int32_t offset);
[[nodiscard]] ports::TaskReport killed_report(const QueuedRange& range, std::int32_t offset, const std::string& reason);

}  // namespace heddle::work

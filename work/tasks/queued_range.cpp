#include "work/tasks/queued_range.hpp"

#include <algorithm>

namespace heddle::work {

std::pair<std::int32_t, std::int32_t> QueuedRange::retract(std::int32_t count) {
  auto seen = window.load();
  while (true) {
    const auto begin = begin_of(seen);
    const auto end = end_of(seen);
    const auto taken = std::min<std::uint32_t>(end - begin, static_cast<std::uint32_t>(count));
    if (window.compare_exchange_weak(seen, pack(begin, end - taken))) {
      return {static_cast<std::int32_t>(end - taken), static_cast<std::int32_t>(taken)};
    }
  }
}

ports::TaskReport report_of(const QueuedRange& range, std::int32_t offset) {
  ports::TaskReport report;
  report.stage = range.range.stage;
  report.index = range.range.first_index + offset;
  report.attempt = range.range.attempt;
  return report;
}

ports::TaskReport killed_report(const QueuedRange& range, std::int32_t offset, const std::string& reason) {
  auto report = report_of(range, offset);
  report.outcome.state = TaskState::killed;
  report.outcome.failure = FailureKind::killed;
  report.outcome.text = reason;
  return report;
}

}  // namespace heddle::work

#include "actors/executor/status_reporter.hpp"

#include <algorithm>
#include <tuple>

namespace heddle::actors {
namespace {

bool is_plain(const TaskOutcome& outcome) {
  return outcome.state == TaskState::finished && outcome.bytes_read == 0 && outcome.records_read == 0 &&
         outcome.bytes_shuffled_in == 0 && outcome.bytes_shuffled_out == 0 && outcome.bytes_written == 0 &&
         outcome.records_written == 0 && outcome.bytes_spilled == 0 && outcome.partition_bytes.empty() &&
         outcome.counters.empty() && outcome.task_counters.empty() && outcome.standard_error.empty() &&
         outcome.text.empty();
}

bool continues(const FinishedRange& range, const ports::TaskReport& report) {
  return range.stage == report.stage && range.attempt == report.attempt &&
         range.first_index + range.count == report.index;
}

bool is_before(const ports::TaskReport* left, const ports::TaskReport* right) {
  return std::tie(left->stage, left->attempt, left->index) < std::tie(right->stage, right->attempt, right->index);
}

std::int32_t bounded(std::int64_t microseconds) {
  return static_cast<std::int32_t>(std::min<std::int64_t>(microseconds, INT32_MAX));
}

}  // namespace

StatusUpdate coalesce_reports(std::vector<ports::TaskReport> reports) {
  StatusUpdate gathered;
  std::vector<const ports::TaskReport*> plain;
  plain.reserve(reports.size());
  for (auto& report : reports) {
    if (is_plain(report.outcome)) plain.push_back(&report);
    else gathered.statuses.push_back({report.stage, report.index, report.attempt, std::move(report.outcome)});
  }
  // Several slots share the tasks of a range, so their reports form a range only after sorting.
  if (!std::is_sorted(plain.begin(), plain.end(), is_before)) std::sort(plain.begin(), plain.end(), is_before);
  for (const auto* report : plain) {
    if (gathered.finished.empty() || !continues(gathered.finished.back(), *report))
      gathered.finished.push_back({report->stage, report->index, 0, report->attempt, {}, {}});
    auto& range = gathered.finished.back();
    range.count += 1;
    range.start_us.push_back(report->outcome.start_us);
    range.run_us.push_back(bounded(report->outcome.run_us));
  }
  return gathered;
}

void StatusReporter::open(const DriverActor& driver, Epoch epoch) {
  const std::lock_guard lock{mutex_};
  driver_ = driver;
  epoch_ = epoch;
}

void StatusReporter::close() {
  const std::lock_guard lock{mutex_};
  driver_ = nullptr;
}

}  // namespace heddle::actors

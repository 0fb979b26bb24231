#include "apps/library/job_report.hpp"

#include <fmt/format.h>

#include "apps/output/summary.hpp"

namespace heddle {
namespace {

apps::StageProgress to_shown(const StageReport& stage) {
  apps::StageProgress shown;
  shown.name = stage.name;
  shown.tasks = stage.tasks;
  shown.launches = stage.locality;
  return shown;
}

StageReport to_report(const StageProgress& stage) {
  return {stage.name,     stage.tasks,           stage.running,
          stage.finished, stage.failed_attempts, apps::shown_levels(stage.locality)};
}

}  // namespace

std::int64_t JobReport::counter(std::string_view group, std::string_view counted) const {
  for (const auto& [key, value] : counters) {
    const auto tab = key.find('\t');
    if (tab != std::string::npos && std::string_view{key}.substr(0, tab) == group &&
        std::string_view{key}.substr(tab + 1) == counted)
      return value;
  }
  return 0;
}

std::string to_string(const JobReport& report) {
  apps::JobSummary summary;
  summary.name = report.name;
  summary.application = report.application;
  summary.succeeded = true;
  summary.wall = report.wall;
  for (const auto& stage : report.stages) summary.stages.push_back(to_shown(stage));
  summary.tasks = report.tasks;
  summary.attempts_failed = report.failed_attempts;
  for (const auto& failure : report.failures) summary.failures.push_back({failure.reason, failure.attempts});
  summary.bytes_read = report.bytes_read;
  summary.bytes_shuffled = report.bytes_shuffled;
  summary.bytes_written = report.bytes_written;
  summary.bytes_spilled = report.bytes_spilled;
  summary.outputs = report.outputs;
  summary.event_log = report.event_log;
  summary.counters = report.counters;
  return apps::print_summary(summary);
}

}  // namespace heddle

namespace heddle::apps {
namespace {

/// `text`: a reason, such as "cancelled by the user", or what went wrong when the job was cancelled, such as a commit
/// that the next run finishes.
std::string cancellation_text(const std::string& job, const std::string& text) {
  if (text.starts_with("cancelled")) return fmt::format("the job '{}' was {}", job, text);
  return fmt::format("the job '{}' was cancelled{}{}", job, text.empty() ? "" : ": ", text);
}

}  // namespace

void ReportRecorder::on_progress(const JobProgress& progress) {
  stages_.clear();
  for (const auto& stage : progress.stages) stages_.push_back(to_report(stage));
}

Result<JobReport> ReportRecorder::report(const JobGraph& graph, const JobFinished& finished,
                                         const Session& session) const {
  if (finished.status == JobStatus::cancelled) return Error{Errc::cancelled, cancellation_text(name_, finished.text)};
  if (finished.status != JobStatus::succeeded) return Error{Errc::failed, finished.text};
  JobReport report;
  report.name = name_;
  report.application = session.application();
  report.wall = std::chrono::duration_cast<Duration>(end_.value_or(std::chrono::steady_clock::now()) - begin_);
  report.stages = stages_;
  const auto& totals = finished.totals;
  report.tasks = totals.tasks;
  report.failed_attempts = totals.failed_attempts;
  for (const auto& [reason, attempts] : totals.failures) report.failures.push_back({reason, attempts});
  report.bytes_read = totals.bytes_read;
  report.bytes_shuffled = totals.bytes_shuffled;
  report.bytes_written = totals.bytes_written;
  report.bytes_spilled = totals.bytes_spilled;
  for (const auto& stage : graph.stages)
    if (stage.output) report.outputs.push_back(session.output_path(stage.output->path));
  report.event_log = session.event_log();
  report.counters = totals.counters;
  return report;
}

}  // namespace heddle::apps

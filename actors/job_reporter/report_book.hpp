// The reports about the jobs of an application so far: what a client that begins to follow them gets first.
#pragma once

#include <map>
#include <optional>

#include "messages/client.hpp"

namespace heddle::actors {

/// The newest reports about one job.
struct JobReports {
  JobAccepted accepted;
  std::optional<JobProgress> progress;
  std::optional<JobFinished> end;
};

class ReportBook {
public:
  /// Reports about a job that was not accepted are dropped.
  void add(const JobAccepted& report) { jobs_[report.job] = {report, std::nullopt, std::nullopt}; }
  void add(const JobProgress& report) {
    if (const auto row = jobs_.find(report.job); row != jobs_.end()) row->second.progress = report;
  }
  void add(const JobFinished& report) {
    if (const auto row = jobs_.find(report.job); row != jobs_.end()) row->second.end = report;
  }
  /// By job, ascending.
  [[nodiscard]] const std::map<JobId, JobReports>& jobs() const { return jobs_; }

private:
  std::map<JobId, JobReports> jobs_;
};

}  // namespace heddle::actors

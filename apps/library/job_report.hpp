// Builds the JobReport of a job from its progress messages and its JobFinished.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "apps/session/session.hpp"
#include "heddle/session.hpp"

namespace heddle::apps {

class ReportRecorder {
public:
  explicit ReportRecorder(std::string name) : name_{std::move(name)} {}

  void on_progress(const JobProgress& progress);
  /// Stops the measured time: the job has ended.
  void end() { end_ = std::chrono::steady_clock::now(); }
  [[nodiscard]] const std::vector<StageReport>& stages() const { return stages_; }
  /// The report; failed or cancelled if the job did not succeed.
  [[nodiscard]] Result<JobReport> report(const JobGraph& graph, const JobFinished& finished,
                                         const Session& session) const;

private:
  std::string name_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::optional<std::chrono::steady_clock::time_point> end_;
  std::vector<StageReport> stages_;
};

}  // namespace heddle::apps

// Reports of jobs that have ended, for clients that ask for them later. A report goes after some time, or when its user
// has too many newer ones. Cost of an end: the reports that are kept. After Hadoop 1.2's JobTracker.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "messages/client.hpp"
#include "model/time.hpp"

namespace heddle::actors {

struct ReportLimits {
  std::int64_t per_user = 100;
  Duration age = std::chrono::hours{24};
  Duration fresh_time = std::chrono::minutes{1};  // younger ones do not go for `per_user`; in Hadoop a constant
};

/// Bytes of one report with its texts and counters.
inline constexpr std::size_t report_bytes_max = std::size_t{64} << 10;

/// Cuts the text, then drops the last failures and counters, until the report has at most report_bytes_max bytes.
void limit_report(JobFinished& report);

class EndedJobs {
public:
  explicit EndedJobs(ReportLimits limits) : limits_{limits} {}
  /// Precondition: the job has no report, and no earlier call had a later `now`.
  void add(Instant now, const std::string& user, JobFinished report);
  /// Null: no job with this id has ended, or its report is gone.
  [[nodiscard]] const JobFinished* find(JobId job) const;
  /// Removes reports that are too old.
  void retire(Instant now);
  /// When the oldest report is too old; none without reports.
  [[nodiscard]] std::optional<Instant> next_due() const;
  void check_invariants() const;

private:
  struct Ended {
    JobId job;
    Instant at;
    std::string user;
  };
  using Rows = std::deque<Ended>;
  void remove(Rows::iterator row);

  ReportLimits limits_;
  std::map<JobId, JobFinished> reports_;
  Rows by_age_;  // oldest first
  std::map<std::string, std::int64_t> count_of_user_;
};

}  // namespace heddle::actors

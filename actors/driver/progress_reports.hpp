// Reports to clients about running jobs: progress soon after a change and at an interval, and each notice once.
// A plain class: no actor, no clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "actors/driver/job_record.hpp"
#include "messages/client.hpp"
#include "model/time.hpp"

namespace heddle::actors {

class ProgressReports {
public:
  ProgressReports(Duration interval, Duration quiet_interval, Instant now)
      : interval_{interval}, quiet_interval_{quiet_interval}, due_{now + interval} {}

  /// True when reports are due: one interval after a change, and one quiet interval after the last reports.
  [[nodiscard]] bool poll_due(Instant now);
  void mark_changed(Instant now) { due_ = std::min(due_, now + interval_); }
  [[nodiscard]] Instant next_due() const { return due_; }
  /// True if the clients may get what a task waits for: once per 10 s, because many tasks wait for the same.
  [[nodiscard]] bool poll_wait_notice(Instant now);
  /// True for the first use of a text. After 1,000 different texts always false, to bound memory.
  [[nodiscard]] bool is_first(const std::string& notice);
  /// Progress of all stages, which also sets the end time of stages that are done. `running`: running task attempts by
  /// index of the user's stage.
  [[nodiscard]] static JobProgress report(JobRecord& job, Instant now,
                                          const std::map<std::int32_t, std::int32_t>& running);

private:
  Duration interval_;
  Duration quiet_interval_;
  Instant due_;
  Instant wait_notice_due_ = Instant::min();
  std::set<std::string> sent_once_;
};

}  // namespace heddle::actors

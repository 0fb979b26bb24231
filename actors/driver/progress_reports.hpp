// What clients are told of running jobs: progress at an interval, and each notice once.
// A plain class: no actor, no clock.
#pragma once

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
  ProgressReports(Duration interval, Instant now) : interval_{interval}, due_{now + interval} {}

  /// True when reports are due.
  [[nodiscard]] bool take_due(Instant now);
  [[nodiscard]] Instant next_due() const { return due_; }
  /// True for the first use of a text, for the first thousand texts.
  [[nodiscard]] bool is_first(const std::string& notice);
  /// Progress of all stages. `running`: running attempts by the user's stage. Records when a stage ended.
  [[nodiscard]] static JobProgress report(JobRecord& job, Instant now,
                                          const std::map<std::int32_t, std::int32_t>& running);

private:
  Duration interval_;
  Instant due_;
  std::set<std::string> sent_once_;
};

}  // namespace heddle::actors

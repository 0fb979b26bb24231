// Consequences of successful and failed copies of map outputs for one MapReduce reduce: which copy counts, how long a
// host is avoided, when fetch failures are reported to the master, and when the reduce fails. Cost: logarithmic in the
// failed maps and hosts. After Hadoop's ShuffleSchedulerImpl (spec SH-3 to SH-5); rates are float, waits are truncated
// from double.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/stage_work.hpp"
#include "model/time.hpp"
#include "policies/map_reduce/shuffle_schedule_settings.hpp"

namespace heddle::policies {

enum class CopyFate : std::uint8_t { commit, abort };

struct CopyFailure {
  bool report_to_master = false;
  bool map_failed_too_often = false;  // the reduce fails because of this map
  bool is_unhealthy = false;          // the reduce fails because of all failed copies
  Duration host_penalty{0};
  bool operator==(const CopyFailure&) const = default;
};

/// `first` times 1.3 per failure, at most `longest`.
[[nodiscard]] Duration host_penalty(std::int32_t failures, Duration first, Duration longest);

class ShuffleSchedule {
public:
  ShuffleSchedule(ShuffleScheduleSettings settings, Instant now);

  /// A copy is complete. It counts unless the map was copied before.
  [[nodiscard]] CopyFate on_copied(Instant now, std::int32_t map, const std::string& host);
  [[nodiscard]] CopyFailure on_copy_failed(Instant now, std::int32_t map, const std::string& host, CopyError error);
  void on_host_failed(const std::string& host) { ++host_failures_[host]; }
  /// Run time of the longest map so far.
  void on_longest_map(Duration run_time) { settings_.longest_map = std::max(settings_.longest_map, run_time); }
  /// The map failed and the job continues without it: its output is not copied.
  void on_map_abandoned(std::int32_t map);

  [[nodiscard]] bool is_done() const { return remaining_ == 0; }
  [[nodiscard]] float progress() const;

private:
  [[nodiscard]] bool is_unhealthy(Instant now) const;

  ShuffleScheduleSettings settings_;
  Instant started_;
  Instant last_progress_;
  std::vector<bool> is_finished_;
  std::int32_t remaining_ = 0;
  std::int64_t failures_ = 0;
  std::map<std::int32_t, std::int32_t> failures_of_map_;
  std::map<std::string, std::int32_t> host_failures_;
};

/// Time during which at least one copy ran. Overlapping copies count once.
class CopyTime {
public:
  void add(Instant from, Instant to);
  [[nodiscard]] Duration total() const { return total_; }
  /// MB (1024 x 1024 bytes) per second of that time.
  [[nodiscard]] float rate(std::int64_t bytes) const;

private:
  std::map<Instant, Instant> spans_;  // disjoint; end by start
  Duration total_{0};
};

}  // namespace heddle::policies

#include "apps/bench/attempt_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>
#include <vector>

namespace heddle::apps {
namespace {

constexpr std::int64_t state_failed = 2;  // docs/event-log.md: TaskState

std::int64_t number_of(std::string_view line, std::string_view key) {
  const auto mark = fmt::format("\"{}\":", key);
  const auto at = line.find(mark);
  std::int64_t number = -1;
  if (at != std::string_view::npos) std::from_chars(line.data() + at + mark.size(), line.data() + line.size(), number);
  return number;
}

std::size_t count_of(std::string_view line, std::string_view key) {
  const auto mark = fmt::format("\"{}\":[", key);
  const auto at = line.find(mark);
  if (at == std::string_view::npos) return 0;
  const auto list = line.substr(at + mark.size(), line.find(']', at) - at - mark.size());
  std::size_t count = list.empty() ? 0 : 1;
  for (const char c : list) count += c == ',' ? 1 : 0;
  return count;
}

struct Attempts {
  std::uint8_t succeeded = 0;
  std::uint8_t failed = 0;
  std::uint8_t winner = 0;
};

class Tally {
public:
  explicit Tally(std::int64_t tasks) : attempts_(static_cast<std::size_t>(tasks)) {}

  /// Reads one line; returns false if it has an unknown task, or attempts without times.
  bool take(std::string_view line) {
    if (line.find("\"event\":\"stage_submitted\"") != std::string_view::npos) {
      std::fill(attempts_.begin(), attempts_.end(), Attempts{});  // drop the counts of a warm-up job
    } else if (line.find("\"event\":\"tasks_finished\"") != std::string_view::npos) {
      const auto first = number_of(line, "first");
      const auto count = number_of(line, "count");
      if (first < 0 || count < 0 || first + count > static_cast<std::int64_t>(attempts_.size())) return false;
      const auto rows = static_cast<std::size_t>(count);
      if (count_of(line, "start_us") != rows || count_of(line, "run_us") != rows) return false;
      for (auto index = first; index < first + count; ++index) succeed(index, number_of(line, "attempt"));
    } else if (line.find("\"event\":\"task_status\"") != std::string_view::npos) {
      const auto index = number_of(line, "index");
      const auto state = number_of(line, "state");
      if (index < 0 || index >= static_cast<std::int64_t>(attempts_.size()) || number_of(line, "start_us") < 0)
        return false;
      if (state == state_failed) attempts_[static_cast<std::size_t>(index)].failed += 1;
      if (state == state_failed - 1) succeed(index, number_of(line, "attempt"));
    }
    return true;
  }
  [[nodiscard]] const std::vector<Attempts>& attempts() const { return attempts_; }

private:
  void succeed(std::int64_t index, std::int64_t attempt) {
    auto& task = attempts_[static_cast<std::size_t>(index)];
    task.succeeded += 1;
    task.winner = static_cast<std::uint8_t>(attempt);
  }
  std::vector<Attempts> attempts_;
};

}  // namespace

Result<Done> check_attempts(const std::string& event_log, std::int64_t tasks, std::int32_t failing_stride) {
  std::ifstream file{event_log};
  if (!file) return Error{Errc::io, "cannot read the event log: " + event_log};
  Tally tally{tasks};
  for (std::string line; std::getline(file, line);)
    if (!tally.take(line)) return Error{Errc::internal, "the event log has a wrong line: " + line.substr(0, 200)};
  for (std::int64_t index = 0; index < tasks; ++index) {
    const auto& task = tally.attempts()[static_cast<std::size_t>(index)];
    const int failures = index % failing_stride == 0 ? 1 : 0;
    if (task.succeeded != 1 || task.failed != failures || task.winner != failures)
      return Error{Errc::internal,
                   fmt::format("task {} has {} successful and {} failed attempts, of which attempt {} won", index,
                               task.succeeded, task.failed, task.winner)};
  }
  return Done{};
}

Result<double> last_stage_seconds(const std::string& event_log) {
  std::ifstream file{event_log};
  std::int64_t begin_us = -1;
  std::int64_t end_us = -1;
  for (std::string line; std::getline(file, line);) {
    if (line.find("\"event\":\"stage_submitted\"") != std::string::npos) begin_us = number_of(line, "time_us");
    if (line.find("\"event\":\"stage_completed\"") != std::string::npos) end_us = number_of(line, "time_us");
  }
  if (begin_us < 0 || end_us <= begin_us)
    return Error{Errc::internal, "the event log has no stage that ended: " + event_log};
  return static_cast<double>(end_us - begin_us) / 1e6;
}

}  // namespace heddle::apps

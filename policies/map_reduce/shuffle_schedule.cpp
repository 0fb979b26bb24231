#include "policies/map_reduce/shuffle_schedule.hpp"

#include <algorithm>

#include "model/assert.hpp"
#include "model/java_number.hpp"

namespace heddle::policies {
namespace {

constexpr std::int32_t failures_of_one_map_min = 30;
constexpr std::int32_t failing_maps_max = 5;
constexpr float half = 0.5F;

float ratio(std::int64_t part, std::int64_t whole) { return static_cast<float>(part) / static_cast<float>(whole); }

}  // namespace

Duration host_penalty(std::int32_t failures, Duration first, Duration longest) {
  auto milliseconds = static_cast<double>(to_milliseconds(first));
  for (std::int32_t i = 0; i < failures && milliseconds < 1e12; ++i) milliseconds *= 1.3;
  return std::min<Duration>(std::chrono::milliseconds{java::to_long(milliseconds)}, longest);
}

ShuffleSchedule::ShuffleSchedule(ShuffleScheduleSettings settings, Instant now)
    : settings_{settings},
      started_{now},
      last_progress_{now},
      is_finished_(static_cast<std::size_t>(settings.maps)),
      remaining_{settings.maps} {}

CopyFate ShuffleSchedule::on_copied(Instant now, std::int32_t map, const std::string& host) {
  HEDDLE_ASSERT(map >= 0 && map < settings_.maps, "map index out of range");
  failures_of_map_.erase(map);
  host_failures_.erase(host);
  if (is_finished_[static_cast<std::size_t>(map)]) return CopyFate::abort;
  is_finished_[static_cast<std::size_t>(map)] = true;
  --remaining_;
  last_progress_ = now;
  return CopyFate::commit;
}

CopyFailure ShuffleSchedule::on_copy_failed(Instant now, std::int32_t map, const std::string& host, CopyError error) {
  CopyFailure outcome;
  const std::int32_t failures = ++failures_of_map_[map];
  // A successful copy may have removed the host meanwhile.
  const std::int32_t of_host = host_failures_.try_emplace(host, 1).first->second;
  outcome.map_failed_too_often = failures >= std::max(failures_of_one_map_min, settings_.maps / 10);
  outcome.report_to_master = error == CopyError::connect ||
                             (error == CopyError::read && settings_.report_read_errors) ||
                             failures % settings_.notice_every == 0 || of_host > settings_.host_failures_max;
  outcome.is_unhealthy = is_unhealthy(now);
  outcome.host_penalty = host_penalty(failures, settings_.penalty_first, settings_.penalty_max);
  ++failures_;
  return outcome;
}

void ShuffleSchedule::on_map_abandoned(std::int32_t map) {
  if (is_finished_[static_cast<std::size_t>(map)]) return;
  is_finished_[static_cast<std::size_t>(map)] = true;
  --remaining_;
}

float ShuffleSchedule::progress() const {
  return settings_.maps == 0 ? 1.0F : ratio(settings_.maps - remaining_, settings_.maps);
}

bool ShuffleSchedule::is_unhealthy(Instant now) const {
  const std::int32_t done = settings_.maps - remaining_;
  const auto failing = static_cast<std::int32_t>(failures_of_map_.size());
  if (failing < std::min(settings_.maps, failing_maps_max) && failing != remaining_) return false;
  if (failures_ + done == 0 || ratio(failures_, failures_ + done) < half) return false;
  if (ratio(done, settings_.maps) < half) return true;
  const std::int64_t stalled = to_milliseconds(now - last_progress_);
  const std::int64_t expected = to_milliseconds(std::max(last_progress_ - started_, settings_.longest_map));
  return expected == 0 ? stalled > 0 : ratio(stalled, expected) >= half;
}

void CopyTime::add(Instant from, Instant to) {
  auto next = spans_.upper_bound(from);
  if (next != spans_.begin() && std::prev(next)->second >= from) --next;
  while (next != spans_.end() && next->first <= to) {
    from = std::min(from, next->first);
    to = std::max(to, next->second);
    total_ -= next->second - next->first;
    next = spans_.erase(next);
  }
  spans_.emplace(from, to);
  total_ += to - from;
}

float CopyTime::rate(std::int64_t bytes) const {
  if (total_ <= Duration{0}) return 0;
  return ratio(bytes, to_milliseconds(total_)) * (1000.0F / 1024 / 1024);
}

}  // namespace heddle::policies

#include "actors/driver/progress_reports.hpp"

#include <chrono>

namespace heddle::actors {

bool ProgressReports::poll_due(Instant now) {
  if (now < due_) return false;
  due_ = now + quiet_interval_;
  return true;
}

bool ProgressReports::poll_wait_notice(Instant now) {
  constexpr auto interval = std::chrono::seconds{10};
  if (now < wait_notice_due_) return false;
  wait_notice_due_ = now + interval;
  return true;
}

bool ProgressReports::is_first(const std::string& notice) {
  constexpr std::size_t texts_max = 1000;
  return sent_once_.size() < texts_max && sent_once_.insert(notice).second;
}

JobProgress ProgressReports::report(JobRecord& job, Instant now, const std::map<std::int32_t, std::int32_t>& running) {
  JobProgress message;
  message.job = job.id;
  for (const auto& [stage, progress] : job.progress) {
    auto reported = progress;
    const auto attempts = running.find(stage);
    reported.running = attempts == running.end() ? 0 : attempts->second;
    reported.is_done = progress.is_done || reported.finished >= reported.tasks;
    auto& times = job.times[stage];
    if (reported.is_done && !times.ended) times.ended = now;
    reported.elapsed_us = (times.ended.value_or(now) - times.begun).count();
    message.stages.push_back(std::move(reported));
  }
  return message;
}

}  // namespace heddle::actors

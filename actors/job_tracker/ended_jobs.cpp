#include "actors/job_tracker/ended_jobs.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/assert.hpp"

namespace heddle::actors {
namespace {

using NamedCounts = std::vector<std::pair<std::string, std::int64_t>>;

/// Keeps the first rows that fit, and subtracts their bytes.
void keep_first(NamedCounts& counts, std::size_t& bytes_left) {
  const auto fits = [&bytes_left](const auto& count) {
    const auto bytes = count.first.size() + sizeof(count.second);
    if (bytes > bytes_left) return false;
    bytes_left -= bytes;
    return true;
  };
  counts.erase(std::find_if_not(counts.begin(), counts.end(), fits), counts.end());
  counts.shrink_to_fit();
}

}  // namespace

void limit_report(JobFinished& report) {
  if (report.text.size() > report_bytes_max / 2) report.text.resize(report_bytes_max / 2);
  auto bytes_left = report_bytes_max - report.text.size();
  keep_first(report.totals.failures, bytes_left);
  keep_first(report.totals.counters, bytes_left);
}

void EndedJobs::add(Instant now, const std::string& user, JobFinished report) {
  const JobId job = report.job;
  limit_report(report);
  reports_.emplace(job, std::move(report));
  by_age_.push_back({job, now, user});
  ++count_of_user_[user];
  while (count_of_user_[user] > limits_.per_user) {
    const auto oldest =
        std::find_if(by_age_.begin(), by_age_.end(), [&user](const Ended& row) { return row.user == user; });
    if (oldest->at + limits_.fresh_time > now) return;
    remove(oldest);
  }
}

const JobFinished* EndedJobs::find(JobId job) const {
  const auto row = reports_.find(job);
  return row == reports_.end() ? nullptr : &row->second;
}

void EndedJobs::retire(Instant now) {
  while (!by_age_.empty() && by_age_.front().at + limits_.age <= now) remove(by_age_.begin());
}

std::optional<Instant> EndedJobs::next_due() const {
  if (by_age_.empty()) return std::nullopt;
  return by_age_.front().at + limits_.age;
}

void EndedJobs::remove(Rows::iterator row) {
  const auto count = count_of_user_.find(row->user);
  if (--count->second == 0) count_of_user_.erase(count);
  reports_.erase(row->job);
  by_age_.erase(row);
}

void EndedJobs::check_invariants() const { HEDDLE_ASSERT(by_age_.size() == reports_.size(), "each report has an age"); }

}  // namespace heddle::actors

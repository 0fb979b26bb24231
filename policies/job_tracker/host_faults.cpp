#include "policies/job_tracker/host_faults.hpp"

#include <algorithm>
#include <numeric>

namespace heddle::policies {
namespace {

/// A host is gray if its faults exceed the average of all trackers by this part of the average.
constexpr double above_average = 0.5;
/// At most this part of the trackers is gray.
constexpr double gray_part_max = 0.5;

}  // namespace

HostFaults::HostFaults(std::int32_t faults_max, FaultWindow window)
    : faults_max_{faults_max},
      bucket_width_{std::min(window.bucket, window.window)},
      buckets_{static_cast<std::size_t>((window.window + bucket_width_ - Duration{1}) / bucket_width_)} {}

std::size_t HostFaults::bucket_of(Instant when) const {
  return static_cast<std::size_t>(when.time_since_epoch() / bucket_width_) % buckets_;
}

void HostFaults::rotate(Host& host, Instant now) const {
  while (now - host.rotated >= bucket_width_) {
    host.rotated += bucket_width_;
    host.faults[bucket_of(host.rotated)] = 0;
  }
}

std::int32_t HostFaults::sum(const Host& host) { return std::accumulate(host.faults.begin(), host.faults.end(), 0); }

std::int32_t HostFaults::count(Instant now, HostIndex host) {
  const auto row = hosts_.find(host);
  if (row == hosts_.end()) return 0;
  rotate(row->second, now);
  return sum(row->second);
}

bool HostFaults::is_gray(HostIndex host) const {
  const auto row = hosts_.find(host);
  return row != hosts_.end() && row->second.is_gray;
}

bool HostFaults::exceeds(Instant now, HostIndex host, std::int32_t trackers) {
  const std::int32_t faults = count(now, host);
  if (faults < faults_max_ || trackers == 0) return false;
  std::int64_t all = 0;
  for (auto& [index, each] : hosts_) {
    rotate(each, now);
    all += sum(each);
  }
  const double average = static_cast<double>(all) / trackers;
  return faults - average > above_average * average;
}

void HostFaults::add(Instant now, HostIndex host, std::int32_t trackers, std::int32_t gray_trackers) {
  const auto [row, is_new] = hosts_.try_emplace(host);
  if (is_new) {
    row->second.faults.resize(buckets_);
    row->second.rotated = now - now.time_since_epoch() % bucket_width_;
  }
  rotate(row->second, now);
  ++row->second.faults[bucket_of(now)];
  if (!row->second.is_gray && gray_trackers < trackers * gray_part_max)
    row->second.is_gray = exceeds(now, host, trackers);
}

void HostFaults::review(Instant now, HostIndex host, std::int32_t trackers) {
  if (is_gray(host)) hosts_.at(host).is_gray = exceeds(now, host, trackers);
}

}  // namespace heddle::policies

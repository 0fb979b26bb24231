#include "policies/job_tracker/host_faults.hpp"

#include <numeric>

namespace heddle::policies {
namespace {

/// A host is gray if its faults exceed the average of all trackers by this part of the average.
constexpr double above_average = 0.5;
/// At most this part of the trackers is gray.
constexpr double gray_part_max = 0.5;

}  // namespace

std::size_t HostFaults::bucket_of(Instant when) {
  return static_cast<std::size_t>(when.time_since_epoch() / bucket_width) % std::tuple_size_v<decltype(Host::faults)>;
}

void HostFaults::rotate(Host& host, Instant now) {
  while (now - host.rotated >= bucket_width) {
    host.rotated += bucket_width;
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
  if (is_new) row->second.rotated = now - now.time_since_epoch() % bucket_width;
  rotate(row->second, now);
  ++row->second.faults[bucket_of(now)];
  if (!row->second.is_gray && gray_trackers < trackers * gray_part_max)
    row->second.is_gray = exceeds(now, host, trackers);
}

void HostFaults::review(Instant now, HostIndex host, std::int32_t trackers) {
  if (is_gray(host)) hosts_.at(host).is_gray = exceeds(now, host, trackers);
}

}  // namespace heddle::policies

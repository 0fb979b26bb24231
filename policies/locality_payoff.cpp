#include "policies/locality_payoff.hpp"

#include <algorithm>

namespace heddle::policies {
namespace {

/// A slot has to become free before a waiting task's turn, which then is a whole one; and so few turns are never believed in.
constexpr double turn_of_its_own = 1.25;
constexpr double turns_min = 0.5;

}  // namespace

LocalityPayoff::Host& LocalityPayoff::host_of(const TaskPlace& place) {
  const auto at = static_cast<std::size_t>(place.host.value);
  if (at >= hosts_.size()) hosts_.resize(at + 1);
  return hosts_[at];
}

void LocalityPayoff::change_load(Host& host, std::int64_t by) {
  const auto turns_of_load = [&host] { return static_cast<double>(host.load) * static_cast<double>(host.load) / host.slots; };
  load_times_turns_ -= turns_of_load();
  host.load += by;
  load_ += by;
  load_times_turns_ += turns_of_load();
}

void LocalityPayoff::on_waiting(std::int32_t index, std::span<const TaskPlace> places, const ExecutorDirectory& directory) {
  std::uint8_t& parts = parts_[static_cast<std::size_t>(index)];
  if (places.empty() || parts != 0) return;
  for (const TaskPlace& place : places) {
    Host& host = host_of(place);
    if (!host.is_known) host.slots = directory.slots_of(place.host);
    host.is_known = true;
    if (host.slots > 0 && parts + 1 < nowhere) ++parts;
  }
  if (parts == 0) {
    parts = nowhere;
    ++waiting_nowhere_;
    return;
  }
  for (const TaskPlace& place : places)
    if (Host& host = host_of(place); host.slots > 0) change_load(host, whole_task / parts);
}

void LocalityPayoff::on_taken(std::int32_t index, std::span<const TaskPlace> places) {
  std::uint8_t& parts = parts_[static_cast<std::size_t>(index)];
  if (parts == 0) return;
  if (parts == nowhere) --waiting_nowhere_;
  else
    for (const TaskPlace& place : places)
      if (Host& host = host_of(place); host.slots > 0) change_load(host, -(whole_task / parts));
  parts = 0;
}

void LocalityPayoff::forget_waiting() {
  std::fill(parts_.begin(), parts_.end(), std::uint8_t{0});
  hosts_.clear();
  waiting_nowhere_ = 0;
  load_ = 0;
  load_times_turns_ = 0;
}

void LocalityPayoff::on_success(bool is_near, Duration time) {
  Mean& mean = is_near ? near_ : far_;
  ++mean.count;
  mean.total_ms += to_milliseconds(time);
}

double LocalityPayoff::time_ms() const {
  if (declared_.task_time > Duration::zero()) return static_cast<double>(to_milliseconds(declared_.task_time));
  return near_.count > 0 ? near_.value() : 0.0;
}

double LocalityPayoff::cost() const {
  if (declared_.far_cost > 0) return declared_.far_cost;
  if (near_.count == 0 || far_.count == 0 || near_.total_ms == 0) return 1.0;
  return std::max(1.0, far_.value() / near_.value());
}

bool LocalityPayoff::is_far_faster() const {
  if (load_ <= 0 || waiting_nowhere_ > 0) return true;
  const double turns = load_times_turns_ / static_cast<double>(load_) / static_cast<double>(whole_task);
  return cost() <= std::max(turns, turns_min) + turn_of_its_own;
}

Duration LocalityPayoff::wait_max() const { return std::chrono::milliseconds{static_cast<std::int64_t>((cost() - 1.0) * time_ms())}; }

}  // namespace heddle::policies

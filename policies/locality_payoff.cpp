#include "policies/locality_payoff.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::policies {
namespace {

/// A slot has to become free before a waiting task's turn, which then is a whole one; and so few turns are never believed in.
constexpr double turn_of_its_own = 1.25;
constexpr double turns_min = 0.5;

/// Attempts far away that earlier sets count for at most, and that count as if they were no slower while nothing is known.
constexpr double history_weight_max = 3;
constexpr double weight_of_nothing = 2;

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

void EndedAttempts::add(Duration time) {
  const auto ms = static_cast<double>(to_milliseconds(time));
  count += 1;
  total_ms += ms;
  total_cubes += ms * ms * ms;
}

void LocalityPayoff::change_running(bool is_near, Instant began, double by) {
  const auto ms = static_cast<double>(to_milliseconds(began - base_.value_or(began)));
  RunningAttempts& running = (is_near ? near_ : far_).running;
  running.count += by;
  running.first += by * ms;
  running.second += by * ms * ms;
  running.third += by * ms * ms * ms;
}

void LocalityPayoff::on_begin(bool is_near, Instant at) {
  // The sums stay small while times count from when nothing ran.
  if (near_.running.count + far_.running.count <= 0) {
    near_.running = far_.running = {};
    base_ = at;
  }
  change_running(is_near, at, 1);
}

void LocalityPayoff::on_end(bool is_near, Instant began) { change_running(is_near, began, -1); }

void LocalityPayoff::on_success(bool is_near, Duration time) { (is_near ? near_ : far_).ended.add(time); }

double LocalityPayoff::cubes(const Attempts& attempts) const {
  const auto ms = base_ ? static_cast<double>(to_milliseconds(now_ - *base_)) : 0.0;
  const RunningAttempts& running = attempts.running;
  const double up_to_now = ((running.count * ms - 3 * running.first) * ms + 3 * running.second) * ms - running.third;
  return attempts.ended.total_cubes + std::max(up_to_now, 0.0);
}

double LocalityPayoff::time_ms() const {
  if (declared_.task_time > Duration::zero()) return static_cast<double>(to_milliseconds(declared_.task_time));
  const EndedAttempts& known = near_.ended.count > 0 ? near_.ended : history_.near;
  return known.count > 0 ? known.total_ms / known.count : 0.0;
}

double LocalityPayoff::cost() const {
  if (declared_.far_cost > 0) return declared_.far_cost;
  const EndedAttempts& near = history_.near;
  const EndedAttempts& far = history_.far;
  const bool has_history = near.count > 0 && near.total_cubes > 0 && far.count > 0;
  const double earlier = has_history ? far.total_cubes / far.count / (near.total_cubes / near.count) : 1.0;
  const double weight = has_history ? std::min(far.count, history_weight_max) : weight_of_nothing;
  const double scale = near_.ended.count > 0 ? cubes(near_) / near_.ended.count : has_history ? near.total_cubes / near.count : 0.0;
  if (scale <= 0) return 1.0;
  return std::max(1.0, std::cbrt((cubes(far_) / scale + weight * earlier) / (far_.ended.count + weight)));
}

bool LocalityPayoff::is_far_faster() const {
  if (load_ <= 0 || waiting_nowhere_ > 0) return true;
  const double turns = load_times_turns_ / static_cast<double>(load_) / static_cast<double>(whole_task);
  return cost() <= std::max(turns, turns_min) + turn_of_its_own;
}

Duration LocalityPayoff::wait_max() const { return std::chrono::milliseconds{static_cast<std::int64_t>((cost() - 1.0) * time_ms())}; }

}  // namespace heddle::policies

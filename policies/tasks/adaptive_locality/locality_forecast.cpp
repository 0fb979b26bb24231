#include "policies/tasks/adaptive_locality/locality_forecast.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::policies {
namespace {

constexpr double capacity_rounding = 1e-4;

constexpr int halvings = 20;

}  // namespace

void LocalityForecast::prepare() {
  lists_first_.assign(hosts.size() + 1, 0);
  for (const std::int32_t host : places) ++lists_first_[static_cast<std::size_t>(host) + 1];
  for (std::size_t host = 0; host < hosts.size(); ++host) lists_first_[host + 1] += lists_first_[host];
  lists_.resize(places.size());
  cursor_.assign(lists_first_.begin(), lists_first_.end() - 1);
  for (std::size_t task = 0; task < tasks.size(); ++task)
    for (std::size_t place = places_first[task]; place < places_first[task + 1]; ++place)
      lists_[cursor_[static_cast<std::size_t>(places[place])]++] = static_cast<std::int32_t>(task);
}

std::int32_t LocalityForecast::last_done(std::span<const Host> hosts) {
  std::int32_t last = -1;
  double latest = 0;
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    if (hosts[host].slots == 0 || hosts[host].load <= capacity_rounding) continue;
    const double end = (hosts[host].busy + hosts[host].load) / static_cast<double>(hosts[host].slots);
    if (last >= 0 && end <= latest + capacity_rounding) continue;
    last = static_cast<std::int32_t>(host);
    latest = end;
  }
  return last;
}

// -- one simulation ---------------------------------------------------------------

std::int32_t LocalityForecast::next_at(std::size_t host) {
  std::size_t& at = cursor_[host];
  while (at < lists_first_[host + 1] && is_taken_[static_cast<std::size_t>(lists_[at])] != 0) ++at;
  return at < lists_first_[host + 1] ? lists_[at] : -1;
}

void LocalityForecast::start(std::size_t host, std::int32_t index, bool is_near) {
  const auto at = static_cast<std::size_t>(index);
  const Task& task = tasks[at];
  const double time = is_near ? task.time : task.time * far_cost;
  is_taken_[at] = 1;
  --left_;
  --idle_[host];
  played_[static_cast<std::size_t>(task.home)].load -= task.time;
  played_[host].busy += time;
  end_ = std::max(end_, now_ + time);
  running_.push_back({now_ + time, static_cast<std::int32_t>(host)});
  std::push_heap(running_.begin(), running_.end(), [](const Busy& a, const Busy& b) { return a.until > b.until; });
}

void LocalityForecast::fill_near() {
  for (bool has_started = true; has_started;) {
    has_started = false;
    for (const std::int32_t number : idle_hosts_) {
      const auto host = static_cast<std::size_t>(number);
      if (idle_[host] == 0) continue;
      const std::int32_t task = next_at(host);
      if (task < 0) continue;
      start(host, task, true);
      has_started = true;
    }
  }
}

void LocalityForecast::fill_far(LocalityPlan plan) {
  if (now_ + far_cost > plan.deadline + tolerance) {
    has_waited_ = true;
    return;
  }
  for (bool has_started = true; has_started && left_ > 0;) {
    has_started = false;
    for (const std::int32_t number : idle_hosts_) {
      const auto host = static_cast<std::size_t>(number);
      if (idle_[host] == 0 || left_ == 0) continue;
      std::int32_t task = -1;
      if (const std::int32_t source = plan.has_deadline() ? last_done(played_) : -1; source >= 0)
        task = next_at(static_cast<std::size_t>(source));
      while (task < 0 && is_taken_[next_of_all_] != 0) ++next_of_all_;
      if (task < 0) task = static_cast<std::int32_t>(next_of_all_);
      start(host, task, false);
      has_started = true;
    }
  }
}

double LocalityForecast::end_of(LocalityPlan plan, double limit) {
  const auto later = [](const Busy& a, const Busy& b) { return a.until > b.until; };
  played_ = hosts;
  cursor_.assign(lists_first_.begin(), lists_first_.end() - 1);
  is_taken_.assign(tasks.size(), 0);
  idle_.assign(hosts.size(), 0);
  running_.clear();
  next_of_all_ = 0;
  left_ = tasks.size();
  end_ = 0;
  has_waited_ = false;
  for (std::size_t host = 0; host < hosts.size(); ++host)
    for (std::size_t slot = 0; slot < hosts[host].slots; ++slot)
      running_.push_back({free_at[hosts[host].first_slot + slot], static_cast<std::int32_t>(host)});
  for (const Busy& one : running_) end_ = std::max(end_, one.until);
  std::make_heap(running_.begin(), running_.end(), later);
  while (left_ > 0 && !running_.empty() && end_ < limit) {
    now_ = running_.front().until;
    idle_hosts_.clear();
    while (!running_.empty() && running_.front().until <= now_ + capacity_rounding) {
      const std::int32_t host = running_.front().host;
      std::pop_heap(running_.begin(), running_.end(), later);
      running_.pop_back();
      // Slots that found no task before find none now. Only newly free slots are searched.
      if (idle_[static_cast<std::size_t>(host)]++ == 0) idle_hosts_.push_back(host);
    }
    std::sort(idle_hosts_.begin(), idle_hosts_.end());
    fill_near();
    if (left_ > 0) fill_far(plan);
    for (const std::int32_t host : idle_hosts_) idle_[static_cast<std::size_t>(host)] = 0;
  }
  return left_ > 0 && end_ < limit ? never : end_;
}

// -- the earliest end --------------------------------------------------------------

double LocalityForecast::end_lower_bound() const {
  double latest = 0;
  double sum = 0;
  double slots = 0;
  for (const double free : free_at) latest = std::max(latest, free);
  for (const Host& host : hosts) {
    sum += host.busy + host.load;
    slots += static_cast<double>(host.slots);
  }
  return std::max(latest, slots > 0 ? sum / slots : 0.0);
}

double LocalityForecast::near_end(const Host& host) const {
  double low = 0;
  double high = free_at[host.first_slot] + host.load + 1;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    double room = 0;
    for (std::size_t slot = 0; slot < host.slots; ++slot)
      room += std::floor(std::max(0.0, middle - free_at[host.first_slot + slot]) + capacity_rounding);
    (room >= host.load ? high : low) = middle;
  }
  return high;
}

bool LocalityForecast::is_feasible(double end) const {
  double over = 0;
  double far_room = 0;
  for (const Host& host : hosts) {
    double room = 0;
    double spare = 0;
    for (std::size_t slot = 0; slot < host.slots; ++slot) {
      const double left = std::max(0.0, end - free_at[host.first_slot + slot]);
      room += std::floor(left + capacity_rounding);
      spare += left;
      if (host.load <= 0) far_room += std::floor(left / far_cost + capacity_rounding);
    }
    const auto slots = static_cast<double>(host.slots);
    if (room < host.load) over += host.load - room;
    else if (host.load > 0) far_room += slots * std::floor((spare - host.load) / slots / far_cost + capacity_rounding);
  }
  return over <= far_room + capacity_rounding;
}

double LocalityForecast::earliest_end() const {
  double end = 0;
  for (const Host& host : hosts)
    if (host.load > 0) end = std::max(end, near_end(host));
  double low = 0;
  for (int i = 0; far_cost <= end && i < halvings; ++i) {
    const double middle = (low + end) / 2;
    (is_feasible(middle) ? end : low) = middle;
  }
  return end;
}

}  // namespace heddle::policies

#include "policies/tasks/adaptive_locality/locality_payoff.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace heddle::policies {
namespace {

constexpr double time_rounding = 1e-3;

/// Gain that a plan needs, as a part of the end without waiting. More is needed if the cost of far tasks is measured,
/// or if there are unseen slots.
constexpr double gain_min = 0.01;
constexpr double gain_min_unsure = 0.05;

/// Slots with unseen work are expected to be free after this many task times. A plan must not be longer than no waiting
/// if they are free at once or after twice the time.
constexpr double unseen_rest = 1.0;
constexpr std::array unseen_rest_extremes{0.0, 2 * unseen_rest};

/// Largest number of far attempts of earlier sets that count.
constexpr double history_weight_max = 3;

/// Sets with more waiting tasks use the earliest end as deadline without simulation.
constexpr std::size_t simulated_max = 8192;
constexpr std::size_t steps_max = 400'000;  // tasks times hosts

/// Marks a task without a home.
constexpr std::int32_t no_home = -1;
constexpr std::int32_t not_waiting = -2;

}  // namespace

LocalityPayoff::LocalityPayoff(const AdaptiveLocality& declared, const LocalityHistory& history, std::int32_t tasks,
                               std::shared_ptr<const std::vector<std::int32_t>> shares)
    : declared_{declared},
      history_{history},
      home_(static_cast<std::size_t>(tasks), not_waiting),
      shares_{std::move(shares)} {
  if (!shares_ || shares_->size() != home_.size()) return;
  for (const std::int32_t share : *shares_) share_mean_ += share;
  share_mean_ /= std::max<double>(static_cast<double>(tasks), 1.0);
}

std::vector<LocalityPayoff::Running>& LocalityPayoff::running_on(HostId id) {
  const auto at = static_cast<std::size_t>(id.value);
  if (at >= running_.size()) running_.resize(at + 1);
  return running_[at];
}

void LocalityPayoff::on_waiting(std::int32_t index) {
  std::int32_t& home = home_[static_cast<std::size_t>(index)];
  if (home == not_waiting) {
    ++waiting_count_;
    waiting_.push_back(index);
    home = no_home;
  }
  ++last_look_.changes;
}

void LocalityPayoff::on_taken(std::int32_t index) {
  const std::int32_t home = std::exchange(home_[static_cast<std::size_t>(index)], not_waiting);
  if (home == not_waiting) return;
  --waiting_count_;
  ++last_look_.changes;
  if (home != no_home && static_cast<std::size_t>(home) < forecast_.hosts.size())
    forecast_.hosts[static_cast<std::size_t>(home)].load -= time_of(index);
}

void EndedAttempts::add(Duration time, double expected) {
  count += expected;
  total_ms += static_cast<double>(to_milliseconds(time));
}

void LocalityPayoff::change_running(bool is_near, std::int32_t index, Instant began, double by) {
  RunningAttempts& running = (is_near ? near_ : far_).running;
  running.count += by;
  running.expected += by * time_of(index);
  running.began_ms += by * static_cast<double>(to_milliseconds(began - base_.value_or(began)));
}

void LocalityPayoff::on_begin(bool is_near, HostId host, std::int32_t index, Instant at) {
  // Resets the origin of times while nothing runs, which keeps the sums small.
  if (near_.running.count + far_.running.count <= 0) {
    near_.running = far_.running = {};
    base_ = at;
  }
  change_running(is_near, index, at, 1);
  const double expected = time_of(index);
  running_on(host).push_back({at, index, is_near});
  if (const auto number = static_cast<std::size_t>(host.value); number < forecast_.hosts.size())
    forecast_.hosts[number].busy += is_near ? expected : expected * forecast_.far_cost;
  ++last_look_.changes;
}

void LocalityPayoff::on_end(bool is_near, HostId host, std::int32_t index, Instant began) {
  change_running(is_near, index, began, -1);
  auto& running = running_on(host);
  const auto same = [&](const Running& one) { return one.index == index && one.began == began; };
  const auto found = std::find_if(running.begin(), running.end(), same);
  if (found != running.end()) running.erase(found);
  ++last_look_.changes;
}

void LocalityPayoff::on_success(bool is_near, std::int32_t index, Duration time) {
  EndedAttempts& ended = (is_near ? near_ : far_).ended;
  if (ended.count <= 0) last_look_.is_current = false;  // the first measurement changes much
  ended.add(time, time_of(index));
}

double LocalityPayoff::time_of(std::int32_t index) const {
  return share_mean_ > 0 ? std::max(1e-3, (*shares_)[static_cast<std::size_t>(index)] / share_mean_) : 1.0;
}

double LocalityPayoff::time_ms() const {
  // With shares, the mean can be computed from any task, short or long.
  if (share_mean_ > 0 && near_.ended.count > 0 && near_.ended.total_ms > 0)
    return near_.ended.total_ms / near_.ended.count;
  if (declared_.task_time > Duration::zero()) return static_cast<double>(to_milliseconds(declared_.task_time));
  const EndedAttempts& known = near_.ended.count > 0 ? near_.ended : history_.near;
  return known.count > 0 ? known.total_ms / known.count : 0.0;
}

double LocalityPayoff::mean_ms(const Attempts& attempts) const {
  const EndedAttempts& ended = attempts.ended;
  const RunningAttempts& running = attempts.running;
  const double of_ended = ended.count > 0 ? ended.total_ms / ended.count : 0.0;
  if (running.count <= 0 || !base_) return of_ended;
  // Running attempts take at least their run time so far. Without them the mean is too low, since short attempts end
  // first.
  const double ran_ms = static_cast<double>(to_milliseconds(now_ - *base_)) * running.count - running.began_ms;
  return std::max(of_ended, ran_ms / running.expected);
}

double LocalityPayoff::cost() const {
  if (declared_.far_cost > 0) return declared_.far_cost;
  const EndedAttempts& near = history_.near;
  const EndedAttempts& far = history_.far;
  const bool has_history = near.count > 0 && near.total_ms > 0 && far.count > 0;
  const double earlier = has_history ? std::max(1.0, far.total_ms / far.count / (near.total_ms / near.count)) : 1.0;
  const double time = near_.ended.count > 0 ? mean_ms(near_) : has_history ? near.total_ms / near.count : 0.0;
  if (time <= 0) return earlier;
  const double seen = std::max(1.0, mean_ms(far_) / time);
  if (far_.ended.count > 0) {
    const double weight = has_history ? std::min(far.count, history_weight_max) : 0.0;
    return (far_.ended.count * seen + weight * earlier) / (far_.ended.count + weight);
  }
  return std::max(earlier, seen);
}

// -- the plan --------------------------------------------------------------------

double LocalityPayoff::units_since(Instant past) const {
  return last_look_.unit_ms > 0 ? static_cast<double>(to_milliseconds(now_ - past)) / last_look_.unit_ms : 0.0;
}

bool LocalityPayoff::is_due() const {
  if (!last_look_.is_current) return true;
  if (last_look_.changes > 0 && last_look_.changes >= last_look_.size / 4) return true;
  return last_look_.changes >= last_look_.size / 32 && units_since(last_look_.at) >= 0.125;
}

bool LocalityPayoff::may_go_far(Instant now, const ExecutorDirectory& directory, const PlacesOf& places_of) {
  now_ = now;
  if (is_due()) look(directory, places_of);
  is_far_ =
      has_stranded_ || units_since(last_look_.at) + forecast_.far_cost <= plan_.deadline + LocalityForecast::tolerance;
  return is_far_;
}

HostId LocalityPayoff::far_source() const {
  return plan_.has_deadline() && !has_stranded_ ? HostId{LocalityForecast::last_done(forecast_.hosts)} : HostId{};
}

void LocalityPayoff::look(const ExecutorDirectory& directory, const PlacesOf& places_of) {
  const double before_ms = std::exchange(last_look_.unit_ms, time_ms());
  if (plan_.has_deadline() && last_look_.unit_ms > 0)
    plan_.deadline = plan_.deadline * before_ms / last_look_.unit_ms - units_since(last_look_.at);
  last_look_.at = now_;
  forecast_.far_cost = cost();
  find_free_slots(directory);
  find_waiting(places_of);
  if (has_stranded_ || forecast_.far_cost <= 1) plan_ = {};
  else choose_plan();
  last_look_.changes = 0;
  last_look_.size = waiting_count_ + forecast_.free_at.size();
  last_look_.is_current = true;
}

void LocalityPayoff::find_free_slots(const ExecutorDirectory& directory) {
  const std::size_t hosts = std::max(running_.size(), directory.hosts().size());
  running_.resize(hosts);
  auto& free_at = forecast_.free_at;
  free_at.clear();
  unseen_.clear();
  forecast_.hosts.assign(hosts, {});
  for (std::size_t number = 0; number < hosts; ++number) {
    LocalityForecast::Host& host = forecast_.hosts[number];
    const HostId id{static_cast<std::int32_t>(number)};
    const auto slots = static_cast<std::size_t>(directory.slots_of(id));
    host.first_slot = free_at.size();
    host.slots = slots;
    for (const Running& one : running_[number]) {
      const double ran = units_since(one.began);
      const double expected = time_of(one.index) * (one.is_near ? 1.0 : forecast_.far_cost);
      // An attempt that runs longer than expected is expected to run for another half of its excess.
      const double rest = ran < expected ? expected - ran : (ran - expected) / 2;
      if (free_at.size() - host.first_slot < slots) free_at.push_back(rest);
    }
    for (std::int32_t i = directory.running_on(id) - static_cast<std::int32_t>(running_[number].size()); i > 0; --i)
      if (free_at.size() - host.first_slot < slots) {
        unseen_.push_back({free_at.size(), number});
        free_at.push_back(unseen_rest);
      }
    free_at.resize(host.first_slot + slots, 0.0);
    for (std::size_t slot = 0; slot < slots; ++slot) host.busy += free_at[host.first_slot + slot];
  }
}

std::int32_t LocalityPayoff::least_loaded(std::span<const std::int32_t> hosts, double time) const {
  std::int32_t least = -1;
  double least_level = 0;
  for (const std::int32_t number : hosts) {
    const LocalityForecast::Host& host = forecast_.hosts[static_cast<std::size_t>(number)];
    const double level = (host.busy + host.load + time) / static_cast<double>(host.slots);
    if (least >= 0 && level >= least_level) continue;
    least = number;
    least_level = level;
  }
  return least;
}

void LocalityPayoff::find_waiting(const PlacesOf& places_of) {
  std::erase_if(waiting_, [this](std::int32_t index) { return home_[static_cast<std::size_t>(index)] == not_waiting; });
  if (std::adjacent_find(waiting_.begin(), waiting_.end(), std::greater_equal<>{}) != waiting_.end()) {
    std::sort(waiting_.begin(), waiting_.end());
    // a task may be listed twice after a failure
    waiting_.erase(std::unique(waiting_.begin(), waiting_.end()), waiting_.end());
  }
  has_stranded_ = false;
  forecast_.tasks.clear();
  forecast_.places.clear();
  forecast_.places_first.assign(1, 0);
  for (const std::int32_t index : waiting_) {
    for (const PreferredLocation& place : places_of(index)) {
      const auto host = static_cast<std::size_t>(place.host.value);
      if (host < forecast_.hosts.size() && forecast_.hosts[host].slots > 0)
        forecast_.places.push_back(place.host.value);
    }
    if (forecast_.places.size() == forecast_.places_first.back()) has_stranded_ = true;
    forecast_.places_first.push_back(forecast_.places.size());
    forecast_.tasks.push_back({time_of(index), -1});
  }
}

bool LocalityPayoff::keep_current_homes() {
  for (LocalityForecast::Host& host : forecast_.hosts) host.load = 0;
  for (std::size_t task = 0; task < waiting_.size(); ++task) {
    const std::int32_t home = home_[static_cast<std::size_t>(waiting_[task])];
    if (home < 0 || forecast_.hosts[static_cast<std::size_t>(home)].slots == 0) return false;
    forecast_.tasks[task].home = home;
    forecast_.hosts[static_cast<std::size_t>(home)].load += forecast_.tasks[task].time;
  }
  return true;
}

void LocalityPayoff::spread_waiting() {
  for (LocalityForecast::Host& host : forecast_.hosts) host.load = 0;
  // Tasks with one host first; tasks with a choice can avoid loaded hosts.
  for (const bool has_choice : {false, true})
    for (std::size_t task = 0; task < waiting_.size(); ++task) {
      const std::size_t first = forecast_.places_first[task];
      const std::size_t count = forecast_.places_first[task + 1] - first;
      if ((count > 1) != has_choice) continue;
      const std::int32_t home =
          least_loaded(std::span{forecast_.places}.subspan(first, count), forecast_.tasks[task].time);
      forecast_.hosts[static_cast<std::size_t>(home)].load += forecast_.tasks[task].time;
      forecast_.tasks[task].home = home;
    }
}

bool LocalityPayoff::can_be_simulated() const {
  return waiting_.size() <= simulated_max && waiting_.size() * forecast_.hosts.size() <= steps_max;
}

void LocalityPayoff::choose_plan() {
  const bool is_played = can_be_simulated();
  if (is_played) forecast_.prepare();
  std::optional<double> current_end;
  if (is_played && plan_.has_deadline() && keep_current_homes()) current_end = forecast_.end_of(plan_);
  spread_waiting();
  if (!is_played) {
    plan_.deadline = forecast_.earliest_end();
  } else if (const auto better = find_better(current_end)) {
    plan_ = *better;
  } else {
    keep_current_homes();
    return;
  }
  for (std::size_t task = 0; task < waiting_.size(); ++task)
    home_[static_cast<std::size_t>(waiting_[task])] = forecast_.tasks[task].home;
}

std::optional<LocalityPlan> LocalityPayoff::find_better(std::optional<double> current_end) {
  const double begun = units_since(base_.value_or(now_));
  const double without = forecast_.end_of({});
  const double least_gain = declared_.far_cost > 0 && unseen_.empty() ? gain_min : gain_min_unsure;
  std::optional<LocalityPlan> best;
  double best_end = plan_.has_deadline() ? without : without - least_gain * (begun + without);
  if (current_end && *current_end < without - time_rounding) best_end = *current_end;
  else best.emplace();
  if (forecast_.end_lower_bound() >= best_end - time_rounding) return best;
  const ExtremeEnds bounds = ends_at_extremes({}, {LocalityForecast::never, LocalityForecast::never});
  bool has_waited = false;
  const auto try_plan = [&](double deadline) {
    const double end = forecast_.end_of({deadline}, best_end - time_rounding);
    has_waited = forecast_.has_waited();
    if (end >= best_end - time_rounding || !is_safe({deadline}, bounds)) return;
    best = {deadline};
    best_end = end;
  };
  if (plan_.has_deadline()) try_plan(plan_.deadline);
  const double earliest = forecast_.earliest_end();
  try_plan(earliest);
  for (const double more : {0.5, 1.0, 2.0})
    if (has_waited) try_plan(earliest + more);
  try_plan(0);
  return best;
}

void LocalityPayoff::expect_unseen(double rest) {
  for (const Unseen& one : unseen_) {
    double& free_at = forecast_.free_at[one.slot];
    forecast_.hosts[one.host].busy += rest - free_at;
    free_at = rest;
  }
}

LocalityPayoff::ExtremeEnds LocalityPayoff::ends_at_extremes(LocalityPlan plan, const ExtremeEnds& limits) {
  ExtremeEnds ends{};
  if (unseen_.empty()) return ends;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    expect_unseen(unseen_rest_extremes[i]);
    ends[i] = forecast_.end_of(plan, limits[i]);
  }
  expect_unseen(unseen_rest);
  return ends;
}

bool LocalityPayoff::is_safe(LocalityPlan plan, const ExtremeEnds& bounds) {
  ExtremeEnds limits{};
  for (std::size_t i = 0; i < limits.size(); ++i) limits[i] = bounds[i] + time_rounding;
  const ExtremeEnds ends = ends_at_extremes(plan, limits);
  return std::equal(ends.begin(), ends.end(), limits.begin(), std::less<>{});
}

}  // namespace heddle::policies

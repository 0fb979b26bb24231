#include "policies/map_reduce/map_reduce_speculator.hpp"

#include <algorithm>

#include "model/assert.hpp"
#include "model/java_number.hpp"

namespace heddle::policies {

namespace {

std::int64_t milliseconds(Instant instant) { return to_milliseconds(instant.time_since_epoch()); }

}  // namespace

// Hadoop cuts to an integer after each of the two maxima.
std::int32_t speculation_allowance(std::int32_t tasks, std::int32_t running, const SpeculatorSettings& settings) {
  const std::int32_t of_total =
      java::to_int(java::max(static_cast<double>(settings.allowed_min), settings.cap_total * tasks));
  return java::to_int(java::max(static_cast<double>(of_total), settings.cap_running * running));
}

MapReduceSpeculator::MapReduceSpeculator(const SpeculatorSettings& settings) : settings_{settings} {
  maps_.is_on = settings_.speculates_maps;
  maps_.tasks.resize(static_cast<std::size_t>(settings_.maps));
  reduces_.is_on = settings_.speculates_reduces;
  reduces_.tasks.resize(static_cast<std::size_t>(settings_.reduces));
}

// -- attempts -----------------------------------------------------------------------

MapReduceSpeculator::Task& MapReduceSpeculator::task(const MapReduceAttempt& name) {
  Kind& of = kind(name.is_reduce);
  HEDDLE_ASSERT(name.index >= 0 && static_cast<std::size_t>(name.index) < of.tasks.size(), "the job has no such task");
  return of.tasks[static_cast<std::size_t>(name.index)];
}

MapReduceSpeculator::Attempt* MapReduceSpeculator::find(const MapReduceAttempt& name) {
  for (Attempt& attempt : task(name).attempts)
    if (attempt.number == name.attempt) return &attempt;
  return nullptr;
}

void MapReduceSpeculator::apply(Instant now, const speculator_input::AttemptRequested& input) {
  HEDDLE_ASSERT(find(input.attempt) == nullptr, "an attempt is requested once");
  Kind& of = kind(input.attempt.is_reduce);
  Task& owner = task(input.attempt);
  const auto after = std::find_if(owner.attempts.begin(), owner.attempts.end(),
                                  [&](const Attempt& other) { return other.number > input.attempt.attempt; });
  owner.attempts.insert(after, Attempt{input.attempt.attempt, State::starting, 0, {}, {}});
  if (++owner.running == 1) of.running.insert(input.attempt.index);
  change_need(now, of, 1);
}

void MapReduceSpeculator::apply(Instant now, const speculator_input::ContainersNeeded& input) {
  change_need(now, kind(input.is_reduce), input.change);
}

void MapReduceSpeculator::change_need(Instant now, Kind& of, std::int32_t change) {
  if (!of.is_on) return;
  of.containers_needed = of.containers_needed.value_or(0) + change;
  if (!next_scan_) next_scan_ = now;
}

void MapReduceSpeculator::apply(Instant now, const speculator_input::AttemptLaunched& input) {
  Attempt* attempt = find(input.attempt);
  if (attempt == nullptr) return;
  set_state(input.attempt, *attempt, State::running);
  attempt->estimate.start(milliseconds(now));
}

void MapReduceSpeculator::apply(Instant now, const speculator_input::AttemptReported& input) {
  Attempt* attempt = find(input.attempt);
  if (attempt == nullptr) return;
  attempt->progress = input.progress;
  report(input.attempt, *attempt, milliseconds(now));
}

void MapReduceSpeculator::apply(Instant now, const speculator_input::AttemptSucceeded& input) {
  Attempt* attempt = find(input.attempt);
  if (attempt == nullptr) return;
  set_state(input.attempt, *attempt, State::succeeded);
  attempt->progress = 1.0F;
  report(input.attempt, *attempt, milliseconds(now));
}

void MapReduceSpeculator::apply(Instant, const speculator_input::AttemptStateChanged& input) {
  if (Attempt* attempt = find(input.attempt)) set_state(input.attempt, *attempt, input.state);
}

void MapReduceSpeculator::apply(Instant, const speculator_input::TasksCompleted& input) {
  maps_.completed = input.maps;
  reduces_.completed = input.reduces;
}

void MapReduceSpeculator::set_state(const MapReduceAttempt& name, Attempt& attempt, State state) {
  Task& owner = task(name);
  Kind& of = kind(name.is_reduce);
  owner.running += static_cast<std::int32_t>(is_running(state)) - static_cast<std::int32_t>(is_running(attempt.state));
  attempt.state = state;
  if (owner.running == 0) of.running.erase(name.index);
  else of.running.insert(name.index);
}

void MapReduceSpeculator::report(const MapReduceAttempt& name, Attempt& attempt, std::int64_t now_ms) {
  Task& owner = task(name);
  if (attempt.state == State::succeeded && !owner.has_succeeded) {
    owner.has_succeeded = true;
    const auto started_ms = attempt.estimate.started_ms();
    if (started_ms && *started_ms <= now_ms) kind(name.is_reduce).run_times.add(now_ms - *started_ms);
  }
  attempt.estimate.read(now_ms, attempt.progress, attempt.state == State::running, settings_.estimates);
  if (!is_running(attempt.state)) attempt.seen.reset();
}

// -- scans --------------------------------------------------------------------------

bool MapReduceSpeculator::is_scanned(bool is_reduce) const {
  return kind(is_reduce).containers_needed.value_or(1) <= 0;
}

MapReduceSpeculator::Shared MapReduceSpeculator::shared_values(const Kind& of, Instant now) const {
  constexpr std::int64_t no_threshold = INT64_MAX;
  const float completed_part = static_cast<float>(of.completed) / static_cast<float>(of.tasks.size());
  const bool has_enough = of.completed >= settings_.completed_min && completed_part >= settings_.completed_part;
  return {milliseconds(now), of.run_times.new_attempt_ms(settings_.estimates.estimator),
          has_enough && of.run_times.threshold_ms(settings_.slow_task_threshold) != no_threshold};
}

std::optional<std::size_t> MapReduceSpeculator::first_running(const Task& task) {
  for (std::size_t i = 0; i < task.attempts.size(); ++i)
    if (is_running(task.attempts[i].state)) return i;
  return std::nullopt;
}

SpeculationValue MapReduceSpeculator::value_of(const Task& task, const Shared& shared) const {
  if (!shared.has_threshold && !task.was_speculated) return {SpeculationVerdict::on_schedule};
  const auto first = first_running(task);
  if (!first) return {SpeculationVerdict::not_running};
  const RunTimeEstimate& estimate = task.attempts[*first].estimate;
  const auto started_ms = estimate.started_ms();
  if (!started_ms || *started_ms > shared.now_ms) return {SpeculationVerdict::too_new};
  const std::int64_t end_ms = java::wrap_add(*started_ms, estimate.run_ms(settings_.estimates));
  const std::int64_t new_end_ms = java::wrap_add(shared.now_ms, shared.new_attempt_ms);
  if (end_ms < shared.now_ms) return {SpeculationVerdict::progress_is_good};
  if (new_end_ms >= end_ms) return {SpeculationVerdict::too_late};
  if (task.running > 1) return {SpeculationVerdict::already_speculating};
  if (!shared.has_threshold) return {SpeculationVerdict::on_schedule};
  return {SpeculationVerdict::good, end_ms - new_end_ms};
}

SpeculationValue MapReduceSpeculator::value(bool is_reduce, std::int32_t index, Instant now) const {
  const Kind& of = kind(is_reduce);
  HEDDLE_ASSERT(index >= 0 && static_cast<std::size_t>(index) < of.tasks.size(), "the job has no such task");
  return value_of(of.tasks[static_cast<std::size_t>(index)], shared_values(of, now));
}

void MapReduceSpeculator::apply(Instant now, const speculator_input::ScanDue&, SpeculatorEffects& effects) {
  simulated_.clear();
  const std::size_t before = effects.size();
  scan(false, now, effects);
  scan(true, now, effects);
  next_scan_ = now + (effects.size() > before ? settings_.retry_after_one : settings_.retry_after_none);
}

// Tasks without a running attempt have no value, and without a threshold only speculated tasks are examined (DS-7); so
// the scan examines only those, and counts the others.
void MapReduceSpeculator::scan(bool is_reduce, Instant now, SpeculatorEffects& effects) {
  if (!is_scanned(is_reduce)) return;
  Kind& of = kind(is_reduce);
  const Shared shared = shared_values(of, now);
  if (!shared.has_threshold) {
    for (const std::int32_t index : of.speculated) look_at(is_reduce, index, shared);
    return;
  }
  Tally tally;
  tally.running = static_cast<std::int32_t>(of.running.size());
  for (const std::int32_t index : of.running) {
    const SpeculationValue value = look_at(is_reduce, index, shared);
    if (value.verdict == SpeculationVerdict::already_speculating) ++tally.speculating;
    if (value.verdict == SpeculationVerdict::good && (!tally.best || value.gain_ms > tally.best->gain_ms))
      tally.best = SpeculateTask{is_reduce, index, value.gain_ms};
  }
  const auto tasks = static_cast<std::int32_t>(of.tasks.size());
  if (!tally.best || speculation_allowance(tasks, tally.running, settings_) <= tally.speculating) return;
  effects.emplace_back(*tally.best);
  of.tasks[static_cast<std::size_t>(tally.best->index)].was_speculated = true;
  of.speculated.insert(tally.best->index);
}

SpeculationValue MapReduceSpeculator::look_at(bool is_reduce, std::int32_t index, const Shared& shared) {
  Task& task = kind(is_reduce).tasks[static_cast<std::size_t>(index)];
  const SpeculationValue value = value_of(task, shared);
  if (value.verdict != SpeculationVerdict::not_running && value.verdict != SpeculationVerdict::too_new) {
    Attempt& attempt = task.attempts[first_running(task).value()];
    compare_with_last_look({is_reduce, index, attempt.number}, attempt, shared.now_ms);
  }
  return value;
}

// A simulated report counts from the next scan on: this one has its value already.
void MapReduceSpeculator::compare_with_last_look(const MapReduceAttempt& name, Attempt& attempt, std::int64_t now_ms) {
  const std::int64_t run_ms = attempt.estimate.run_ms(settings_.estimates);
  if (!attempt.seen || attempt.seen->run_ms != run_ms || attempt.seen->progress != attempt.progress) {
    attempt.seen = Seen{run_ms, attempt.progress, now_ms};
    return;
  }
  const bool is_silent = now_ms - attempt.seen->since_ms > to_milliseconds(settings_.silence_max);
  if (is_silent) attempt.seen->since_ms = now_ms;
  if (!is_silent && !attempt.estimate.is_stagnated(now_ms, settings_.estimates)) return;
  simulated_.push_back(name);
  report(name, attempt, now_ms);
}

void MapReduceSpeculator::check_invariants() const {
  for (const Kind* of : {&maps_, &reduces_}) {
    for (std::size_t i = 0; i < of->tasks.size(); ++i) {
      const Task& task = of->tasks[i];
      const auto index = static_cast<std::int32_t>(i);
      const auto running = std::count_if(task.attempts.begin(), task.attempts.end(),
                                         [](const Attempt& attempt) { return is_running(attempt.state); });
      HEDDLE_ASSERT(task.running == running, "the running attempts of a task are not counted");
      HEDDLE_ASSERT(of->running.contains(index) == (running > 0), "the list of running tasks is wrong");
      HEDDLE_ASSERT(of->speculated.contains(index) == task.was_speculated, "the list of speculated tasks is wrong");
      HEDDLE_ASSERT(std::is_sorted(task.attempts.begin(), task.attempts.end(),
                                   [](const Attempt& a, const Attempt& b) { return a.number < b.number; }),
                    "the attempts of a task are not in order");
    }
  }
}

}  // namespace heddle::policies

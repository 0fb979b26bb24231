// Kind default_speculator: scripts for MapReduceSpeculator. A scan has the values of all tasks, the tasks that get a
// speculative attempt, the simulated reports and the time until the next scan.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "policies/map_reduce/map_reduce_speculator.hpp"
#include "tests/conformance/kind.hpp"
#include "tests/conformance/map_reduce_names.hpp"

namespace heddle::conformance {
namespace default_speculator_kind {
namespace {

namespace json = boost::json;
using namespace policies;

Duration span(const json::object& fields, const char* name, Duration missing) {
  return std::chrono::milliseconds{number(fields, name, to_milliseconds(missing))};
}

bool is_reduce(const std::string& name) {
  require(name == "m" || name == "map" || name == "r" || name == "reduce", "'" + name + "' is no kind of task");
  return name[0] == 'r';
}

speculator_input::State state_of(const json::value& value) {
  using speculator_input::State;
  const std::string name = text(value);
  if (name == "NEW" || name == "STARTING") return State::starting;
  if (name == "RUNNING") return State::running;
  if (name == "COMMIT_PENDING") return State::commit_pending;
  if (name == "SUCCEEDED") return State::succeeded;
  if (name == "FAILED") return State::failed;
  require(name == "KILLED", "'" + name + "' is no state of an attempt");
  return State::killed;
}

SpeculatorSettings settings_of(const json::object& fields) {
  SpeculatorSettings settings;
  const std::string estimator = text(fields.at("estimator"));
  require(estimator == "legacy" || estimator == "simple_exponential", "'" + estimator + "' is no estimator");
  if (estimator == "simple_exponential") settings.estimates.estimator = RunTimeEstimator::simple_exponential;
  settings.maps = number(fields, "maps", 0);
  settings.reduces = number(fields, "reduces", 0);
  require(settings.maps >= 0 && settings.reduces >= 0, "a job has no negative number of tasks");
  settings.slow_task_threshold = number(fields, "slow_task_threshold", settings.slow_task_threshold);
  settings.allowed_min = number(fields, "minimum_allowed", settings.allowed_min);
  settings.cap_running = number(fields, "cap_running", settings.cap_running);
  settings.cap_total = number(fields, "cap_total", settings.cap_total);
  settings.retry_after_none = span(fields, "retry_after_no_speculate", settings.retry_after_none);
  settings.retry_after_one = span(fields, "retry_after_speculate", settings.retry_after_one);
  settings.estimates.smoothing = span(fields, "lambda_ms", settings.estimates.smoothing);
  settings.estimates.stagnation = span(fields, "stagnated_ms", settings.estimates.stagnation);
  settings.estimates.skipped_readings = number(fields, "skip_initials", settings.estimates.skipped_readings);
  return settings;
}

json::value value_of(const SpeculationValue& value) {
  switch (value.verdict) {
    case SpeculationVerdict::good: return value.gain_ms;
    case SpeculationVerdict::on_schedule: return "on_schedule";
    case SpeculationVerdict::already_speculating: return "already_speculating";
    case SpeculationVerdict::too_new: return "too_new";
    case SpeculationVerdict::progress_is_good: return "progress_is_good";
    case SpeculationVerdict::too_late: return "too_late";
    case SpeculationVerdict::not_running: return "not_running";
  }
  throw std::runtime_error{"a value without a name"};
}

class Script {
public:
  Script(const json::object& settings, Report& report)
      : report_{report}, settings_{settings_of(settings)}, speculator_{settings_} {}

  void run(const json::array& steps) {
    for (const auto& item : steps) {
      const auto& step = item.as_object();
      perform(step);
      speculator_.check_invariants();
      ++step_;
    }
  }

private:
  void perform(const json::object& step) {
    const std::string verb = text(step.at("do"));
    if (verb == "schedule") {
      for (const auto& name : step.at("attempts").as_array())
        speculator_.apply(now_, speculator_input::AttemptRequested{known(name)});
    } else if (verb == "assign") {
      for (const auto& name : step.at("attempts").as_array())
        speculator_.apply(now_, speculator_input::ContainersNeeded{known(name).is_reduce, -1});
    } else if (verb == "need") {
      speculator_.apply(now_, speculator_input::ContainersNeeded{is_reduce(text(step.at("kind"))),
                                                                 step.at("change").to_number<std::int32_t>()});
    } else if (verb == "launch") {
      for (const auto& name : step.at("attempts").as_array())
        speculator_.apply(now_, speculator_input::AttemptLaunched{known(name)});
    } else if (verb == "update") {
      speculator_.apply(now_,
                        speculator_input::AttemptReported{known(step.at("attempt")), number(step, "progress", 0.0F)});
    } else if (verb == "succeed") {
      speculator_.apply(now_, speculator_input::AttemptSucceeded{known(step.at("attempt"))});
    } else if (verb == "attempt_is") {
      speculator_.apply(now_,
                        speculator_input::AttemptStateChanged{known(step.at("attempt")), state_of(step.at("state"))});
    } else if (verb == "completed") {
      speculator_.apply(now_, speculator_input::TasksCompleted{number(step, "maps", 0), number(step, "reduces", 0)});
    } else if (verb == "advance") {
      now_ += std::chrono::milliseconds{step.at("ms").to_number<std::int64_t>()};
    } else if (verb == "scan") {
      scan(step.at("expect").as_object());
    } else {
      throw std::runtime_error{"unknown verb " + verb};
    }
  }

  /// The attempt of a task that the job has.
  [[nodiscard]] MapReduceAttempt known(const json::value& name) const {
    const MapReduceAttempt attempt = attempt_named(text(name));
    require(attempt.index >= 0 && attempt.index < tasks(attempt.is_reduce), "the job has no task of " + text(name));
    return attempt;
  }
  [[nodiscard]] std::int32_t tasks(bool is_reduce) const { return is_reduce ? settings_.reduces : settings_.maps; }

  void scan(const json::object& expect) {
    json::object values;
    for (const bool is_reduce : {false, true}) {
      if (!speculator_.is_scanned(is_reduce)) continue;
      json::array list;
      for (std::int32_t i = 0; i < tasks(is_reduce); ++i)
        list.push_back(value_of(speculator_.value(is_reduce, i, now_)));
      values[is_reduce ? "reduces" : "maps"] = std::move(list);
    }
    const auto* expected_values = expect.if_contains("values");
    compare_values(expected_values == nullptr ? json::object{} : expected_values->as_object(), values);
    SpeculatorEffects effects;
    speculator_.apply(now_, speculator_input::ScanDue{}, effects);
    json::array speculated;
    for (const auto& effect : effects) {
      const auto& task = std::get<SpeculateTask>(effect);
      speculated.emplace_back(name_of(MapReduceTaskId{task.is_reduce, task.index}));
    }
    json::array simulated;
    for (const auto& attempt : speculator_.simulated()) simulated.emplace_back(name_of(attempt));
    report_.check(step_, "wait_ms", expect.at("wait_ms"), to_milliseconds(speculator_.next_due().value() - now_));
    report_.check(step_, "speculated", list_of(expect, "speculated"), speculated);
    report_.check(step_, "simulated", list_of(expect, "simulated"), simulated);
  }

  static json::value list_of(const json::object& expect, const char* field) {
    const auto* list = expect.if_contains(field);
    return list == nullptr ? json::array{} : *list;
  }

  void compare_values(const json::object& expected, json::object& got) {
    for (const char* field : {"maps", "reduces"}) {
      const auto* wanted = expected.if_contains(field);
      auto* values = got.if_contains(field);
      if (wanted == nullptr || values == nullptr) {
        report_.check(step_, field, value_or_null(expected, field), value_or_null(got, field));
        continue;
      }
      auto& list = values->as_array();
      const json::array all = wanted->is_array() ? wanted->as_array() : json::array(list.size(), *wanted);
      for (std::size_t i = 0; i < std::min(all.size(), list.size()); ++i)
        if (are_equal(all[i], list[i])) list[i] = all[i];
      report_.check(step_, field, all, list);
    }
  }

  /// Numbers of simple_exponential may differ by 1: Java's exponential function rounds in its own way.
  [[nodiscard]] bool are_equal(const json::value& expected, const json::value& got) const {
    if (!expected.is_number() || !got.is_number()) return expected == got;
    const bool is_exact = settings_.estimates.estimator == RunTimeEstimator::legacy;
    return std::abs(expected.to_number<std::int64_t>() - got.to_number<std::int64_t>()) <= (is_exact ? 0 : 1);
  }

  Report& report_;
  SpeculatorSettings settings_;
  MapReduceSpeculator speculator_;
  Instant now_{std::chrono::milliseconds{1000000}};
  int step_ = 0;
};

void run(const json::object& test_case, Report& report) {
  Script{test_case.at("settings").as_object(), report}.run(test_case.at("steps").as_array());
}

const Kind kind{"default_speculator", run};

}  // namespace
}  // namespace default_speculator_kind
}  // namespace heddle::conformance

// Kind map_reduce_states: event scripts for the state machines of job, task and task attempt, each machine alone. The
// facts that a machine reads from others are steps of the script.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "policies/map_reduce/map_reduce_job.hpp"
#include "policies/map_reduce/map_reduce_task.hpp"
#include "policies/map_reduce/map_reduce_task_attempt.hpp"
#include "tests/conformance/kind.hpp"
#include "tests/conformance/map_reduce_states_fields.hpp"
#include "tests/conformance/racks.hpp"

namespace heddle::conformance {
namespace map_reduce_states_kind {
namespace {

constexpr std::array<std::string_view, 7> status_names{"NEW",       "STARTING", "RUNNING", "COMMIT_PENDING",
                                                       "SUCCEEDED", "FAILED",   "KILLED"};

// -- machines --------------------------------------------------------------------------------

/// A machine with the facts that it needs. Adds the fields of its state to the result of a step.
class Machine {
public:
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  virtual ~Machine() = default;
  virtual bool perform(Instant now, const json::object& step, MapReduceStateEffects& effects) = 0;
  virtual void describe(json::object& result) const = 0;
  /// True if the step only asks or sets a fact, and has no state to compare.
  virtual bool answer(const json::object& step, json::object& result) = 0;
};

class AttemptMachine final : public Machine {
public:
  explicit AttemptMachine(const json::object& settings)
      : machine_{attempt_named(text(settings, "attempt")), read(settings)} {}

  bool perform(Instant now, const json::object& step, MapReduceStateEffects& effects) override {
    return machine_.apply(now, input(step), effects);
  }
  void describe(json::object& result) const override {
    result["state"] = name_in(attempt_state_names, machine_.state());
    result["external"] = name_in(status_names, machine_.status());
  }
  bool answer(const json::object&, json::object&) override { return false; }

private:
  static TaskAttemptSettings read(const json::object& settings) {
    TaskAttemptSettings read;
    read.is_map_only = number(settings, "reduces", 0) == 0;
    if (const auto* hosts = settings.if_contains("hosts"))
      for (const auto& host : hosts->as_array()) {
        read.hosts.emplace_back(host.as_string());
        read.racks.push_back(rack_of(read.hosts.back()));
      }
    return read;
  }

  [[nodiscard]] map_reduce_attempt_input::Input input(const json::object& step) const {
    namespace in = map_reduce_attempt_input;
    const std::string verb = text(step, "do");
    if (verb == "assigned")
      return in::Assigned{container_named(text(step, "container")),
                          text(step, "host"),
                          {step.at("memory").to_number<std::int64_t>(), step.at("vcores").to_number<std::int64_t>()}};
    if (verb == "update") {
      in::Updated updated{number(step, "progress", 0.0F), {}};
      if (const auto* maps = step.if_contains("fetch_failed_maps")) updated.fetch_failed_maps = attempts_named(*maps);
      return updated;
    }
    if (verb == "kill") {
      in::Killed killed;
      if (step.if_contains("reschedule") != nullptr) killed.reschedule = flag(step, "reschedule");
      return killed;
    }
    if (verb == "recover")
      return in::Recovered{recorded_attempt(step, machine_.attempt()), flag(step, "recover_output"),
                           flag(step, "committer_fails")};
    return in::Signal{value_in<MapReduceAttemptEvent>(attempt_event_names, verb)};
  }

  MapReduceTaskAttempt machine_;
};

class TaskMachine final : public Machine {
public:
  explicit TaskMachine(const json::object& settings)
      : task_{task_named(text(settings, "task"))},
        machine_{task_,
                 {number(settings, "max_attempts", 4), flag(settings, "speculative"), false,
                  (number(settings, "app_attempt", 1) - 1) * 1000}} {}

  bool perform(Instant now, const json::object& step, MapReduceStateEffects& effects) override {
    const bool is_possible = machine_.apply(now, input(step), effects);
    for (const auto& attempt : machine_.take_recovered())
      facts_[attempt.attempt().attempt] = {attempt.attempt().attempt, attempt.state(), attempt.progress(),
                                           attempt.host()};
    machine_.check_invariants();
    return is_possible;
  }
  void describe(json::object& result) const override {
    result["state"] = name_in(task_state_names, machine_.state());
    result["external"] = name_in(task_state_names, shown_state(machine_.state()));
    result["attempts"] = machine_.attempts();
    result["progress"] = machine_.progress();
    if (const auto number = machine_.successful_attempt()) result["successful"] = name(*number);
    if (const auto number = machine_.committing_attempt()) result["may_commit"] = name(*number);
  }
  bool answer(const json::object& step, json::object&) override {
    if (text(step, "do") != "attempt_is") return false;
    const std::int32_t attempt = attempt_named(text(step, "attempt")).attempt;
    auto& fact = facts_[attempt];
    fact.attempt = attempt;
    fact.state = value_in<MapReduceAttemptState>(attempt_state_names, text(step, "state"));
    fact.progress = number(step, "progress", fact.progress);
    if (step.if_contains("host") != nullptr) fact.host = text(step, "host");
    MapReduceStateEffects none;
    machine_.apply({}, fact, none);
    return true;
  }

private:
  [[nodiscard]] std::string name(std::int32_t number) const {
    return name_of(MapReduceAttempt{task_.is_reduce, task_.index, number});
  }

  [[nodiscard]] map_reduce_task_input::Input input(const json::object& step) const {
    namespace in = map_reduce_task_input;
    const auto event = value_in<MapReduceTaskEvent>(task_event_names, text(step, "do"));
    if (event == MapReduceTaskEvent::recover) {
      in::Recovered recovered{value_in<MapReduceTaskState>(task_state_names, text(step, "status")),
                              flag(step, "recover_output"),
                              flag(step, "committer_fails"),
                              {}};
      for (const auto& row : step.at("attempts").as_array()) {
        const auto& fields = row.as_object();
        recovered.attempts.push_back(recorded_attempt(fields, attempt_named(text(fields, "attempt"))));
      }
      return recovered;
    }
    if (step.if_contains("attempt") == nullptr) return in::Signal{event};
    const std::int32_t attempt = attempt_named(text(step, "attempt")).attempt;
    if (event == MapReduceTaskEvent::attempt_failed) return in::AttemptFailed{attempt, flag(step, "fast_fail")};
    if (event == MapReduceTaskEvent::attempt_killed) return in::AttemptKilled{attempt, flag(step, "reschedule")};
    return in::AttemptSignal{event, attempt};
  }

  MapReduceTaskId task_;
  MapReduceTask machine_;
  std::map<std::int32_t, map_reduce_task_input::AttemptObserved> facts_;
};

class JobMachine final : public Machine {
public:
  explicit JobMachine(const json::object& settings) : machine_{read(settings)} {}

  bool perform(Instant now, const json::object& step, MapReduceStateEffects& effects) override {
    const std::string verb = text(step, "do");
    if (verb == "task_completed") observe(step, text(step, "state"));
    if (verb == "map_task_rescheduled") observe(step, "SCHEDULED");
    const bool is_possible = machine_.apply(now, input(verb, step), effects);
    machine_.check_invariants();
    return is_possible;
  }
  void describe(json::object& result) const override {
    result["state"] = name_in(job_state_names, machine_.state());
    result["external"] = name_in(job_state_names, machine_.shown());
    result["progress"] = machine_.progress();
    if (machine_.ended_maps().all() != 0) result["completed_maps"] = machine_.ended_maps().all();
    if (machine_.ended_reduces().all() != 0) result["completed_reduces"] = machine_.ended_reduces().all();
  }
  bool answer(const json::object& step, json::object& result) override {
    namespace in = map_reduce_job_input;
    const std::string verb = text(step, "do");
    MapReduceStateEffects none;
    if (verb == "task_is") {
      observe(step, text(step, "state"));
    } else if (verb == "attempt_phase") {
      machine_.apply({}, in::CopyObserved{attempt_named(text(step, "attempt")), text(step, "phase") == "SHUFFLE"},
                     none);
    } else if (verb == "completion_events") {
      const auto& events = machine_.completion_events();
      result["all"] = list(events.all(), events.all());
      result["maps"] = list(events.of_maps(), events.all());
    } else {
      return false;
    }
    return true;
  }

private:
  static MapReduceJobSettings read(const json::object& settings) {
    MapReduceJobSettings read;
    read.maps = number(settings, "maps", 0);
    read.reduces = number(settings, "reduces", 0);
    read.map_failures_percent = number(settings, "map_failures_percent", 0);
    read.reduce_failures_percent = number(settings, "reduce_failures_percent", 0);
    read.finish_when_reduces_done = flag(settings, "finish_when_reduces_done", true);
    read.is_last_master = flag(settings, "last_retry");
    return read;
  }

  void observe(const json::object& step, const std::string& state) {
    auto& fact = facts_[task_named(text(step, "task"))];
    fact.task = task_named(text(step, "task"));
    fact.state = value_in<MapReduceTaskState>(task_state_names, state);
    fact.progress = number(step, "progress", fact.progress);
    MapReduceStateEffects none;
    machine_.apply({}, fact, none);
  }

  /// Rows with their number in the list of all completion events.
  static json::array list(const std::vector<AddCompletionEvent>& rows, const std::vector<AddCompletionEvent>& all) {
    json::array listed;
    std::size_t number = 0;
    for (const auto& row : rows) {
      while (number < all.size() && all[number] != row) ++number;
      listed.push_back(json::object{
          {"number", number++}, {"attempt", name_of(row.attempt)}, {"status", name_in(ending_names, row.ending)}});
    }
    return listed;
  }

  static map_reduce_job_input::Input input(const std::string& verb, const json::object& step) {
    namespace in = map_reduce_job_input;
    if (verb == "unregistered") return in::Unregistered{};
    const auto event = value_in<MapReduceJobEvent>(job_event_names, verb);
    switch (event) {
      case MapReduceJobEvent::init: return in::Initialized{flag(step, "fails")};
      case MapReduceJobEvent::task_completed:
        return in::TaskCompleted{task_named(text(step, "task")),
                                 value_in<MapReduceTaskState>(task_state_names, text(step, "state"))};
      case MapReduceJobEvent::map_task_rescheduled: return in::MapRescheduled{task_named(text(step, "task"))};
      case MapReduceJobEvent::task_attempt_completed:
        return in::AttemptCompleted{
            {attempt_named(text(step, "attempt")), value_in<AttemptEnding>(ending_names, text(step, "status"))},
            text(step, "host")};
      case MapReduceJobEvent::task_attempt_fetch_failure:
        return in::FetchFailed{attempt_named(text(step, "reduce")), attempts_named(step.at("maps")), ""};
      case MapReduceJobEvent::updated_nodes: return nodes(step);
      case MapReduceJobEvent::abort_completed:
        return in::AbortCompleted{value_in<MapReduceJobState>(job_state_names, text(step, "final"))};
      default: return in::Signal{event};
    }
  }

  static map_reduce_job_input::NodesUpdated nodes(const json::object& step) {
    map_reduce_job_input::NodesUpdated updated;
    for (const auto& row : step.at("nodes").as_array()) {
      const auto& fields = row.as_object();
      updated.nodes.push_back({NodeId{}, text(fields, "host"), node_condition_named(text(fields, "state"))});
    }
    return updated;
  }

  MapReduceJob machine_;
  std::map<MapReduceTaskId, map_reduce_job_input::TaskObserved> facts_;
};

// -- comparison ------------------------------------------------------------------------------

/// Equal, except that fields `progress` may differ by 1e-6 and lists `hosts` and `racks` are sets.
bool is_same(std::string_view field, const json::value& expected, const json::value& got) {
  if (field == "progress" && expected.is_number() && got.is_number())
    return std::abs(expected.to_number<double>() - got.to_number<double>()) <= 1e-6;
  if ((field == "hosts" || field == "racks") && expected.is_array() && got.is_array()) {
    std::vector<std::string> names;
    for (const auto& name : expected.as_array()) names.emplace_back(name.as_string());
    return sorted_names(std::move(names)) == got.as_array();
  }
  if (expected.is_array() && got.is_array())
    return std::equal(expected.as_array().begin(), expected.as_array().end(), got.as_array().begin(),
                      got.as_array().end(), [](const auto& a, const auto& b) { return is_same("", a, b); });
  if (!expected.is_object() || !got.is_object()) return expected == got;
  const auto& fields = got.as_object();
  return expected.as_object().size() == fields.size() &&
         std::all_of(expected.as_object().begin(), expected.as_object().end(), [&fields](const auto& row) {
           const auto* value = fields.if_contains(row.key());
           return value != nullptr && is_same(row.key(), row.value(), *value);
         });
}

void compare(int step, const json::object& expected, const json::object& got, Report& report) {
  for (const auto& field : field_names(expected, got)) {
    const auto wanted = value_or_null(expected, field);
    const auto found = value_or_null(got, field);
    if (!is_same(field, wanted, found)) report.differ(step, field, wanted, found);
  }
}

std::unique_ptr<Machine> make_machine(const json::object& settings) {
  const std::string name = text(settings, "machine");
  if (name == "attempt") return std::make_unique<AttemptMachine>(settings);
  if (name == "task") return std::make_unique<TaskMachine>(settings);
  require(name == "job", "unknown machine " + name);
  return std::make_unique<JobMachine>(settings);
}

void run(const json::object& test_case, Report& report) {
  const auto machine = make_machine(test_case.at("settings").as_object());
  Instant now = Instant{} + std::chrono::milliseconds{1000};
  int number_of_step = 0;
  for (const auto& item : test_case.at("steps").as_array()) {
    const auto& step = item.as_object();
    json::object result;
    if (text(step, "do") == "advance") {
      now += std::chrono::milliseconds{step.at("ms").to_number<std::int64_t>()};
    } else if (!machine->answer(step, result)) {
      MapReduceStateEffects effects;
      if (!machine->perform(now, step, effects)) result["refused"] = true;
      machine->describe(result);
      write_effects(effects, result);
    }
    const auto* expect = step.if_contains("expect");
    if (expect != nullptr) compare(number_of_step, expect->as_object(), result, report);
    ++number_of_step;
  }
}

const Kind kind{"map_reduce_states", run};

}  // namespace
}  // namespace map_reduce_states_kind
}  // namespace heddle::conformance

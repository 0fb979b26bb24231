// Kind map_reduce_states: event scripts for the state machines of job, task and task attempt, each machine alone. The
// facts that a machine reads from others are steps of the script.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "policies/map_reduce/map_reduce_job.hpp"
#include "policies/map_reduce/map_reduce_task.hpp"
#include "policies/map_reduce/map_reduce_task_attempt.hpp"
#include "tests/conformance/json_fields.hpp"
#include "tests/conformance/kind.hpp"
#include "tests/conformance/racks.hpp"

namespace heddle::conformance {
namespace map_reduce_states_kind {
namespace {

namespace json = boost::json;
using namespace policies;

// -- names -----------------------------------------------------------------------------

std::string text(const json::object& fields, std::string_view name) { return std::string{fields.at(name).as_string()}; }

bool flag(const json::object& fields, std::string_view name, bool missing = false) {
  const auto* value = fields.if_contains(name);
  return value == nullptr ? missing : value->as_bool();
}

MapReduceTaskId task_named(const std::string& name) { return {name.at(0) == 'r', std::stoi(name.substr(1))}; }

MapReduceAttempt attempt_named(const std::string& name) {
  const auto dot = name.find('.');
  require(dot != std::string::npos, "'" + name + "' names no attempt");
  const auto task = task_named(name.substr(0, dot));
  return {task.is_reduce, task.index, std::stoi(name.substr(dot + 2))};
}

std::vector<MapReduceAttempt> attempts_named(const json::value& names) {
  std::vector<MapReduceAttempt> attempts;
  for (const auto& name : names.as_array()) attempts.push_back(attempt_named(std::string{name.as_string()}));
  return attempts;
}

std::string name_of(MapReduceTaskId task) { return (task.is_reduce ? "r" : "m") + std::to_string(task.index); }
std::string name_of(MapReduceAttempt attempt) {
  return name_of(task_of(attempt)) + ".a" + std::to_string(attempt.attempt);
}
std::string name_of(ContainerId container) { return "c" + to_string(container); }

template <class Enum, std::size_t count>
std::string_view name_in(const std::array<std::string_view, count>& names, Enum value) {
  return names.at(static_cast<std::size_t>(value));
}

/// The enumerator whose name is `name`.
template <class Enum, std::size_t count>
Enum value_in(const std::array<std::string_view, count>& names, std::string_view name) {
  const auto row = std::find(names.begin(), names.end(), name);
  require(row != names.end(), "unknown name " + std::string{name});
  return static_cast<Enum>(row - names.begin());
}

constexpr std::array<std::string_view, 7> status_names{"NEW",       "STARTING", "RUNNING", "COMMIT_PENDING",
                                                       "SUCCEEDED", "FAILED",   "KILLED"};
constexpr std::array<std::string_view, 5> ending_names{"SUCCEEDED", "FAILED", "KILLED", "OBSOLETE", "TIPFAILED"};
constexpr std::array<std::string_view, 14> counter_names{
    "TOTAL_LAUNCHED_MAPS", "TOTAL_LAUNCHED_REDUCES", "NUM_FAILED_MAPS",      "NUM_FAILED_REDUCES", "NUM_KILLED_MAPS",
    "NUM_KILLED_REDUCES",  "SLOTS_MILLIS_MAPS",      "SLOTS_MILLIS_REDUCES", "MB_MILLIS_MAPS",     "MB_MILLIS_REDUCES",
    "VCORES_MILLIS_MAPS",  "VCORES_MILLIS_REDUCES",  "MILLIS_MAPS",          "MILLIS_REDUCES"};
constexpr std::array<std::string_view, 14> history_names{
    "job_submitted",   "job_inited",       "job_info_changed", "job_finished",  "job_failed",
    "job_killed",      "job_error",        "task_started",     "task_finished", "task_failed",
    "attempt_started", "attempt_finished", "attempt_failed",   "attempt_killed"};
constexpr std::array<std::string_view, 5> watch_names{"expect_child", "watch_child", "forget_child", "watch_exit",
                                                      "forget_exit"};

json::array sorted_names(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return json::array(names.begin(), names.end());
}

// -- effects ------------------------------------------------------------------------------

/// The effects of a step as the oracle lists them: events, and calls of the umbilical and the committer.
class Record {
public:
  explicit Record(const MapReduceStateEffects& effects) {
    for (const auto& effect : effects) std::visit([this](const auto& one) { add(one); }, effect);
  }
  void write_to(json::object& result) const {
    if (!events_.empty()) result["events"] = events_;
    if (!calls_.empty()) result["calls"] = calls_;
  }

private:
  void event(std::string_view to, std::string_view name, json::object fields = {}) {
    fields["to"] = to;
    fields["event"] = name;
    events_.push_back(std::move(fields));
  }
  void call(std::string_view name) { calls_.push_back(json::value(name)); }

  void add(const RequestTaskContainer& one) {
    json::object fields{{"attempt", name_of(one.attempt)}, {"earlier_failed", one.earlier_failed}};
    if (!one.earlier_failed) {
      fields["hosts"] = sorted_names(one.hosts);
      fields["racks"] = sorted_names(one.racks);
    }
    event("allocator", "container_request", std::move(fields));
  }
  void add(const DeallocateTaskContainer& one) {
    event("allocator", "container_deallocate", {{"attempt", name_of(one.attempt)}});
  }
  void add(const CountHostFailure& one) {
    event("allocator", "container_failed", {{"attempt", name_of(one.attempt)}, {"host", one.host}});
  }
  void add(const LaunchTaskContainer& one) { event("launcher", "launch", {{"container", name_of(one.container)}}); }
  void add(const CleanUpTaskContainer& one) {
    event("launcher", "cleanup", {{"container", name_of(one.container)}, {"dump_threads", one.dump_threads}});
  }
  void add(const ForgetTaskContainer& one) { event("launcher", "completed", {{"container", name_of(one.container)}}); }
  void add(const UpdateChildWatch& one) { call(name_in(watch_names, one.change)); }
  void add(const SetUpJobOutput&) { event("committer", "job_setup"); }
  void add(const CommitJobOutput&) { event("committer", "job_commit"); }
  void add(const AbortJobOutput& one) {
    event("committer", "job_abort", {{"final", name_in(job_state_names, one.final_state)}});
  }
  void add(const AbortTaskOutput& one) {
    if (one.is_answered) event("committer", "task_abort", {{"attempt", name_of(one.attempt)}});
    else call("abort_task " + name_of(one.attempt));
  }
  void add(const AdoptTaskOutput& one) { call("recover_task " + name_of(one.attempt)); }
  void add(const ChangeContainerNeed& one) { event("speculator", "container_need", {{"change", one.change}}); }
  void add(const NotifyAttemptStarted&) { event("speculator", "attempt_start"); }
  void add(const NotifyAttemptStatus& one) { event("speculator", "attempt_status", {{"progress", one.progress}}); }
  void add(const UpdateJobCounters& one) {
    json::object counters;
    for (const auto& [counter, amount] : one.increments) counters[name_in(counter_names, counter)] = amount;
    event("job", "counter_update", {{"counters", std::move(counters)}});
  }
  void add(const RaiseInternalError& one) {
    if (one.is_diagnostic) event("job", "diagnostic_update");
    event("job", "internal_error");
  }
  void add(const AddCompletionEvent& one) {
    event("job", "task_attempt_completed",
          {{"attempt", name_of(one.attempt)}, {"status", name_in(ending_names, one.ending)}});
  }
  void add(const NotifyTaskEnded& one) {
    event("job", "task_completed", {{"task", name_of(one.task)}, {"state", name_in(task_state_names, one.state)}});
  }
  void add(const NotifyMapRescheduled& one) { event("job", "map_task_rescheduled", {{"task", name_of(one.task)}}); }
  void add(const NotifyFetchFailures& one) {
    json::array maps;
    for (const auto map : one.maps) maps.push_back(json::value(name_of(map)));
    event("job", "task_attempt_fetch_failure",
          {{"reduce", name_of(one.reduce)}, {"maps", std::move(maps)}, {"host", one.host}});
  }
  void add(const CompleteEmptyJob&) { event("job", "completed"); }
  void add(const CommandTask& one) {
    event("task", name_in(task_event_names, one.event), {{"task", name_of(one.task)}});
  }
  void add(const NotifyTask& one) {
    json::object fields{{"attempt", name_of(one.attempt)}};
    if (one.event == MapReduceTaskEvent::attempt_failed) fields["fast_fail"] = one.fast_fail;
    if (one.event == MapReduceTaskEvent::attempt_killed) fields["reschedule"] = one.reschedule;
    event("task", name_in(task_event_names, one.event), std::move(fields));
  }
  void add(const StartMapReduceAttempt& one) {
    event("attempt", one.reschedule ? "reschedule" : "schedule", {{"attempt", name_of(one.attempt)}});
  }
  void add(const KillMapReduceAttempt& one) {
    event("attempt", "kill", {{"attempt", name_of(one.attempt)}, {"reschedule", one.reschedule}});
  }
  void add(const FailFinishedMap& one) { event("attempt", "too_many_fetch_failure", {{"attempt", name_of(one.map)}}); }
  void add(const WriteHistory& one) {
    const bool is_of_attempt = one.event >= MapReduceHistoryEvent::attempt_started;
    event("history", std::string{is_of_attempt ? one.subject.is_reduce ? "reduce_" : "map_" : ""} +
                         std::string{name_in(history_names, one.event)});
  }
  void add(const EndMapReduceJob&) { event("master", "job_finished"); }

  json::array events_;
  json::array calls_;
};

// -- machines --------------------------------------------------------------------------------

RecordedAttempt recorded_attempt(const json::object& fields, MapReduceAttempt attempt) {
  RecordedAttempt recorded{attempt, std::nullopt, text(fields, "host"), std::nullopt, std::nullopt};
  for (const auto end :
       {MapReduceAttemptState::succeeded, MapReduceAttemptState::failed, MapReduceAttemptState::killed})
    if (text(fields, "status") == name_in(attempt_state_names, end)) recorded.end = end;
  const auto at = [&fields](std::string_view name) {
    return Instant{} + std::chrono::milliseconds{fields.at(name).to_number<std::int64_t>()};
  };
  if (at("start") != Instant{}) recorded.start = at("start");
  if (number<std::int64_t>(fields, "finish", -1) != -1) recorded.finish = at("finish");
  return recorded;
}

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
      return in::Assigned{ContainerId{std::stoll(text(step, "container").substr(1))},
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
    static const std::map<std::string, NodeCondition, std::less<>> conditions{
        {"UNHEALTHY", NodeCondition::unhealthy},
        {"LOST", NodeCondition::lost},
        {"DECOMMISSIONED", NodeCondition::decommissioned},
        {"DECOMMISSIONING", NodeCondition::decommissioning}};  // any other state is usable
    map_reduce_job_input::NodesUpdated updated;
    for (const auto& row : step.at("nodes").as_array()) {
      const auto& fields = row.as_object();
      const auto condition = conditions.find(text(fields, "state"));
      updated.nodes.push_back(
          {NodeId{}, text(fields, "host"), condition == conditions.end() ? NodeCondition::running : condition->second});
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
  std::set<std::string> fields;
  for (const auto& row : expected) fields.insert(std::string{row.key()});
  for (const auto& row : got) fields.insert(std::string{row.key()});
  const auto of = [](const json::object& values, const std::string& field) {
    const auto* value = values.if_contains(field);
    return value == nullptr ? json::value{} : *value;
  };
  for (const auto& field : fields)
    if (!is_same(field, of(expected, field), of(got, field)))
      report.differ(step, field, of(expected, field), of(got, field));
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
      Record{effects}.write_to(result);
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

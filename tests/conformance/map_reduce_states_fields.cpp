#include "tests/conformance/map_reduce_states_fields.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <variant>

#include "policies/map_reduce/map_reduce_attempt_table.hpp"
#include "policies/map_reduce/map_reduce_job_table.hpp"
#include "policies/map_reduce/map_reduce_task_table.hpp"

namespace heddle::conformance::map_reduce_states_kind {
namespace {

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

}  // namespace

json::array sorted_names(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return json::array(names.begin(), names.end());
}

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

void write_effects(const MapReduceStateEffects& effects, json::object& result) { Record{effects}.write_to(result); }

}  // namespace heddle::conformance::map_reduce_states_kind

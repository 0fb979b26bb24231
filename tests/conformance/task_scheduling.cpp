// Runs TaskScheduler through recorded scripts of Spark's TaskSchedulerImpl: each step is one event, whose effects are
// compared. Files KIND_wide also have barrier sets, and resource profiles with cores of their own.
#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "policies/tasks/task_scheduler.hpp"
#include "tests/conformance/kind.hpp"

namespace heddle::conformance {
namespace task_scheduling_kind {
namespace {

namespace json = boost::json;
using namespace heddle::policies;

Duration milliseconds_of(const json::value& value) {
  return std::chrono::milliseconds{value.to_number<std::int64_t>()};
}
std::int32_t int_of(const json::value& value) { return value.to_number<std::int32_t>(); }
std::string text_of(const json::value& value) { return std::string{value.as_string()}; }
std::string text_of(TaskSetKey key) { return std::to_string(key.stage.value) + "." + std::to_string(key.attempt); }
SchedulingMode mode_of(const json::value& value) {
  return value.as_string() == "FAIR" ? SchedulingMode::fair : SchedulingMode::fifo;
}

const char* text_of(LocalityLevel level) {
  switch (level) {
    case LocalityLevel::process: return "PROCESS";
    case LocalityLevel::node: return "NODE";
    case LocalityLevel::no_pref: return "NOPREF";
    case LocalityLevel::rack: return "RACK";
    case LocalityLevel::any: return "ANY";
  }
  return "";
}

const char* text_of(AttemptOutcome outcome) {
  switch (outcome) {
    case AttemptOutcome::success: return "success";
    case AttemptOutcome::resubmitted: return "resubmitted";
    case AttemptOutcome::killed: return "killed";
    case AttemptOutcome::exception: return "exception";
    case AttemptOutcome::fetch_failed: return "fetch_failed";
    case AttemptOutcome::result_lost: return "result_lost";
    case AttemptOutcome::commit_denied: return "commit_denied";
    case AttemptOutcome::unknown: return "unknown";
    case AttemptOutcome::executor_lost: return "executor_lost";
    case AttemptOutcome::executor_lost_by_application: return "executor_lost_by_app";
  }
  return "";
}

ExclusionSettings exclusion_of(const json::object& given) {
  ExclusionSettings exclusion;
  exclusion.task_attempts_per_executor = int_of(given.at("task_attempts_per_executor"));
  exclusion.task_attempts_per_node = int_of(given.at("task_attempts_per_node"));
  exclusion.stage_failed_tasks_per_executor = int_of(given.at("stage_failed_tasks_per_executor"));
  exclusion.stage_failed_executors_per_node = int_of(given.at("stage_failed_executors_per_node"));
  exclusion.application_failed_tasks_per_executor = int_of(given.at("app_failed_tasks_per_executor"));
  exclusion.application_failed_executors_per_node = int_of(given.at("app_failed_executors_per_node"));
  exclusion.timeout = milliseconds_of(given.at("timeout"));
  exclusion.kill_excluded_executors = given.at("kill").as_bool();
  exclusion.fetch_failure = given.at("fetch_failure").as_bool();
  return exclusion;
}

SpeculationSettings speculation_of(const json::object& given) {
  SpeculationSettings speculation;
  speculation.quantile = given.at("quantile").to_number<double>();
  speculation.multiplier = given.at("multiplier").to_number<double>();
  speculation.min_runtime = milliseconds_of(given.at("min_runtime"));
  if (!given.at("threshold").is_null()) speculation.threshold = milliseconds_of(given.at("threshold"));
  if (!given.at("decommission_kill_interval").is_null())
    speculation.decommission_kill_interval = milliseconds_of(given.at("decommission_kill_interval"));
  return speculation;
}

std::vector<PoolSettings> pools_of(const json::array& given) {
  std::vector<PoolSettings> pools;
  for (const json::value& pool : given) {
    const json::object& fields = pool.as_object();
    pools.push_back({text_of(fields.at("name")), mode_of(fields.at("mode")), int_of(fields.at("weight")),
                     int_of(fields.at("min_share"))});
  }
  return pools;
}

TaskSchedulerSettings settings_of(const json::object& given) {
  TaskSchedulerSettings settings;
  const json::object& wait = given.at("locality_wait").as_object();
  settings.wait_process = milliseconds_of(wait.at("process"));
  settings.wait_node = milliseconds_of(wait.at("node"));
  settings.wait_rack = milliseconds_of(wait.at("rack"));
  settings.legacy_reset = given.at("legacy_reset").as_bool();
  settings.max_failures = int_of(given.at("max_failures"));
  settings.task_cores = int_of(given.at("task_cpus"));
  require(settings.task_cores > 0, "a task without a core");
  if (!given.at("executor_cores").is_null()) settings.executor_cores = int_of(given.at("executor_cores"));
  settings.mode = mode_of(given.at("mode"));
  if (!given.at("pools").is_null()) settings.pools = pools_of(given.at("pools").as_array());
  settings.shuffle_service = given.at("shuffle_service").as_bool();
  if (!given.at("exclude").is_null()) settings.exclusion = exclusion_of(given.at("exclude").as_object());
  settings.unschedulable_timeout = milliseconds_of(given.at("unschedulable_timeout"));
  settings.dynamic_allocation = given.at("dynamic_allocation").as_bool();
  if (!given.at("speculation").is_null()) settings.speculation = speculation_of(given.at("speculation").as_object());
  settings.fixes.copies_below_zero = false;
  return settings;
}

/// One script. Names become numbers here, in the order in which they are first mentioned.
class Script {
public:
  Script(const json::object& settings, Report& report)
      : racks_{settings.at("racks").as_object()},
        has_exclusion_{!settings.at("exclude").is_null()},
        scheduler_{settings_of(settings)},
        report_{report} {
    const json::value* profiles = settings.if_contains("profiles");
    if (profiles == nullptr) return;
    for (const json::value& one : profiles->as_array()) {
      const bool is_for_tasks_only = one.at("tasks_only").as_bool() && !settings.at("dynamic_allocation").as_bool();
      needs_.push_back({ProfileId{static_cast<std::int64_t>(needs_.size()) + 1}, is_for_tasks_only, {}});
      profile_cores_.push_back(int_of(one.at("task_cpus")));
      if (!one.at("tasks_only").as_bool()) needs_.back().executor_cores = int_of(one.at("executor_cores"));
    }
  }

  void run(int step, const json::object& fields) {
    step_ = step;
    effects_.clear();
    submitted_.reset();
    act(fields);
    scheduler_.check_invariants();
    const json::object& expect = fields.at("expect").as_object();
    if (fields.at("do").as_string() == "offers")
      report_.check(step_, "launched", field(expect, "launched", json::array{}), launched());
    check_effects(expect);
    check_sets(expect);
    check_application(expect);
  }

private:
  static json::value field(const json::object& object, std::string_view name, json::value otherwise) {
    const json::value* found = object.if_contains(name);
    return found == nullptr ? otherwise : *found;
  }

  HostId host(const std::string& name) {
    const auto [row, is_new] = hosts_.try_emplace(name, HostId{static_cast<std::int32_t>(hosts_.size())});
    if (is_new) {
      host_names_.push_back(name);
      const json::value* rack = racks_.if_contains(name);
      scheduler_.apply(now_,
                       task_input::HostIntroduced{row->second, name, rack == nullptr ? std::string{} : text_of(*rack)});
    }
    return row->second;
  }
  ExecutorId executor(const std::string& name) {
    const auto [row, is_new] = executors_.try_emplace(name, ExecutorId{static_cast<std::int64_t>(executors_.size())});
    if (is_new) {
      executor_names_.push_back(name);
      scheduler_.apply(now_, task_input::ExecutorIntroduced{row->second, name});
    }
    return row->second;
  }
  const std::string& name(ExecutorId id) const { return executor_names_.at(static_cast<std::size_t>(id.value)); }
  const std::string& name(HostId id) const { return host_names_.at(static_cast<std::size_t>(id.value)); }

  PreferredLocation place(const std::string& text) {
    if (text.starts_with("hdfs:")) {
      PreferredLocation cached{host(text.substr(5))};
      cached.kind = PreferredLocation::Kind::cached_on_host;
      return cached;
    }
    const auto slash = text.find('/');
    if (slash == std::string::npos) return PreferredLocation{host(text)};
    return PreferredLocation{host(text.substr(0, slash)), executor(text.substr(slash + 1))};
  }

  // -- steps -------------------------------------------------------------------
  void act(const json::object& fields) {
    const std::string verb = text_of(fields.at("do"));
    if (verb == "submit") submit(fields);
    else if (verb == "offers") offer(fields);
    else if (verb == "status") status(fields);
    else if (verb == "executor_lost") lose(fields);
    else if (verb == "decommission")
      scheduler_.apply(
          now_,
          task_input::ExecutorDecommissioned{executor(text_of(fields.at("executor"))), !fields.at("host").is_null()},
          effects_);
    else if (verb == "advance") advance(milliseconds_of(fields.at("ms")));
    else if (verb == "check_speculation") scheduler_.apply(now_, task_input::SpeculationDue{}, effects_);
    else if (verb == "partition_done")
      scheduler_.apply(
          now_, task_input::PartitionFinished{StageId{int_of(fields.at("stage"))}, int_of(fields.at("partition"))},
          effects_);
    else throw std::runtime_error{"no verb " + verb};
  }

  void submit(const json::object& fields) {
    TaskSetDescription set;
    set.key = {StageId{int_of(fields.at("stage"))}, int_of(fields.at("attempt"))};
    set.job = JobId{int_of(fields.at("priority"))};
    set.kind = fields.at("kind").as_string() == "map" ? TaskSetKind::map : TaskSetKind::result;
    if (const json::value* pool = fields.if_contains("pool")) set.pool = text_of(*pool);
    PreferredLocationLists lists;
    for (const json::value& preferred : fields.at("tasks").as_array()) {
      std::vector<PreferredLocation> places;
      for (const json::value& text : preferred.as_array()) places.push_back(place(text_of(text)));
      lists.add(places);
    }
    set.tasks = static_cast<std::int32_t>(lists.size());
    require(set.tasks > 0, "a set without tasks");
    require(!seen_.contains(text_of(set.key)), "set " + text_of(set.key) + " is submitted twice");
    const std::size_t lists_size = lists.size();
    set.places = {without_repeats(std::make_shared<const PreferredLocationLists>(std::move(lists))),
                  false};  // as Spark's tasks do
    if (const json::value* partitions = fields.if_contains("partitions"))
      for (const json::value& partition : partitions->as_array()) set.partitions.emplace_back(int_of(partition), 1);
    require(set.partitions.empty() || set.partitions.size() == lists_size, "partitions do not make up the tasks");
    if (const json::value* barrier = fields.if_contains("barrier")) set.is_barrier = barrier->as_bool();
    if (const json::value* profile = fields.if_contains("profile")) {
      const auto index = static_cast<std::size_t>(int_of(*profile)) - 1;
      require(index < needs_.size(), "a profile that is not there");
      set.need = needs_[index];
      set.task_cores = profile_cores_[index];
    }
    scheduler_.apply(now_, task_input::TaskSetSubmitted{set}, effects_);
    submitted_ = set.key;
    seen_.insert_or_assign(text_of(set.key), Seen{set.key, set.tasks, {}});
  }

  void offer(const json::object& fields) {
    std::vector<SlotOffer> offers;
    std::deque<OfferDetail> details;
    for (const json::value& one : fields.at("offers").as_array()) {
      const json::array& parts = one.as_array();
      const bool has_profile = parts.size() > 3;
      if (has_profile) details.push_back({ProfileId{int_of(parts.at(3))}, {}});
      offers.push_back({executor(text_of(parts.at(0))), host(text_of(parts.at(1))), int_of(parts.at(2)),
                        has_profile ? &details.back() : nullptr});
      offered_executors_.insert(text_of(parts.at(0)));
      offered_hosts_.insert(text_of(parts.at(1)));
    }
    scheduler_.apply(now_, task_input::OffersMade{offers, fields.at("full").as_bool()}, effects_);
  }

  void status(const json::object& fields) {
    static const std::map<std::string, AttemptState> states{{"running", AttemptState::running},
                                                            {"finished", AttemptState::finished},
                                                            {"failed", AttemptState::failed},
                                                            {"killed", AttemptState::killed},
                                                            {"lost", AttemptState::lost}};
    static const std::map<std::string, AttemptFailure> failures{{"exception", AttemptFailure::exception},
                                                                {"not_serializable", AttemptFailure::not_serializable},
                                                                {"output_exists", AttemptFailure::output_exists},
                                                                {"fetch_failed", AttemptFailure::fetch_failed},
                                                                {"result_lost", AttemptFailure::result_lost},
                                                                {"commit_denied", AttemptFailure::commit_denied},
                                                                {"unknown", AttemptFailure::unknown}};
    AttemptStatus told;
    told.state = states.at(text_of(fields.at("state")));
    if (const json::value* reason = fields.if_contains("reason")) told.failure = failures.at(text_of(*reason));
    if (const json::value* source = fields.if_contains("source_executor"); source != nullptr && !source->is_null())
      told.source_executor = executor(text_of(*source));
    if (const json::value* source = fields.if_contains("source_host"); source != nullptr && !source->is_null())
      told.source_host = host(text_of(*source));
    task_input::apply_attempt_status(scheduler_, now_, LaunchId{fields.at("task").to_number<std::int64_t>()}, told,
                                     effects_);
  }

  void lose(const json::object& fields) {
    static const std::map<std::string, LossKind> kinds{{"exited", LossKind::exited},
                                                       {"process_lost", LossKind::process_lost},
                                                       {"killed", LossKind::killed},
                                                       {"pending", LossKind::pending},
                                                       {"decommissioned", LossKind::decommissioned}};
    LossReason reason;
    reason.kind = kinds.at(text_of(fields.at("reason")));
    if (const json::value* by = fields.if_contains("by_app")) reason.by_application = by->as_bool();
    scheduler_.apply(now_, task_input::ExecutorGone{executor(text_of(fields.at("executor"))), reason}, effects_);
  }

  void advance(Duration span) {
    const Instant end = now_ + span;
    for (auto due = scheduler_.next_due(); due && *due <= end; due = scheduler_.next_due())
      scheduler_.apply(now_ = std::max(now_, *due), task_input::TimePassed{}, effects_);
    // heddle wants a round when a level opens; Spark revives at intervals, and a case spells its rounds out.
    std::erase_if(effects_.events,
                  [](const auto& effect) { return std::holds_alternative<ReviveOffersWanted>(effect); });
    now_ = end;
  }

  // -- comparing ---------------------------------------------------------------
  json::array launched() const {
    json::array all;
    for (const TaskLaunch& launch : effects_.launches) {
      json::array one{launch.id.value, text_of(launch.set),   launch.index,
                      launch.attempt,  name(launch.executor), text_of(launch.level)};
      if (launch.speculative) one.emplace_back("speculative");
      all.emplace_back(std::move(one));
    }
    return all;
  }

  /// What the DAG scheduler would be told, or null for an effect that it does not hear.
  json::value event_of(const TaskSchedulerEffect& effect) const {
    if (const auto* told = std::get_if<TaskEnded>(&effect))
      return json::array{"task_end", told->id.value, text_of(told->outcome)};
    if (const auto* told = std::get_if<ExecutorAdded>(&effect))
      return json::array{"executor_added", name(told->executor), name(told->host)};
    if (const auto* told = std::get_if<ExecutorLost>(&effect))
      return json::array{"executor_lost", name(told->executor)};
    if (const auto* told = std::get_if<TaskSetFailed>(&effect)) return json::array{"set_failed", text_of(told->set)};
    if (const auto* told = std::get_if<SpeculativeTaskSubmitted>(&effect))
      return json::array{"speculative", text_of(told->set), told->index};
    if (const auto* told = std::get_if<UnschedulableSetAdded>(&effect))
      return json::array{"unschedulable_added", text_of(told->set)};
    if (const auto* told = std::get_if<UnschedulableSetRemoved>(&effect))
      return json::array{"unschedulable_removed", text_of(told->set)};
    return nullptr;
  }

  void check_effects(const json::object& expect) {
    json::array events;
    std::set<std::string> kills;
    std::set<std::string> executor_kills;
    bool revive = false;
    std::vector<std::string> idle_kills;
    for (const TaskSchedulerEffect& effect : effects_.events) {
      if (json::value event = event_of(effect); !event.is_null()) events.push_back(std::move(event));
      if (const auto* kill = std::get_if<KillAttempt>(&effect))
        kills.insert(json::serialize(json::array{kill->id.value, name(kill->executor)}));
      if (const auto* kill = std::get_if<KillExcludedHost>(&effect))
        executor_kills.insert(json::serialize(json::array{"host", name(kill->host)}));
      if (const auto* kill = std::get_if<KillExcludedExecutor>(&effect)) {
        if (kill->idle) idle_kills.push_back(name(kill->executor));
        else executor_kills.insert(json::serialize(json::array{"executor", name(kill->executor)}));
      }
      revive = revive || std::holds_alternative<ReviveOffersWanted>(effect);
    }
    report_.check(step_, "events", field(expect, "events", json::array{}), events);
    report_.check(step_, "revive", field(expect, "revive", false), revive);
    check_set("kills", field(expect, "kills", json::array{}), kills);
    json::array firm;
    const json::value expected_kills = field(expect, "executor_kills", json::array{});
    for (const json::value& kill : expected_kills.as_array()) {
      if (kill.at(0).as_string() != "idle_one_of") {
        firm.push_back(kill);
        continue;
      }
      const json::array& candidates = kill.at(1).as_array();
      const auto chosen = std::find_if(idle_kills.begin(), idle_kills.end(), [&](const std::string& one) {
        return std::find(candidates.begin(), candidates.end(), json::value(one)) != candidates.end();
      });
      if (chosen == idle_kills.end()) report_.differ(step_, "executor_kills", kill, json::value_from(idle_kills));
      else idle_kills.erase(chosen);
    }
    if (!idle_kills.empty()) report_.differ(step_, "executor_kills", nullptr, json::value_from(idle_kills));
    check_set("executor_kills", firm, executor_kills);
  }

  void check_set(std::string_view what, const json::value& expected, const std::set<std::string>& got) {
    std::set<std::string> wanted;
    for (const json::value& one : expected.as_array()) wanted.insert(json::serialize(one));
    if (wanted != got) report_.differ(step_, what, expected, json::value_from(got));
  }

  struct Seen {
    TaskSetKey key;
    std::int32_t tasks = 0;
    json::object state;
  };

  static json::array sorted(std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    return json::value_from(names).as_array();
  }

  json::array excluded_by_index(const std::vector<std::string>& names, const Seen& seen, bool executors) const {
    std::vector<std::string> rows;
    for (std::size_t i = 0; i < names.size(); ++i)
      for (std::int32_t index = 0; index < seen.tasks; ++index) {
        const bool is_excluded =
            executors ? scheduler_.is_executor_excluded(seen.key, ExecutorId{static_cast<std::int64_t>(i)}, index)
                      : scheduler_.is_host_excluded(seen.key, HostId{static_cast<std::int32_t>(i)}, index);
        if (is_excluded) rows.push_back(json::serialize(json::array{names[i], index}));
      }
    return sorted(rows);
  }

  json::object state_of(const Seen& seen) const {
    const auto progress = scheduler_.progress(seen.key);
    if (!progress) return seen.state;
    json::object state;
    json::array levels;
    for (const LocalityLevel level : scheduler_.locality_levels(seen.key)) levels.emplace_back(text_of(level));
    if (!progress->zombie) state["levels"] = std::move(levels);
    state["zombie"] = progress->zombie;
    state["running"] = progress->running;
    state["successful"] = progress->successful;
    state["finished"] = progress->finished;
    if (!has_exclusion_) return state;
    std::vector<std::string> executors, hosts;
    for (std::size_t i = 0; i < executor_names_.size(); ++i)
      if (scheduler_.is_executor_excluded(seen.key, ExecutorId{static_cast<std::int64_t>(i)}, -1))
        executors.push_back(executor_names_[i]);
    for (std::size_t i = 0; i < host_names_.size(); ++i)
      if (scheduler_.is_host_excluded(seen.key, HostId{static_cast<std::int32_t>(i)}, -1))
        hosts.push_back(host_names_[i]);
    state["excluded_executors"] = sorted(executors);
    state["excluded_nodes"] = sorted(hosts);
    state["excluded_task_executors"] = excluded_by_index(executor_names_, seen, true);
    state["excluded_task_nodes"] = excluded_by_index(host_names_, seen, false);
    return state;
  }

  /// The expected change of a field, in the form in which this driver keeps it.
  static json::value normal(const json::value& value, std::string_view field_name) {
    if (!value.is_array() || field_name == "levels") return value;
    std::vector<std::string> rows;
    for (const json::value& one : value.as_array())
      rows.push_back(one.is_string() ? text_of(one) : json::serialize(one));
    return sorted(rows);
  }

  static json::value start_value(std::string_view field_name) {
    if (field_name == "levels") return nullptr;
    if (field_name == "zombie" || field_name == "finished") return false;
    if (field_name == "running" || field_name == "successful") return 0;
    return json::array{};
  }

  void check_sets(const json::object& expect) {
    const json::value expected_sets = field(expect, "sets", json::object{});
    for (auto& [set_name, seen] : seen_) {
      json::object state = state_of(seen);
      const json::value expected = field(expected_sets.as_object(), set_name, json::object{});
      for (const auto& [name_view, got] : state) {
        const std::string field_name{name_view};
        json::value before = field(seen.state, field_name, start_value(field_name));
        const json::value* change = expected.as_object().if_contains(field_name);
        report_.check(step_, set_name + " " + field_name, change == nullptr ? before : normal(*change, field_name),
                      got);
      }
      for (const auto& change : expected.as_object())
        if (!state.contains(change.key()) && change.key() != "levels")
          report_.differ(step_, change.key(), change.value(), nullptr);
      if (!state.contains("levels") && seen.state.contains("levels")) state["levels"] = seen.state["levels"];
      seen.state = std::move(state);
    }
  }

  void check_application(const json::object& expect) {
    std::vector<std::string> executors, hosts;
    for (const std::string& one : offered_executors_)
      if (scheduler_.is_executor_excluded(executors_.at(one))) executors.push_back(one);
    for (const std::string& one : offered_hosts_)
      if (scheduler_.is_host_excluded(hosts_.at(one))) hosts.push_back(one);
    const json::object got{{"executors", sorted(executors)}, {"nodes", sorted(hosts)}};
    json::object wanted = application_;
    if (const json::value* change = expect.if_contains("app_excluded")) {
      for (const auto& one : change->as_object()) wanted[one.key()] = normal(one.value(), one.key());
    }
    report_.check(step_, "app_excluded", wanted, got);
    application_ = got;
  }

  json::object racks_;
  bool has_exclusion_ = false;
  std::vector<TaskNeed> needs_;  // of profiles 1, 2, ...
  std::vector<std::int32_t> profile_cores_;
  TaskScheduler scheduler_;
  Report& report_;
  TaskSchedulerEffects effects_;
  Instant now_{std::chrono::milliseconds{1}};
  int step_ = 0;
  std::map<std::string, HostId> hosts_;
  std::map<std::string, ExecutorId> executors_;
  std::vector<std::string> host_names_;
  std::vector<std::string> executor_names_;
  std::set<std::string> offered_executors_;
  std::set<std::string> offered_hosts_;
  std::map<std::string, Seen> seen_;
  std::optional<TaskSetKey> submitted_;
  json::object application_{{"executors", json::array{}}, {"nodes", json::array{}}};
};

void run(const json::object& test_case, Report& report) {
  Script script{test_case.at("settings").as_object(), report};
  int number = 0;
  for (const json::value& step : test_case.at("steps").as_array()) script.run(number++, step.as_object());
}

const Kind kind{"task_scheduling", run};

}  // namespace
}  // namespace task_scheduling_kind
}  // namespace heddle::conformance

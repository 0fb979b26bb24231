// Kind dynamic_allocation: scripts for dynamic allocation. The simulated cluster manager answers requests and removals
// at once, as the script says. Executors get numbers whose decimal texts sort as their names.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "policies/executors/executor_allocation.hpp"
#include "tests/conformance/json_fields.hpp"
#include "tests/conformance/kind.hpp"

namespace heddle::conformance {
namespace dynamic_allocation_kind {

namespace {

namespace json = boost::json;
using namespace heddle::policies;

std::string_view text(const json::value& value) { return value.as_string(); }

std::int32_t number(const json::object& step, std::string_view field) {
  return step.at(field).to_number<std::int32_t>();
}

Duration milliseconds(const json::value& value) { return std::chrono::milliseconds{value.to_number<std::int64_t>()}; }

std::optional<Duration> timeout(const json::value& value) {
  if (value.is_null()) return std::nullopt;
  return milliseconds(value);
}

ExecutorAllocationSettings read_settings(const json::object& settings) {
  ExecutorAllocationSettings result;
  result.executors_min = number(settings, "min");
  result.executors_max = number(settings, "max");
  result.executors_initial = std::max(number(settings, "initial"), result.executors_min);
  result.ratio = settings.at("ratio").to_number<double>();
  result.tasks_per_executor = json::value_to<std::vector<std::int32_t>>(settings.at("tasks_per_executor"));
  require(!result.tasks_per_executor.empty(), "no profile");
  for (const std::int32_t size : result.tasks_per_executor) require(size > 0, "an executor with room for no task");
  result.backlog_timeout = milliseconds(settings.at("backlog_timeout"));
  result.sustained_timeout = milliseconds(settings.at("sustained_timeout"));
  result.decommission = settings.at("decommission").as_bool();
  result.monitor.idle_timeout = milliseconds(settings.at("idle_timeout"));
  result.monitor.cached_timeout = timeout(settings.at("cached_timeout"));
  result.monitor.shuffle_timeout = timeout(settings.at("shuffle_timeout"));
  result.monitor.shuffle_tracking = settings.at("shuffle_tracking").as_bool();
  result.monitor.shuffle_service = settings.at("shuffle_service").as_bool();
  result.monitor.service_serves_blocks = settings.at("service_serves_blocks").as_bool();
  return result;
}

class AllocationScript {
public:
  AllocationScript(const json::object& test_case, Report& report)
      : report_{report},
        settings_{read_settings(test_case.at("settings").as_object())},
        allocation_{settings_},
        steps_{test_case.at("steps").as_array()} {
    for (const json::value& step : steps_) {
      if (const json::value* name = step.as_object().if_contains("executor")) names_.insert(std::string{text(*name)});
    }
  }

  void run() {
    for (const json::value& step : steps_) {
      calls_.clear();
      counted_as_.reset();
      act(step.as_object());
      allocation_.check_invariants();
      compare(step.as_object());
      ++step_;
    }
  }

private:
  static constexpr std::int64_t first_id = 1'000'000;

  ExecutorId executor(const json::value& name) const {
    const auto found = names_.find(std::string{text(name)});
    if (found == names_.end()) throw std::runtime_error{"an executor that no step names"};
    return ExecutorId{first_id + std::distance(names_.begin(), found)};
  }
  const std::string& name(ExecutorId id) const { return *std::next(names_.begin(), id.value - first_id); }
  HostId host(std::string_view host_name) {
    const auto found = std::find(hosts_.begin(), hosts_.end(), host_name);
    if (found != hosts_.end()) return HostId{static_cast<std::int32_t>(found - hosts_.begin())};
    hosts_.emplace_back(host_name);
    return HostId{static_cast<std::int32_t>(hosts_.size()) - 1};
  }
  static StageId stage(const json::object& step) { return StageId{number(step, "stage")}; }
  ProfileId profile(const json::object& step) const {
    const json::value* value = step.if_contains("profile");
    if (value == nullptr) return ProfileId{0};
    require(value->to_number<std::uint64_t>() < settings_.tasks_per_executor.size(), "a profile that is not there");
    return ProfileId{value->to_number<std::int32_t>()};
  }

  // -- simulated cluster manager ------------------------------------------------------

  void answer(AllocationEffects effects) {
    while (!effects.empty()) {
      AllocationEffects next;
      for (const AllocationEffect& effect : effects) {
        if (const auto* request = std::get_if<RequestExecutorTotals>(&effect)) {
          record(*request);
          if (request->needs_answer) allocation_.apply(now_, allocation_input::RequestAnswered{accepts_}, next);
        } else {
          const auto& removal = std::get<RemoveIdleExecutors>(effect);
          allocation_.apply(now_, allocation_input::KillAnswered{record(removal)}, next);
        }
      }
      effects = std::move(next);
    }
  }

  void record(const RequestExecutorTotals& request) {
    json::array totals;
    json::array locality_tasks;
    json::array hosts;
    for (const auto& of_profile : request.profiles) {
      const auto id = static_cast<std::int32_t>(of_profile.profile.value);
      totals.emplace_back(json::array{id, of_profile.total});
      if (of_profile.locality_tasks != 0) locality_tasks.emplace_back(json::array{id, of_profile.locality_tasks});
      json::object tasks;
      for (const HostTasks& hint : of_profile.hosts)
        tasks[hosts_.at(static_cast<std::size_t>(hint.host.value))] = hint.tasks;
      if (!tasks.empty()) hosts.emplace_back(json::array{id, std::move(tasks)});
    }
    calls_.emplace_back(json::object{{"call", "request"},
                                     {"totals", std::move(totals)},
                                     {"locality_tasks", std::move(locality_tasks)},
                                     {"hosts", std::move(hosts)}});
  }

  std::vector<ExecutorId> record(const RemoveIdleExecutors& removal) {
    std::vector<ExecutorId> acknowledged;
    json::array executors;
    for (const ExecutorId id : removal.executors) {
      executors.emplace_back(name(id));
      if (!refused_.contains(name(id))) acknowledged.push_back(id);
    }
    calls_.emplace_back(
        json::object{{"call", removal.decommission ? "decommission" : "kill"}, {"executors", std::move(executors)}});
    return acknowledged;
  }

  // -- steps -------------------------------------------------------------------------

  void act(const json::object& step) {
    const std::string_view verb = text(step.at("do"));
    AllocationEffects effects;
    if (verb == "start") {
      allocation_.apply(now_, allocation_input::Started{}, effects);
    } else if (verb == "poll") {
      if (const json::value* after = step.if_contains("after")) now_ += milliseconds(*after);
      allocation_.apply(now_, allocation_input::PollDue{}, effects);
    } else if (verb == "advance") {
      now_ += milliseconds(step.at("ms"));
    } else if (verb == "stage_submitted") {
      submit(step, effects);
    } else if (verb == "backend") {
      accepts_ = step.contains("accept") ? step.at("accept").as_bool() : accepts_;
      if (const json::value* refused = step.if_contains("refuse_kills")) {
        refused_.clear();
        for (const json::value& id : refused->as_array()) refused_.insert(std::string{text(id)});
      }
    } else if (verb == "reset") {
      allocation_.apply(now_, allocation_input::Reset{});
    } else if (step.contains("executor") || step.contains("stage")) {
      act_on_task_or_executor(verb, step);
    } else {
      act_on_job(verb, step);
    }
    answer(std::move(effects));
  }

  void submit(const json::object& step, AllocationEffects& effects) {
    const std::int32_t tasks = number(step, "tasks");
    require(tasks >= 0, "a stage with fewer tasks than none");
    TaskSetLocations places;
    if (const json::value* preferred = step.if_contains("preferred")) {
      auto lists = std::make_shared<PreferredLocationLists>();
      for (const json::value& hosts : preferred->as_array()) {
        std::vector<PreferredLocation> named;
        for (const json::value& entry : hosts.as_array()) named.emplace_back(host(text(entry)));
        lists->add(named);
      }
      places.lists = std::move(lists);
    }
    // Locations are counted as they are listed, whatever the number of tasks is.
    const IndexRange listed{0, places.lists ? static_cast<std::int32_t>(places.lists->size()) : 0};
    allocation_.apply(
        now_,
        allocation_input::StageBegun{stage(step), number(step, "attempt"), tasks, profile(step), {listed}, places},
        effects);
  }

  void act_on_task_or_executor(std::string_view verb, const json::object& step) {
    if (verb == "stage_completed") {
      allocation_.apply(now_, allocation_input::StageEnded{stage(step), number(step, "attempt")});
    } else if (verb == "task_start") {
      allocation_.apply(now_, allocation_input::TaskStarted{stage(step), number(step, "attempt"), number(step, "index"),
                                                            executor(step.at("executor")), flag(step, "speculative")});
    } else if (verb == "task_end") {
      const std::string_view reason = text(step.at("reason"));
      const auto end = reason == "success"  ? TaskEndReason::success
                       : reason == "failed" ? TaskEndReason::failed
                                            : TaskEndReason::killed;
      allocation_.apply(now_,
                        allocation_input::TaskStopped{stage(step), number(step, "attempt"), number(step, "index"),
                                                      executor(step.at("executor")), flag(step, "speculative"), end});
    } else if (verb == "speculative_submitted") {
      allocation_.apply(now_,
                        allocation_input::CopySubmitted{stage(step), number(step, "attempt"), number(step, "index")});
    } else if (verb == "unschedulable_added") {
      allocation_.apply(now_, allocation_input::SetUnschedulable{stage(step), number(step, "attempt")});
    } else if (verb == "unschedulable_removed") {
      allocation_.apply(now_, allocation_input::SetSchedulable{stage(step), number(step, "attempt")});
    } else if (verb == "executor_added") {
      allocation_.apply(now_, allocation_input::ExecutorRegistered{executor(step.at("executor")), profile(step)});
    } else if (verb == "active") {
      allocation_.apply(now_, allocation_input::ExecutorActive{executor(step.at("executor"))});
    } else if (verb == "executor_removed") {
      const bool is_finished = text(step.at("reason")) == "decommission_finished";
      const auto reason = is_finished ? LossKind::decommissioned : LossKind::process_lost;
      counted_as_ =
          kind_name(allocation_.apply(now_, allocation_input::ExecutorGone{executor(step.at("executor")), reason}));
    } else if (verb == "block_updated") {
      allocation_.apply(now_, allocation_input::BlockUpdated{executor(step.at("executor")), number(step, "rdd"),
                                                             number(step, "split"), level(text(step.at("level")))});
    } else {
      throw std::runtime_error{"unknown verb " + std::string{verb}};
    }
  }

  void act_on_job(std::string_view verb, const json::object& step) {
    if (verb == "unpersist") {
      allocation_.apply(now_, allocation_input::DatasetDropped{number(step, "rdd")});
    } else if (verb == "shuffle_cleaned") {
      allocation_.apply(now_, allocation_input::ShuffleDropped{ShuffleId{number(step, "shuffle")}});
    } else if (verb == "job_start") {
      std::vector<JobStage> stages;
      for (const json::value& entry : step.at("stages").as_array()) {
        JobStage of_job;
        of_job.stage = StageId{entry.at(0).to_number<std::int64_t>()};
        if (!entry.at(1).is_null()) of_job.shuffle = ShuffleId{entry.at(1).to_number<std::int64_t>()};
        stages.push_back(of_job);
      }
      allocation_.apply(now_, allocation_input::JobBegun{JobId{number(step, "job")}, stages});
    } else if (verb == "job_end") {
      allocation_.apply(now_, allocation_input::JobDone{JobId{number(step, "job")}});
    } else {
      throw std::runtime_error{"unknown verb " + std::string{verb}};
    }
  }

  static BlockLevel level(std::string_view word) {
    if (word == "memory") return BlockLevel::memory;
    if (word == "disk") return BlockLevel::disk;
    return word == "none" ? BlockLevel::none : BlockLevel::memory_and_disk;
  }

  static json::value kind_name(std::optional<RemovalKind> kind) {
    if (!kind) return nullptr;
    switch (*kind) {
      case RemovalKind::driver_killed: return "driver_killed";
      case RemovalKind::graceful: return "graceful";
      case RemovalKind::unfinished: return "unfinished";
      case RemovalKind::unexpected: return "unexpected";
    }
    return nullptr;
  }

  // -- expected values ---------------------------------------------------------------

  json::array names_of(const std::vector<ExecutorId>& ids) const {
    json::array result;
    for (const ExecutorId id : ids) result.emplace_back(name(id));
    return result;
  }

  json::object state() const {
    json::array target;
    json::array to_add;
    json::array needed;
    for (std::size_t index = 0; index < settings_.tasks_per_executor.size(); ++index) {
      const ProfileId id{static_cast<std::int32_t>(index)};
      target.emplace_back(allocation_.target(id).value_or(-1));
      to_add.emplace_back(allocation_.to_add(id).value_or(-1));
      needed.emplace_back(allocation_.needed(id));
    }
    json::object result;
    result["target"] = std::move(target);
    result["to_add"] = std::move(to_add);
    result["needed"] = std::move(needed);
    result["add_time"] = nullptr;
    if (const auto add_time = allocation_.add_time())
      result["add_time"] = to_milliseconds(add_time->time_since_epoch());
    result["executors"] = allocation_.monitor().executors();
    result["pending_removal"] = names_of(allocation_.monitor().pending_removal());
    result["decommissioning"] = names_of(allocation_.monitor().decommissioning());
    return result;
  }

  void put_idleness(json::object& got) {
    json::array became_idle;
    json::array became_busy;
    const ExecutorMonitor& monitor = allocation_.monitor();
    for (const std::string& executor_name : names_) {
      const ExecutorId id = executor(json::value(executor_name));
      if (!monitor.is_active(id) || !monitor.is_known(id)) {
        was_idle_.erase(id);
        continue;
      }
      const bool is_idle = monitor.is_idle(id);
      if (is_idle && !was_idle_[id]) became_idle.emplace_back(executor_name);
      if (!is_idle && was_idle_[id]) became_busy.emplace_back(executor_name);
      was_idle_[id] = is_idle;
    }
    if (!became_idle.empty()) got["became_idle"] = std::move(became_idle);
    if (!became_busy.empty()) got["became_busy"] = std::move(became_busy);
  }

  void compare(const json::object& step) {
    json::object got;
    if (!calls_.empty()) got["calls"] = calls_;
    json::object now_state = state();
    for (const auto& field : now_state) {
      const json::value* before = state_.if_contains(field.key());
      if (before == nullptr || *before != field.value()) got[field.key()] = field.value();
    }
    state_ = std::move(now_state);
    put_idleness(got);
    if (counted_as_) got["counted_as"] = *counted_as_;
    const json::object& expect = step.at("expect").as_object();
    for (const std::string& field : field_names(expect, got)) {
      const json::value* wanted = expect.if_contains(field);
      const json::value* found = got.if_contains(field);
      if ((wanted == nullptr) != (found == nullptr) || (wanted != nullptr && *wanted != *found)) {
        report_.differ(step_, field, wanted ? *wanted : json::value{"absent"}, found ? *found : json::value{"absent"});
      }
    }
  }

  Report& report_;
  ExecutorAllocationSettings settings_;
  ExecutorAllocation allocation_;
  const json::array& steps_;
  std::set<std::string> names_;
  std::vector<std::string> hosts_;
  std::set<std::string> refused_;
  bool accepts_ = true;
  Instant now_{};
  int step_ = 0;
  json::array calls_;
  std::optional<json::value> counted_as_;
  json::object state_;
  std::map<ExecutorId, bool> was_idle_;
};

void run(const json::object& test_case, Report& report) { AllocationScript{test_case, report}.run(); }

const Kind kind{"dynamic_allocation", run};

}  // namespace

}  // namespace dynamic_allocation_kind
}  // namespace heddle::conformance

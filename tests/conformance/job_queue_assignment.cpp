// Kind job_queue_assignment: scripts for JobQueueScheduler. A heartbeat has reports and gets commands.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "policies/job_tracker/job_queue_scheduler.hpp"
#include "tests/conformance/json_fields.hpp"
#include "tests/conformance/kind.hpp"

namespace heddle::conformance {
namespace job_queue_assignment_kind {
namespace {

namespace json = boost::json;
using namespace policies;

constexpr std::array priorities{"VERY_HIGH", "HIGH", "NORMAL", "LOW", "VERY_LOW"};
constexpr std::array attempt_states{"RUNNING", "COMMIT_PENDING", "SUCCEEDED",     "FAILED",
                                    "KILLED",  "FAILED_UNCLEAN", "KILLED_UNCLEAN"};
constexpr std::array job_states{"PREP", "RUNNING", "SUCCEEDED", "FAILED", "KILLED"};
constexpr std::array launch_types{"map", "reduce", "job_setup", "job_cleanup", "task_cleanup"};
constexpr std::array localities{"NODE_LOCAL", "RACK_LOCAL", "OFF_SWITCH"};

template <class T>
void read(const json::object& fields, const char* name, T& out) {
  const auto* value = fields.if_contains(name);
  if (value == nullptr) return;
  if constexpr (std::is_same_v<T, bool>) out = value->as_bool();
  else if constexpr (std::is_same_v<T, float>) out = static_cast<float>(value->to_number<double>());
  else out = value->to_number<T>();
}

JobQueueSettings settings_of(const json::object& fields) {
  JobQueueSettings settings;
  read(fields, "setup_cleanup", settings.setup_and_cleanup);
  read(fields, "capacity_pad", settings.capacity_pad);
  return settings;
}

class Script {
public:
  Script(const json::object& settings, Report& report) : report_{report}, scheduler_{settings_of(settings)} {}

  void run(const json::array& steps) {
    for (const auto& item : steps) {
      const auto& step = item.as_object();
      const auto* found = step.if_contains("expect");
      const json::object expect = found == nullptr ? json::object{} : found->as_object();
      perform(step, expect);
      scheduler_.check_invariants();
      ++step_;
    }
  }

private:
  void perform(const json::object& step, const json::object& expect) {
    const std::string verb = text(step.at("do"));
    if (verb == "add_tracker") {
      scheduler_.on_tracker(now_, text(step.at("tracker")), text(step.at("host")), text(step.at("rack")),
                            step.at("map_slots").to_number<std::int32_t>(),
                            step.at("reduce_slots").to_number<std::int32_t>());
    } else if (verb == "add_host") {
      scheduler_.on_host(text(step.at("host")), text(step.at("rack")));
    } else if (verb == "submit_job") {
      submit(step);
    } else if (verb == "heartbeat") {
      heartbeat(step, expect);
    } else if (verb == "advance") {
      now_ += std::chrono::milliseconds{step.at("ms").to_number<std::int64_t>()};
    } else if (verb == "set_priority") {
      scheduler_.on_priority(JobId{step.at("job").to_number<std::int64_t>()},
                             value_in<JobPriority>(priorities, text(step.at("priority"))));
    } else if (verb == "kill_job") {
      scheduler_.on_kill_job(now_, JobId{step.at("job").to_number<std::int64_t>()});
    } else if (verb == "kill_attempt") {
      bool as_failed = false;
      read(step, "as_failed", as_failed);
      const bool accepted = scheduler_.on_kill_attempt(attempt_of(text(step.at("attempt"))), as_failed);
      report_.check(step_, "accepted", expect.at("accepted"), accepted);
    } else if (verb == "lose_tracker") {
      scheduler_.on_tracker_lost(now_, text(step.at("tracker")));
    } else if (verb == "safe_mode") {
      scheduler_.on_safe_mode(step.at("on").as_bool());
    } else if (verb == "state") {
      report_.check(step_, "jobs", expect.at("jobs"), state());
    } else {
      throw std::runtime_error{"unknown verb " + verb};
    }
  }

  void submit(const json::object& step) {
    ClassicJobDescription job;
    read(step, "job", job.job.value);
    for (const auto& split : step.at("splits").as_array()) {
      std::vector<std::string> hosts;
      for (const auto& host : split.as_array()) hosts.push_back(text(host));
      job.splits.push_back(std::move(hosts));
    }
    read(step, "reduces", job.reduces);
    job.priority = value_in<JobPriority>(priorities, text(step.at("priority")));
    read(step, "slowstart", job.slow_start);
    read(step, "map_speculative", job.map_speculative);
    read(step, "reduce_speculative", job.reduce_speculative);
    read(step, "max_map_attempts", job.map_attempts_max);
    read(step, "max_reduce_attempts", job.reduce_attempts_max);
    read(step, "max_tracker_failures", job.tracker_failures_max);
    read(step, "map_failures_percent", job.map_failures_percent);
    read(step, "reduce_failures_percent", job.reduce_failures_percent);
    read(step, "split_length", job.split_length);
    read(step, "reduce_input_limit", job.reduce_input_limit);
    if (sizes_.contains(job.job)) throw std::runtime_error{"job " + to_string(job.job) + " was submitted before"};
    if (job.reduces < 0 || job.reduces > 1000000) throw std::runtime_error{"reduces out of range"};
    sizes_[job.job] = {static_cast<std::int32_t>(job.splits.size()), job.reduces};
    scheduler_.on_job(now_, job);
  }

  // -- names of attempts: j0.m3.a1, j0.setup_m.a0 ----------------------------------

  TaskAttemptId attempt_of(const std::string& name) const {
    const auto first = name.find('.');
    const auto second = name.find('.', first + 1);
    const std::string task = name.substr(first + 1, second - first - 1);
    TaskAttemptId attempt;
    attempt.job = JobId{std::stoi(name.substr(1, first - 1))};
    attempt.attempt = std::stoi(name.substr(second + 2));
    const auto& [maps, reduces] = sizes_.at(attempt.job);
    const bool is_special = task.find('_') != std::string::npos;
    attempt.is_reduce = is_special ? task.back() == 'r' : task[0] == 'r';
    const std::int32_t behind = attempt.is_reduce ? reduces : maps;
    attempt.task = !is_special ? std::stoi(task.substr(1)) : task.starts_with("setup") ? behind + 1 : behind;
    return attempt;
  }

  std::string name_of(const TaskAttemptId& attempt) const {
    const auto& [maps, reduces] = sizes_.at(attempt.job);
    const std::int32_t behind = attempt.is_reduce ? reduces : maps;
    const char* side = attempt.is_reduce ? "r" : "m";
    std::string task = side + std::to_string(attempt.task);
    if (attempt.task >= behind) task = std::string{attempt.task == behind ? "cleanup_" : "setup_"} + side;
    return "j" + to_string(attempt.job) + "." + task + ".a" + std::to_string(attempt.attempt);
  }

  // -- heartbeats --------------------------------------------------------------------

  void heartbeat(const json::object& step, const json::object& expect) {
    TrackerReport beat;
    beat.tracker = text(step.at("tracker"));
    for (const auto& item : step.at("reports").as_array()) {
      const auto& fields = item.as_object();
      AttemptReport report;
      report.attempt = attempt_of(text(fields.at("attempt")));
      report.state = value_in<TaskAttemptState>(attempt_states, text(fields.at("state")));
      read(fields, "progress", report.progress);
      read(fields, "output", report.output);
      read(fields, "cleanup_phase", report.cleanup_phase);
      beat.reports.push_back(report);
    }
    read(step, "accept_new", beat.accepts_tasks);
    read(step, "free_space", beat.free_space);
    compare(scheduler_.on_heartbeat(now_, std::move(beat)), expect);
  }

  json::array launches(const TrackerOrders& orders) const {
    json::array list;
    for (const auto& launch : orders.launches) {
      json::object entry{{"attempt", name_of(launch.attempt)},
                         {"type", launch_types[static_cast<std::size_t>(launch.type)]},
                         {"slot", launch.reduce_slot ? "reduce" : "map"}};
      if (launch.type == AttemptType::map) entry["locality"] = localities[static_cast<std::size_t>(launch.locality)];
      if (launch.type == AttemptType::map || launch.type == AttemptType::reduce)
        entry["speculative"] = launch.speculative;
      list.push_back(entry);
    }
    return list;
  }

  void compare(const TrackerOrders& orders, const json::object& expect) {
    report_.check(step_, "launch", expect.at("launch"), launches(orders));
    json::array kills, jobs, commits;
    for (const auto& attempt : orders.kills) kills.emplace_back(name_of(attempt));
    for (const auto job : orders.ended_jobs) jobs.emplace_back(job.value);
    for (const auto& attempt : orders.commits) commits.emplace_back(name_of(attempt));
    check_set(expect, "kill", kills);
    check_set(expect, "kill_jobs", jobs);
    check_set(expect, "commit", commits);
  }

  void check_set(const json::object& expect, const char* field, json::array got) {
    const auto* found = expect.if_contains(field);
    json::array wanted = found == nullptr ? json::array{} : found->as_array();
    for (auto* list : {&wanted, &got})
      std::sort(list->begin(), list->end(),
                [](const auto& a, const auto& b) { return json::serialize(a) < json::serialize(b); });
    report_.check(step_, field, wanted, got);
  }

  json::array state() const {
    json::array list;
    for (const auto& [number, job] : scheduler_.jobs()) {
      std::map<std::string, std::int32_t> failures;
      for (const auto& [host, count] : job.faults().failures()) failures[scheduler_.cluster().host_name(host)] = count;
      json::array bad;
      for (const auto& [host, count] : failures) bad.push_back({host, count});
      const auto running = [&job = job](bool reduces) {
        return job.has_ended() ? json::value{} : json::value(job.counts(reduces).running);
      };
      list.push_back({{"job", number.value},
                      {"state", job_states[static_cast<std::size_t>(job.state())]},
                      {"finished_maps", job.counts(false).finished},
                      {"running_maps", running(false)},
                      {"failed_map_tips", job.counts(false).failed},
                      {"finished_reduces", job.counts(true).finished},
                      {"running_reduces", running(true)},
                      {"failed_reduce_tips", job.counts(true).failed},
                      {"bad_trackers", bad},
                      {"flaky_trackers", job.faults().flaky()}});
    }
    return list;
  }

  Report& report_;
  JobQueueScheduler scheduler_;
  std::map<JobId, std::pair<std::int32_t, std::int32_t>> sizes_;
  Instant now_{};
  int step_ = 0;
};

void run(const json::object& test_case, Report& report) {
  Script{test_case.at("settings").as_object(), report}.run(test_case.at("steps").as_array());
}

const Kind kind{"job_queue_assignment", run};

}  // namespace
}  // namespace job_queue_assignment_kind
}  // namespace heddle::conformance

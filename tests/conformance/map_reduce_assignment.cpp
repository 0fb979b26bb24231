// Kind map_reduce_assignment: scripts for MapReduceAllocator. A heartbeat is one call and its answer.
#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include "policies/map_reduce/map_reduce_allocator.hpp"
#include "tests/conformance/kind.hpp"
#include "tests/conformance/map_reduce_names.hpp"

namespace heddle::conformance {
namespace map_reduce_assignment_kind {
namespace {

namespace json = boost::json;
using namespace policies;

Resource resource_of(const json::object& fields) {
  return {fields.at("memory").to_number<std::int64_t>(), fields.at("vcores").to_number<std::int64_t>()};
}

MapReduceAllocator make_allocator(const json::object& fields) {
  MapReduceAllocatorSettings settings;
  settings.total_maps = number(fields, "total_maps", 0);
  settings.total_reduces = number(fields, "total_reduces", 0);
  settings.slow_start = number(fields, "slowstart", 0.05F);
  settings.ramp_up_limit = number(fields, "rampup_limit", 0.5F);
  settings.preemption_limit = number(fields, "preemption_limit", 0.5F);
  settings.preempt_delay_sec = number(fields, "preempt_delay_sec", 0);
  settings.unconditional_preempt_delay_sec = number(fields, "unconditional_preempt_delay_sec", 300);
  settings.running_map_limit = number(fields, "running_map_limit", 0);
  settings.running_reduce_limit = number(fields, "running_reduce_limit", 0);
  settings.exclusion.failures_per_host_max = number(fields, "max_failures_per_host", 3);
  settings.exclusion.is_on = flag(fields, "blacklisting", true);
  settings.exclusion.ignore_percent = number(fields, "ignore_blacklist_percent", 33);
  settings.opportunistic_maps_percent = number(fields, "opportunistic_maps_percent", 0);
  RackTable racks;
  for (const auto& row : fields.at("racks").as_object()) racks.set(row.key(), text(row.value()));
  MapReduceAllocator allocator{std::move(settings), std::move(racks)};
  ResourceKinds counted{ResourceKind::memory};
  if (flag(fields, "schedule_vcores", false)) counted.push_back(ResourceKind::cores);
  allocator.on_registered(
      {number<std::int64_t>(fields, "max_memory", 8192), number<std::int64_t>(fields, "max_vcores", 32)}, counted);
  return allocator;
}

class Script {
public:
  Script(const json::object& settings, Report& report) : report_{report}, allocator_{make_allocator(settings)} {}

  void run(const json::array& steps) {
    for (const auto& item : steps) {
      const auto& step = item.as_object();
      effects_.clear();
      result_ = {};
      perform(step);
      allocator_.check_invariants();
      for (const auto& effect : effects_) std::visit([this](const auto& one) { record(one); }, effect);
      const auto* expect = step.if_contains("expect");
      compare(expect == nullptr ? json::object{} : expect->as_object());
      ++step_;
    }
  }

private:
  void perform(const json::object& step) {
    const std::string verb = text(step.at("do"));
    if (verb == "map_request") {
      std::vector<std::string> hosts;
      if (const auto* list = step.if_contains("hosts"))
        for (const auto& host : list->as_array()) hosts.push_back(text(host));
      allocator_.on_map_request(now_, new_attempt(step), resource_of(step), std::move(hosts),
                                flag(step, "earlier_failed", false), effects_);
    } else if (verb == "reduce_request") {
      allocator_.on_reduce_request(new_attempt(step), resource_of(step), flag(step, "earlier_failed", false), effects_);
    } else if (verb == "deallocate") {
      allocator_.on_deallocate(attempt(step));
    } else if (verb == "attempt_failed_on") {
      allocator_.on_attempt_failed(text(step.at("host")));
    } else if (verb == "job_progress") {
      allocator_.on_job_progress(number(step, "completed_maps", 0), number(step, "completed_reduces", 0));
    } else if (verb == "attempt_progress") {
      allocator_.on_attempt_progress(attempt(step), number(step, "progress", 0.0F));
    } else if (verb == "advance") {
      now_ += std::chrono::milliseconds{step.at("ms").to_number<std::int64_t>()};
    } else if (verb == "heartbeat") {
      heartbeat(step.at("response"));
    } else {
      throw std::runtime_error{"unknown verb " + verb};
    }
  }

  static MapReduceAttempt attempt(const json::object& step) { return attempt_named(text(step.at("attempt"))); }

  MapReduceAttempt new_attempt(const json::object& step) {
    if (!requested_.insert(text(step.at("attempt"))).second) throw std::runtime_error{"an attempt asks once"};
    return attempt(step);
  }

  void heartbeat(const json::value& response) {
    record_call(allocator_.next_call());
    if (response.is_null()) {
      allocator_.on_not_registered(now_, effects_);
      response_id_ = 0;
    } else {
      allocator_.on_answer(now_, answer(response.as_object()), effects_);
    }
    const auto counts = allocator_.counts();
    result_["after"] = {{"pending_reduces", counts.pending_reduces},     {"scheduled_maps", counts.scheduled_maps},
                        {"scheduled_reduces", counts.scheduled_reduces}, {"assigned_maps", counts.assigned_maps},
                        {"assigned_reduces", counts.assigned_reduces},   {"preempting", counts.preempting},
                        {"reduce_started", counts.reduce_started}};
  }

  MapReduceAnswer answer(const json::object& response) {
    MapReduceAnswer answer;
    answer.response_id = ++response_id_;
    const auto& headroom = response.at("headroom").as_array();
    answer.headroom = {headroom[0].to_number<std::int64_t>(), headroom[1].to_number<std::int64_t>()};
    answer.cluster_nodes = number(response, "nodes", 0);
    if (const auto* granted = response.if_contains("granted"))
      for (const auto& grant : granted->as_array()) {
        if (!granted_.insert(container_named(text(grant.at("id")))).second)
          throw std::runtime_error{"a container is granted once"};
        answer.granted.push_back({container_named(text(grant.at("id"))), text(grant.at("host")),
                                  grant.at("priority").to_number<std::int32_t>(), resource_of(grant.as_object())});
      }
    if (const auto* completed = response.if_contains("completed"))
      for (const auto& end : completed->as_array())
        answer.completed.push_back({container_named(text(end.at("id"))), {end.at("exit").to_number<std::int32_t>()}});
    if (const auto* nodes = response.if_contains("updated_nodes"))
      for (const auto& node : nodes->as_array())
        answer.updated_nodes.push_back({{}, text(node.at("host")), node_condition_named(text(node.at("state")))});
    return answer;
  }

  void record_call(const MapReduceCall& call) {
    json::array asks;
    for (const auto& ask : call.asks) {
      json::object line{{"priority", static_cast<std::int32_t>(ask.priority)},
                        {"name", ask.name},
                        {"memory", ask.resource.memory_mib},
                        {"vcores", ask.resource.cores},
                        {"count", ask.count}};
      if (ask.opportunistic) line["opportunistic"] = true;
      asks.push_back(line);
    }
    json::array releases;
    for (const auto container : call.releases) releases.emplace_back(name_of(container));
    result_["sent"] = {{"response_id", call.response_id},
                       {"ask", asks},
                       {"release", releases},
                       {"blacklist_add", json::value_from(call.exclude)},
                       {"blacklist_remove", json::value_from(call.include)}};
  }

  void add(const char* field, json::value value) {
    auto& list = result_[field];
    if (!list.is_array()) list = json::array{};
    list.as_array().push_back(std::move(value));
  }

  void record(const AssignContainer& assigned) {
    json::object line{{"container", name_of(assigned.container)}, {"attempt", name_of(assigned.attempt)}};
    constexpr const char* places[] = {"node", "rack", "other"};
    if (!assigned.attempt.is_reduce) line["locality"] = places[static_cast<std::size_t>(assigned.place)];
    add("assigned", line);
  }
  void record(const NotifyContainerEnded& told) {
    add("attempt_events", json::object{{"attempt", name_of(told.attempt)}, {"event", "diagnostics"}});
    add("attempt_events",
        json::object{{"attempt", name_of(told.attempt)}, {"event", told.killed ? "killed" : "container_completed"}});
  }
  void record(const KillMapReduceAttempt& kill) {
    add("kill", json::object{{"attempt", name_of(kill.attempt)},
                             {"why", kill.reason == AttemptKillReason::ramp_down ? "ramp_down" : "unusable_node"},
                             {"reschedule", kill.reschedule}});
  }
  void record(const NotifyUpdatedNodes&) { add("job_events", json::value("updated_nodes")); }
  void record(const KillJob&) {
    add("job_events", json::value("diagnostics"));
    add("job_events", json::value("kill_job"));
  }

  static json::value sorted(json::value list) {
    if (auto* array = list.if_array())
      std::sort(array->begin(), array->end(),
                [](const auto& a, const auto& b) { return json::serialize(a) < json::serialize(b); });
    return list;
  }

  void compare(const json::object& expect) {
    for (const char* field : {"assigned", "attempt_events", "kill", "job_events", "after"})
      report_.check(step_, field, value_or_null(expect, field), value_or_null(result_, field));
    const auto* sent = expect.if_contains("sent");
    if (sent == nullptr) return;
    for (const auto& field : sent->as_object())
      report_.check(step_, field.key(), sorted(field.value()), sorted(result_["sent"].at(field.key())));
  }

  Report& report_;
  MapReduceAllocator allocator_;
  Instant now_{};
  std::int32_t response_id_ = 0;
  MapReduceEffects effects_;
  std::set<std::string> requested_;
  std::set<ContainerId> granted_;
  json::object result_;
  int step_ = 0;
};

void run(const json::object& test_case, Report& report) {
  Script{test_case.at("settings").as_object(), report}.run(test_case.at("steps").as_array());
}

const Kind kind{"map_reduce_assignment", run};

}  // namespace
}  // namespace map_reduce_assignment_kind
}  // namespace heddle::conformance

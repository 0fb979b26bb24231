// Kind queue_fair_shares: a queue file, nodes and applications; compares all queues and applications after one update.
#include <cmath>
#include <stdexcept>

#include "tests/conformance/fair_script.hpp"

namespace heddle::conformance {
namespace queue_fair_shares_kind {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

array pair(const policies::MemoryAndCores& resource) { return {resource.memory_mib, resource.cores}; }

void submit(policies::FairScheduler& fair, const object& app) {
  const Instant now{std::chrono::milliseconds{app.at("start_time").as_int64()}};
  const AttemptId attempt{ApplicationId{1, app.at("app").as_int64()}, 1};
  policies::ResourceEffects effects;
  if (fair.ledger().find_application(attempt.application) != policies::no_row)
    throw std::runtime_error{"an application is submitted once"};
  const policies::SubmissionAnswer answer =
      fair.on_application_added(now, {attempt.application, std::string{app.at("queue").as_string()},
                                      std::string{app.at("user").as_string()}, 0, std::nullopt});
  if (!answer.is_accepted) return;
  fair.on_attempt_added(now, attempt, effects);
  policies::AllocateRequest batch;
  for (const value& each : app.at("asks").as_array()) {
    const object& ask = each.as_object();
    batch.asks.push_back({ask.at("priority").to_number<std::int32_t>(),
                          "*",
                          ask.at("count").to_number<std::int32_t>(),
                          {ask.at("memory").as_int64(), ask.at("vcores").as_int64()},
                          true});
  }
  (void)fair.allocate(now, attempt, batch, effects);
}

void check_queue(const policies::FairScheduler& fair, const std::string& name, const object& expected, Report& report) {
  const policies::RowIndex slot = fair.queues().find(name);
  if (slot == policies::no_row) return report.differ(-1, name, expected, nullptr);
  const policies::FairQueue& queue = fair.queues().at(slot);
  const auto check = [&](const char* field, const value& got) {
    if (const value* wanted = expected.if_contains(field)) report.check(-1, name + "." + field, *wanted, got);
  };
  const auto near = [&](const char* field, float got) {
    if (static_cast<float>(expected.at(field).to_number<double>()) != got)
      report.differ(-1, name + "." + field, expected.at(field), got);
  };
  check("type", queue.is_leaf ? "leaf" : "parent");
  check("policy", policies::to_string(queue.policy));
  near("weight", queue.limits.weight);
  check("min_share", pair(queue.limits.minimum));
  check("max_share", pair(queue.limits.maximum_now));
  check("steady_fair_share", pair(queue.steady_share));
  check("fair_share", pair(queue.fair_share));
  check("demand", pair(queue.demand));
  check("max_running_apps", queue.limits.running_max);
  check("runnable", queue.running);
  check("waiting", static_cast<std::int64_t>(queue.waiting.size()));
  if (expected.contains("am_limit")) {
    const std::optional<policies::MemoryAndCores> limit = fair.master_limit(slot);
    check("am_limit", limit ? value(pair(*limit)) : value(nullptr));
  }
  check("min_share_preemption_timeout", queue.preemption.minimum_share_timeout_ms);
  check("fair_share_preemption_timeout", queue.preemption.fair_share_timeout_ms);
  near("fair_share_preemption_threshold", queue.preemption.fair_share_threshold);
  check("preemptable", queue.preemption.is_preemptable);
}

void run(const object& test_case, Report& report) {
  const object& input = test_case.at("input").as_object();
  policies::FairScheduler fair = fair_scheduler(input.at("settings").as_object(), input.at("allocations").as_string());
  policies::ResourceEffects effects;
  std::int64_t number = 1;
  for (const value& node : input.at("nodes").as_array()) {
    fair.on_node_added(Instant{},
                       {NodeId{number},
                        "h" + std::to_string(number),
                        "/r",
                        {node.as_array()[0].as_int64(), node.as_array()[1].as_int64()}},
                       effects);
    ++number;
  }
  for (const value& app : input.at("apps").as_array()) submit(fair, app.as_object());
  fair.update(Instant{});
  for (const auto& [name, expected] : test_case.at("expected").at("queues").as_object())
    check_queue(fair, std::string{name}, expected.as_object(), report);
  for (const auto& [app, state] : test_case.at("expected").at("apps").as_object()) {
    const object& expected = state.as_object();
    const policies::RowIndex slot = fair.ledger().find_application(ApplicationId{1, std::stoll(std::string{app})});
    const std::string field = "apps." + std::string{app};
    if (slot == policies::no_row) {
      report.differ(-1, field, state, nullptr);
      continue;
    }
    const policies::FairApplication& application = fair.queues().application(slot);
    report.check(-1, field + ".queue", expected.at("queue"), value(fair.queues().at(application.queue).name));
    report.check(-1, field + ".runnable", expected.at("runnable"), application.is_runnable);
    report.check(-1, field + ".demand", expected.at("demand"), pair(application.demand));
    report.check(-1, field + ".fair_share", expected.at("fair_share"), pair(application.fair_share));
  }
}

const Kind kind{"queue_fair_shares", run};

}  // namespace
}  // namespace queue_fair_shares_kind
}  // namespace heddle::conformance

// Settings of the fair scheduler, and its verbs: update, preempt, kill, heartbeat_rounds.
#include "tests/conformance/fair_script.hpp"

#include <stdexcept>

namespace heddle::conformance {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

double decimal(const object& settings, const char* key, double otherwise) {
  const value* found = settings.if_contains(key);
  if (found == nullptr) return otherwise;
  return found->is_string() ? std::stod(std::string{found->as_string()}) : found->to_number<double>();
}

std::int64_t whole(const object& settings, const char* key, std::int64_t otherwise) {
  return static_cast<std::int64_t>(decimal(settings, key, static_cast<double>(otherwise)));
}

bool truth(const object& settings, const char* key, bool otherwise) {
  const value* found = settings.if_contains(key);
  if (found == nullptr) return otherwise;
  return found->is_string() ? found->as_string() == "true" : found->as_bool();
}

}  // namespace

policies::FairScheduler fair_scheduler(const object& conf, std::string_view allocations) {
  policies::FairSchedulerSettings fair;
  // The recorded classes read minimum and maximum once per process, so all runs had the defaults whatever their
  // settings say.
  fair.minimum_allocation = Resource{1024, 1};
  fair.maximum_allocation = Resource{8192, 4};
  fair.increment = {whole(conf, "yarn.resource-types.memory-mb.increment-allocation", 1024),
                    whole(conf, "yarn.resource-types.vcores.increment-allocation", 1)};
  fair.is_size_based_weight = truth(conf, "yarn.scheduler.fair.sizebasedweight", false);
  fair.assignment.assigns_multiple = truth(conf, "yarn.scheduler.fair.assignmultiple", false);
  fair.assignment.is_bounded_by_room = truth(conf, "yarn.scheduler.fair.dynamic.max.assign", true);
  fair.assignment.max = static_cast<std::int32_t>(whole(conf, "yarn.scheduler.fair.max.assign", -1));
  fair.locality.node_threshold = static_cast<float>(decimal(conf, "yarn.scheduler.fair.locality.threshold.node", -1));
  fair.locality.rack_threshold = static_cast<float>(decimal(conf, "yarn.scheduler.fair.locality.threshold.rack", -1));
  fair.reservation.nodes_max = static_cast<float>(decimal(conf, "yarn.scheduler.fair.reservable-nodes", 0.05));
  fair.reservation.increment_multiple =
      static_cast<float>(decimal(conf, "yarn.scheduler.reservation-threshold.increment-multiple", 2));
  fair.preemption.is_enabled = truth(conf, "yarn.scheduler.fair.preemption", false);
  fair.preemption.utilization_threshold =
      static_cast<float>(decimal(conf, "yarn.scheduler.fair.preemption.cluster-utilization-threshold", 0.8));
  fair.preemption.wait_before_kill =
      std::chrono::milliseconds{whole(conf, "yarn.scheduler.fair.waitTimeBeforeKill", 15000)};
  fair.preemption.wait_before_next_check =
      std::chrono::milliseconds{whole(conf, "yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck", 10000)};
  constexpr std::string_view masters = "yarn.scheduler.fair.am.preemption.";
  for (const auto& [key, allowed] : conf)
    if (std::string_view{key}.starts_with(masters))
      fair.preemption.master_of_queue[std::string{std::string_view{key}.substr(masters.size())}] =
          truth(conf, std::string{key}.c_str(), true);
  Result<config::FairSchedulerFile> file = config::read_fair_scheduler_xml(allocations, "fair-scheduler.xml");
  if (!file) throw std::runtime_error{file.error().text};
  return policies::FairScheduler{fair, *file, Instant{}};
}

void FairScript::other_verb(const object& step, const object& expected) {
  const std::string_view verb = step.at("do").as_string();
  if (verb == "update") return fair().update(now_);
  if (verb == "preempt") return preempt(expected);
  if (verb == "kill") return kill(expected);
  if (verb == "heartbeat_rounds") return heartbeat_rounds(step, expected);
  SchedulerScript::other_verb(step, expected);
}

void FairScript::check_submission(std::int64_t app, const policies::SubmissionAnswer& answer, const object& expected) {
  if (expected.contains("queue")) differ_unless("queue", expected.at("queue"), value(answer.queue));
  const policies::RowIndex slot = ledger().find_application(attempt(app).application);
  if (expected.contains("runnable"))
    differ_unless("runnable", expected.at("runnable"), fair().queues().application(slot).is_runnable);
}

void FairScript::check_application(std::int64_t app, const object& expected, const std::string& field) {
  const policies::FairApplication& application =
      fair().queues().application(ledger().find_application(attempt(app).application));
  if (expected.contains("fair_share"))
    differ_unless(field + ".fair_share", expected.at("fair_share"), pair(application.fair_share));
  if (expected.contains("demand")) differ_unless(field + ".demand", expected.at("demand"), pair(application.demand));
  if (expected.contains("runnable"))
    differ_unless(field + ".runnable", expected.at("runnable"), application.is_runnable);
}

void FairScript::check_queue(const std::string& name, const object& expected) {
  const policies::RowIndex slot = fair().queues().find(name);
  if (slot == policies::no_row) return differ_unless("queues." + name, expected, nullptr);
  const policies::FairQueue& queue = fair().queues().at(slot);
  const auto check = [&](const char* field, const value& got) {
    if (const value* wanted = expected.if_contains(field)) differ_unless("queues." + name + "." + field, *wanted, got);
  };
  check("usage", pair(queue.usage));
  check("fair_share", pair(queue.fair_share));
  check("demand", pair(queue.demand));
  check("am_usage", pair(queue.masters.usage));
  check("runnable", queue.running);
  check("waiting", static_cast<std::int64_t>(queue.waiting.size()));
}

void FairScript::preempt(const object& expected) {
  policies::ResourceEffects effects;
  const std::vector<policies::StarvedApplication> starved = fair().preempt(now_, effects);
  follow(effects);
  const array& wanted = expected.at("starved").as_array();
  if (wanted.size() != starved.size())
    return differ_unless("starved", wanted, static_cast<std::int64_t>(starved.size()));
  for (std::size_t i = 0; i < starved.size(); ++i) {
    const object& each = wanted[i].as_object();
    differ_unless("starved.app", each.at("app"), starved[i].application.number);
    differ_unless("starved.fair_share_starvation", each.at("fair_share_starvation"),
                  pair(starved[i].fair_share_starvation));
    differ_unless("starved.min_share_starvation", each.at("min_share_starvation"),
                  pair(starved[i].min_share_starvation));
    object victims;
    std::int64_t total = 0;
    for (const auto& [id, count] : starved[i].victims) {
      victims[std::to_string(id.number)] = count;
      total += count;
    }
    if (each.contains("victims")) differ_unless("starved.victims", each.at("victims"), victims);
    if (each.contains("victims_total")) differ_unless("starved.victims_total", each.at("victims_total"), total);
    if (each.contains("am_victims"))
      differ_unless("starved.am_victims", each.at("am_victims"), starved[i].master_victims);
  }
}

void FairScript::kill(const object& expected) {
  policies::ResourceEffects effects;
  fair().kill_chosen(now_, effects);
  follow(effects);
  std::map<std::int64_t, std::int64_t> killed;
  std::int64_t total = 0;
  for (const policies::ResourceEffect& effect : effects)
    if (const auto* gone = std::get_if<policies::ContainerEnded>(&effect)) {
      ++killed[gone->attempt.application.number];
      ++total;
    }
  object got;
  for (const auto& [app, count] : killed) got[std::to_string(app)] = count;
  if (expected.contains("killed")) differ_unless("killed", expected.at("killed"), got);
  if (expected.contains("killed_total")) differ_unless("killed_total", expected.at("killed_total"), total);
}

void FairScript::heartbeat_rounds(const object& step, const object& expected) {
  constexpr std::int64_t rounds_max = 10000;
  const std::int64_t rounds = step.at("rounds").to_number<std::int64_t>();
  if (rounds > rounds_max) throw std::runtime_error{"more rounds than " + std::to_string(rounds_max)};
  for (std::int64_t round = 0; round < rounds; ++round)
    for (const std::string& node : node_order_) {
      policies::ResourceEffects effects;
      beat(node, nullptr, effects);
    }
  for (const auto& [app, count] : expected.at("containers").as_object()) {
    const policies::RowIndex slot = ledger().find_application(attempt(std::stoll(std::string{app})).application);
    const std::int64_t got =
        slot == policies::no_row ? 0 : static_cast<std::int64_t>(ledger().application(slot).live.size());
    differ_unless("containers." + std::string{app}, count, got);
  }
}

}  // namespace heddle::conformance

// The common verbs of the scheduler scripts.
#include "tests/conformance/scheduler_script.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "policies/cluster/ledger_questions.hpp"
#include "tests/conformance/json_fields.hpp"

namespace heddle::conformance {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using policies::ResourceEffects;

/// Bucket order of a node in the recorded classes' hash tables: the spread hash of host and port.
std::uint32_t hash_of(const std::string& host) {
  std::uint32_t of_host = 0;
  for (const char each : host) of_host = 31 * of_host + static_cast<std::uint8_t>(each);
  constexpr std::uint32_t prime = 493217;
  constexpr std::uint32_t port = 1234;
  const std::uint32_t hash = prime * (prime * 8501 + of_host) + port;
  return hash ^ (hash >> 16);
}

/// Size of a node or container. Refuses sizes that no cluster has.
Resource size_of(const value& memory, const value& cores) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  const Resource size{memory.as_int64(), cores.as_int64()};
  if (size.memory_mib < 0 || size.memory_mib > most || size.cores < 0 || size.cores > most)
    throw std::runtime_error{"a size out of range"};
  return size;
}

const char* exception_of(policies::AskRefusal refusal) {
  return refusal == policies::AskRefusal::queue_has_none ? "SchedulerInvalidResoureRequestException"
                                                         : "ApplicationAttemptNotFoundException";
}

}  // namespace

SchedulerScript::SchedulerScript(policies::ResourceScheduler scheduler, Report& report)
    : scheduler_{std::move(scheduler)}, report_{report} {}

const policies::ResourceLedger& SchedulerScript::ledger() const {
  return std::visit([](const auto& rules) -> const policies::ResourceLedger& { return rules.ledger(); },
                    scheduler_.rules());
}

void SchedulerScript::differ_unless(std::string_view field, const value& expected, const value& got) {
  report_.check(step_, field, expected, got);
}

void SchedulerScript::differ_unless_near(std::string_view field, const value& expected, double got) {
  if (std::abs(expected.to_number<double>() - got) > 1e-5) report_.differ(step_, field, expected, got);
}

std::string SchedulerScript::name_of(ContainerId id) const {
  const auto at = names_.find(id);
  return at == names_.end() ? "?" : at->second;
}

void SchedulerScript::run(const array& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    step_ = static_cast<int>(i);
    step(steps[i].as_object());
    scheduler_.check_invariants();
    if (report_.differences().size() > 20) return;
  }
}

void SchedulerScript::step(const object& step) {
  static const object nothing;
  const std::string verb = text(step.at("do"));
  const object& expected = step.contains("expect") ? step.at("expect").as_object() : nothing;
  if (verb == "add_node") return add_node(step);
  if (verb == "remove_node") return remove_node(step, expected);
  if (verb == "submit_application") return submit(step, expected);
  if (verb == "allocate") return allocate(step, expected);
  if (verb == "node_heartbeat") return heartbeat(step, expected);
  if (verb == "check") return check(expected);
  if (verb == "advance") {
    now_ += std::chrono::milliseconds{step.at("ms").to_number<std::int64_t>()};
  } else if (verb == "remove_application") {
    ResourceEffects effects;
    scheduler_.apply(now_, policies::resource_input::ApplicationRemoved{attempt(step.at("app").as_int64()).application},
                     effects);
    follow(effects);
    check_completed(effects, expected);
  } else {
    other_verb(step, expected);
  }
}

void SchedulerScript::other_verb(const object& step, const object&) {
  throw std::runtime_error{"unknown verb " + text(step.at("do"))};
}

void SchedulerScript::follow(const ResourceEffects& effects) {
  for (const policies::ResourceEffect& effect : effects) {
    if (const auto* assigned = std::get_if<policies::ContainerAssigned>(&effect)) {
      const std::string name =
          std::to_string(assigned->attempt.application.number) + ":" + std::to_string(assigned->number);
      names_[assigned->container] = name;
      ids_[name] = assigned->container;
      if (assigned->is_master) not_launched_[assigned->node].push_back(assigned->container);
    } else if (const auto* reserved = std::get_if<policies::NodeReserved>(&effect)) {
      names_[reserved->container] =
          std::to_string(reserved->attempt.application.number) + ":" + std::to_string(reserved->number);
    } else if (const auto* gone = std::get_if<policies::ContainerEnded>(&effect)) {
      if (gone->is_on_node) ended_[gone->node].push_back(gone->container);
      std::erase(not_launched_[gone->node], gone->container);
    }
  }
}

void SchedulerScript::add_node(const object& step) {
  const std::string host = text(step.at("node"));
  if (nodes_.contains(host)) throw std::runtime_error{"node " + host + " is there already"};
  const NodeId id{next_node_++};
  nodes_[host] = id;
  node_order_.push_back(host);
  ResourceEffects effects;
  scheduler_.apply(now_,
                   policies::resource_input::NodeAdded{
                       {id, host, text(step.at("rack")), size_of(step.at("memory"), step.at("vcores")), hash_of(host)}},
                   effects);
}

void SchedulerScript::remove_node(const object& step, const object& expected) {
  const std::string host = text(step.at("node"));
  ResourceEffects effects;
  scheduler_.apply(now_, policies::resource_input::NodeRemoved{nodes_.at(host)}, effects);
  follow(effects);
  ended_.erase(nodes_.at(host));
  not_launched_.erase(nodes_.at(host));
  std::erase(node_order_, host);
  nodes_.erase(host);
  check_completed(effects, expected);
}

void SchedulerScript::submit(const object& step, const object& expected) {
  policies::ApplicationSubmission submission;
  const std::int64_t app = step.at("app").as_int64();
  submission.id = attempt(app).application;
  if (ledger().find_application(submission.id) != policies::no_row)
    throw std::runtime_error{"application " + std::to_string(app) + " is there already"};
  submission.queue = text(step.at("queue"));
  submission.user = text(step.at("user"));
  submission.priority = step.at("priority").to_number<std::int32_t>();
  if (const value& master = step.at("am"); master.is_array())
    submission.master = size_of(master.as_array().at(0), master.as_array().at(1));
  const policies::SubmissionAnswer answer =
      scheduler_.apply(now_, policies::resource_input::ApplicationAdded{submission});
  if (answer.is_accepted) {
    ResourceEffects effects;
    scheduler_.apply(now_, policies::resource_input::AttemptAdded{attempt(app)}, effects);
    follow(effects);
  }
  differ_unless("accepted", expected.at("accepted"), answer.is_accepted);
  if (answer.is_accepted) check_submission(app, answer, expected);
}

policies::AllocateRequest SchedulerScript::batch_of(const object& step) const {
  policies::AllocateRequest batch;
  if (const value* asks = step.if_contains("ask"))
    for (const value& each : asks->as_array()) {
      const object& ask = each.as_object();
      const value* relax = ask.if_contains("relax_locality");
      batch.asks.push_back({ask.at("priority").to_number<std::int32_t>(), text(ask.at("name")),
                            ask.at("count").to_number<std::int32_t>(), size_of(ask.at("memory"), ask.at("vcores")),
                            relax == nullptr || relax->as_bool()});
    }
  if (const value* release = step.if_contains("release"))
    for (const value& each : release->as_array())
      if (const auto at = ids_.find(text(each)); at != ids_.end()) batch.release.push_back(at->second);
  if (const value* exclude = step.if_contains("exclude"))
    for (const value& each : exclude->as_array()) batch.exclude.push_back(text(each));
  if (const value* include = step.if_contains("include"))
    for (const value& each : include->as_array()) batch.include.push_back(text(each));
  return batch;
}

void SchedulerScript::allocate(const object& step, const object& expected) {
  ResourceEffects effects;
  const policies::Allocation answer = scheduler_.apply(
      now_, policies::resource_input::AsksMade{attempt(step.at("app").as_int64()), batch_of(step)}, effects);
  follow(effects);
  if (const value* error = expected.if_contains("error"))
    return differ_unless("error", *error, answer.refusal ? value(exception_of(*answer.refusal)) : value(nullptr));
  array allocated;
  for (const policies::ContainerAssigned& container : answer.granted) {
    allocated.emplace_back(name_of(container.container));
    not_launched_[container.node].push_back(container.container);
  }
  differ_unless("allocated", expected.at("allocated"), allocated);
  differ_unless("headroom", expected.at("headroom"), pair(answer.headroom));
  check_completed(effects, expected);
}

void SchedulerScript::check_completed(const ResourceEffects& effects, const object& expected) {
  std::map<std::string, std::int64_t> wanted;
  std::map<std::string, std::int64_t> got;
  if (const value* completed = expected.if_contains("completed"))
    for (const value& each : completed->as_array()) wanted[text(each.at("container"))] = each.at("exit").as_int64();
  for (const policies::ResourceEffect& effect : effects)
    if (const auto* gone = std::get_if<policies::ContainerEnded>(&effect))
      got[name_of(gone->container)] = gone->exit_status;
  if (wanted != got) report_.differ(step_, "completed", boost::json::value_from(wanted), boost::json::value_from(got));
}

void SchedulerScript::beat(const std::string& host, const array* completed, ResourceEffects& effects) {
  const NodeId node = nodes_.at(host);
  for (const ContainerId container : std::exchange(not_launched_[node], {}))
    scheduler_.apply(now_, policies::resource_input::ContainerLaunched{container});
  std::vector<ContainerId> done;
  if (completed == nullptr) {
    done = ended_[node];
  } else {
    for (const value& each : *completed)
      if (const auto at = ids_.find(text(each)); at != ids_.end()) done.push_back(at->second);
  }
  for (const ContainerId container : done) {
    std::erase(ended_[node], container);
    scheduler_.apply(now_, policies::resource_input::ContainerCompleted{container, container_exit_status::success},
                     effects);
  }
  scheduler_.apply(now_, policies::resource_input::NodeOffered{node}, effects);
  follow(effects);
}

void SchedulerScript::heartbeat(const object& step, const object& expected) {
  const std::string host = text(step.at("node"));
  const value* completed = step.if_contains("completed");
  static const array none;
  ResourceEffects effects;
  beat(host, completed == nullptr ? &none : &completed->as_array(), effects);
  array assigned;
  for (const policies::ResourceEffect& effect : effects)
    if (const auto* each = std::get_if<policies::ContainerAssigned>(&effect))
      assigned.emplace_back(object{{"container", name_of(each->container)},
                                   {"app", each->attempt.application.number},
                                   {"priority", each->priority},
                                   {"memory", each->resource.memory_mib},
                                   {"vcores", each->resource.cores},
                                   {"locality", policies::to_string(each->locality)}});
  differ_unless("assigned", expected.at("assigned"), assigned);
  const policies::LedgerNode& node = ledger().node(ledger().find_node(nodes_.at(host)));
  value reserved = nullptr;
  if (node.reservation != policies::no_row) {
    const policies::NodeReserved kept = described_reservation(ledger(), node.reservation);
    reserved =
        object{{"container", std::to_string(kept.attempt.application.number) + ":" + std::to_string(kept.number)},
               {"app", kept.attempt.application.number},
               {"priority", kept.priority},
               {"memory", kept.resource.memory_mib},
               {"vcores", kept.resource.cores}};
  }
  differ_unless("reserved", expected.at("reserved"), reserved);
  differ_unless("unallocated", expected.at("unallocated"), pair(node.unallocated));
  check_completed(effects, expected);
}

void SchedulerScript::check(const object& expected) {
  static const object nothing;
  const object& applications = expected.contains("apps") ? expected.at("apps").as_object() : nothing;
  for (const auto& [key, state] : applications) {
    const std::string number{key};
    const policies::RowIndex slot = ledger().find_application(attempt(std::stoll(number)).application);
    if (slot == policies::no_row) {
      report_.differ(step_, "apps." + number, state, nullptr);
      continue;
    }
    const policies::LedgerApplication& application = ledger().application(slot);
    const object& wanted = state.as_object();
    if (wanted.contains("usage"))
      differ_unless("apps." + number + ".usage", wanted.at("usage"), pair(application.usage));
    if (wanted.contains("reserved"))
      differ_unless("apps." + number + ".reserved", wanted.at("reserved"), pair(application.reserved));
    if (wanted.contains("containers"))
      differ_unless("apps." + number + ".containers", wanted.at("containers"),
                    static_cast<std::int64_t>(application.live.size()));
    check_application(std::stoll(number), wanted, "apps." + number);
  }
  const object& queues = expected.contains("queues") ? expected.at("queues").as_object() : nothing;
  for (const auto& [name, state] : queues) check_queue(std::string{name}, state.as_object());
}

}  // namespace heddle::conformance

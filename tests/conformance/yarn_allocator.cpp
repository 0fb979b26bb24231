// Kind yarn_allocator: scripts for ContainerAllocator. A launch succeeds at once, as in the recorded runs.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "policies/containers/container_allocator.hpp"
#include "tests/conformance/json_fields.hpp"
#include "tests/conformance/kind.hpp"
#include "tests/conformance/racks.hpp"

namespace heddle::conformance {
namespace yarn_allocator_kind {
namespace {

namespace json = boost::json;
using namespace policies;

constexpr std::array set_fields{"skipped", "forgotten", "replies"};

std::string text(const json::value& value) { return std::string{value.as_string()}; }

/// Hosts in a script are h1, h2, …. Their racks must be known before the first use.
void collect_hosts(const json::value& value, RackTable& racks) {
  if (const auto* array = value.if_array())
    for (const auto& item : *array) collect_hosts(item, racks);
  if (const auto* object = value.if_object())
    for (const auto& field : *object) {
      collect_hosts(json::value(field.key()), racks);
      collect_hosts(field.value(), racks);
    }
  if (const auto* name = value.if_string()) {
    const bool is_host =
        name->size() > 1 && (*name)[0] == 'h' && name->find_first_not_of("0123456789", 1) == json::string::npos;
    if (is_host) racks.set(std::string{*name}, rack_of(std::string{*name}));
  }
}

class Script {
public:
  Script(const json::object& test_case, Report& report) : report_{report}, allocator_{make_allocator(test_case)} {
    const auto& sizes = test_case.at("settings").at("tasks_per_executor").as_array();
    for (std::size_t i = 1; i < sizes.size(); ++i)
      allocator_.apply(now_,
                       container_input::ProfileDescribed{
                           {ProfileId{static_cast<std::int64_t>(i)}, {1024, 1}, sizes[i].to_number<std::int32_t>()}});
    profiles_ = sizes.size();
  }

  void run(const json::array& steps) {
    for (const auto& step : steps) {
      result_ = {};
      skipped_.clear();
      effects_.clear();
      perform(step.as_object());
      allocator_.check_invariants();
      record_effects();
      record_state();
      compare(step.at("expect").as_object());
      ++step_;
    }
  }

private:
  static ContainerAllocator make_allocator(const json::object& test_case) {
    const auto& fields = test_case.at("settings").as_object();
    ContainerAllocatorSettings settings;
    settings.initial_executors = fields.at("initial").to_number<std::int32_t>();
    for (const auto& size : fields.at("tasks_per_executor").as_array())
      require(size.to_number<std::int32_t>() > 0, "an executor with room for no task");
    settings.default_profile.tasks_per_executor = fields.at("tasks_per_executor").at(0).to_number<std::int32_t>();
    settings.last_executor_id = fields.at("last_executor_id").to_number<std::int64_t>();
    settings.health.exclude_on_launch_failure = fields.at("launch_exclusion").as_bool();
    settings.health.exclusion_timeout =
        std::chrono::milliseconds{fields.at("exclude_timeout").to_number<std::int64_t>()};
    settings.health.failures_per_node_max = fields.at("max_failures_per_node").to_number<std::int32_t>();
    for (const auto& host : fields.at("exclude_nodes").as_array()) settings.health.excluded_nodes.insert(text(host));
    if (const auto& validity = fields.at("failure_validity"); !validity.is_null())
      settings.health.failure_validity = std::chrono::milliseconds{validity.to_number<std::int64_t>()};
    settings.report_decommissioning = fields.at("decommission").as_bool();
    RackTable racks;
    collect_hosts(test_case.at("steps"), racks);
    return ContainerAllocator{{std::move(settings), std::move(racks)}};
  }

  void perform(const json::object& step) {
    const std::string verb = text(step.at("do"));
    if (verb == "start") {
      allocator_.apply(now_, container_input::Started{}, effects_);
    } else if (verb == "request_total") {
      request_total(step);
    } else if (verb == "update") {
      allocator_.update_requests(effects_);
    } else if (verb == "allocated") {
      allocate(step.at("containers").as_array());
    } else if (verb == "completed") {
      complete(step.at("containers").as_array());
    } else if (verb == "heartbeat") {
      heartbeat(step);
    } else if (verb == "kill") {
      allocator_.apply(now_, container_input::ExecutorKilled{executor(step)}, effects_);
    } else if (verb == "loss_reason") {
      allocator_.apply(now_, container_input::LossQuestioned{executor(step)}, effects_);
    } else if (verb == "advance") {
      now_ += std::chrono::milliseconds{step.at("ms").to_number<std::int64_t>()};
    } else if (verb == "shutdown") {
      allocator_.apply(now_, container_input::ShutDown{});
    } else if (verb == "all_nodes_excluded") {
      result_["answer"] = allocator_.all_nodes_excluded();
    } else {
      throw std::runtime_error{"unknown verb " + verb};
    }
  }

  static ExecutorId executor(const json::object& step) { return ExecutorId{std::stoll(text(step.at("executor")))}; }

  void request_total(const json::object& step) {
    ExecutorTotals requested;
    for (const auto& row : step.at("totals").as_array()) {
      require(row.at(0).to_number<std::uint64_t>() < profiles_, "a total of a profile that is not there");
      requested.totals[ProfileId{row.at(0).to_number<std::int64_t>()}] = row.at(1).to_number<std::int32_t>();
    }
    for (const auto& row : step.at("locality_tasks").as_array())
      requested.locality_tasks[ProfileId{row.at(0).to_number<std::int64_t>()}] = row.at(1).to_number<std::int32_t>();
    for (const auto& row : step.at("hosts").as_array())
      for (const auto& hint : row.at(1).as_object())
        requested.tasks_of_host[ProfileId{row.at(0).to_number<std::int64_t>()}][hint.key()] =
            hint.value().to_number<std::int32_t>();
    for (const auto& host : step.at("excluded").as_array()) requested.excluded_hosts.insert(text(host));
    result_["changed"] = allocator_.apply(now_, container_input::TotalsRequested{requested}, effects_);
  }

  void allocate(const json::array& containers) {
    std::vector<ContainerGrant> batch;
    for (const auto& row : containers) {
      require(granted_.insert(row.at(0).to_number<std::int64_t>()).second, "a container is granted twice");
      require(row.at(2).to_number<std::uint64_t>() < profiles_, "a container of a profile that is not there");
      batch.push_back({ContainerId{row.at(0).to_number<std::int64_t>()}, text(row.at(1)),
                       ProfileId{row.at(2).to_number<std::int64_t>()}});
    }
    allocator_.apply(now_, container_input::ContainersGranted{batch}, effects_);
    for (std::size_t before = effects_.size(); allocator_.apply(now_, container_input::LaunchDue{}, effects_);
         before = effects_.size()) {
      for (std::size_t i = before; i < effects_.size(); ++i) {
        if (const auto* launch = std::get_if<LaunchExecutor>(&effects_[i]))
          allocator_.apply(now_, container_input::ExecutorStarted{launch->container});
        if (const auto* given_back = std::get_if<ReleaseContainer>(&effects_[i]))
          skipped_.insert(given_back->container.value);
      }
    }
  }

  void complete(const json::array& containers) {
    std::vector<CompletedContainer> batch;
    for (const auto& row : containers)
      batch.push_back({ContainerId{row.at(0).to_number<std::int64_t>()}, {row.at(1).to_number<std::int32_t>()}});
    allocator_.apply(now_, container_input::ContainersEnded{batch}, effects_);
  }

  void heartbeat(const json::object& step) {
    allocator_.update_requests(effects_);
    std::vector<std::string> decommissioning;
    for (const auto& host : step.at("decommissioning").as_array()) decommissioning.push_back(text(host));
    allocator_.on_cluster(step.at("cluster_nodes").to_number<std::int32_t>(), decommissioning, effects_);
    allocate(step.at("allocated").as_array());
    complete(step.at("completed").as_array());
  }

  // -- results -----------------------------------------------------------------

  void add(const char* field, json::value value) {
    auto& list = result_[field];
    if (!list.is_array()) list = json::array{};
    list.as_array().push_back(std::move(value));
  }

  static json::array exit_reason(const std::optional<ExecutorLoss>& loss) {
    if (!loss) return {"failure"};
    return {"exited", loss->end.exit_status, loss->reason.by_application};
  }

  void record_effects() {
    std::set<std::string> launched_and_gone;
    std::vector<RequestsChanged> changes;
    for (const auto& effect : effects_) {
      if (const auto* gone = std::get_if<ForgetExecutor>(&effect)) launched_and_gone.insert(to_string(gone->executor));
      if (const auto* change = std::get_if<RequestsChanged>(&effect)) changes.push_back(*change);
    }
    record_asks(changes);
    for (const auto& effect : effects_) std::visit([&](const auto& one) { record(one, launched_and_gone); }, effect);
  }

  using Gone = std::set<std::string>;
  void record(const LaunchExecutor& launch, const Gone& gone) {
    if (!gone.contains(to_string(launch.executor)))
      add("launched", {to_string(launch.executor), launch.container.value, launch.host});
  }
  void record(const ReleaseContainer& release, const Gone&) { add("released", release.container.value); }
  void record(const ForgetExecutor& forget, const Gone&) {
    const auto was_launched_here = [&](const auto& effect) {
      const auto* launch = std::get_if<LaunchExecutor>(&effect);
      return launch != nullptr && launch->executor == forget.executor;
    };
    if (std::none_of(effects_.begin(), effects_.end(), was_launched_here))
      add("forgotten", json::value(to_string(forget.executor)));
  }
  void record(const ReportExecutorRemoved& removed, const Gone&) {
    add("messages", {"remove_executor", to_string(removed.executor), exit_reason(removed.loss)});
  }
  void record(const ReportHostDecommissioning& told, const Gone&) { add("messages", {"decommission_host", told.host}); }
  void record(const AnswerLossReason& answer, const Gone&) {
    add("replies", {to_string(answer.executor), exit_reason(answer.loss)});
  }
  void record(const ExclusionChanged& change, const Gone&) {
    add("exclusion", {{"add", json::value_from(change.added)}, {"remove", json::value_from(change.removed)}});
  }
  void record(const RequestsChanged&, const Gone&) {}

  json::array names(const std::vector<ResourceNameId>& places, std::int32_t count) const {
    std::set<std::string> sorted;
    for (std::int32_t i = 0; i < count; ++i) sorted.insert(allocator_.place_name(places[static_cast<std::size_t>(i)]));
    json::array list;
    for (const auto& name : sorted) list.emplace_back(name);
    return list;
  }

  void record_asks(std::vector<RequestsChanged>& changes) {
    std::stable_sort(changes.begin(), changes.end(),
                     [](const auto& a, const auto& b) { return a.profile < b.profile; });
    json::array asks;
    for (const auto& change : changes) {
      const auto hosts = change.places ? names(change.places->hosts, change.hosts) : json::array{};
      const auto racks = change.places ? names(change.places->racks, change.racks) : json::array{};
      const json::array head{change.added ? "add" : "remove", change.profile.value, hosts, racks};
      auto* last = asks.empty() ? nullptr : &asks.back().as_array();
      if (last != nullptr && std::equal(head.begin(), head.end(), last->begin())) {
        (*last)[4] = (*last)[4].to_number<std::int64_t>() + change.count;
      } else {
        asks.push_back(head);
        asks.back().as_array().push_back(change.count);
      }
    }
    if (!asks.empty()) result_["asks"] = std::move(asks);
  }

  void record_state() {
    json::object state;
    json::array target, running, pending;
    for (std::size_t i = 0; i < profiles_; ++i) {
      const ProfileId profile{static_cast<std::int64_t>(i)};
      target.push_back(allocator_.target(profile));
      running.push_back(allocator_.running(profile));
      pending.push_back(allocator_.pending(profile));
    }
    state["target"] = target;
    state["running"] = running;
    state["pending"] = pending;
    state["starting"] = allocator_.starting();
    state["failed"] = allocator_.failed_executors(now_);
    state["unexpected_releases"] = allocator_.unexpected_releases();
    state["loss_questions"] = allocator_.loss_questions();
    for (const auto& field : state)
      if (!state_.contains(field.key()) || state_.at(field.key()) != field.value())
        result_[field.key()] = field.value();
    state_ = std::move(state);
  }

  // -- comparison ----------------------------------------------------------------

  /// Sorts unordered fields, and removes fields about containers that either side may skip.
  json::value normal(std::string_view field, const json::value& value) const {
    if (!value.is_array()) return value;
    json::array list = value.as_array();
    if (field == "released") {
      json::array kept;
      for (const auto& container : list)
        if (!skipped_.contains(container.to_number<std::int64_t>())) kept.push_back(container);
      list = kept;
    }
    if (std::find(set_fields.begin(), set_fields.end(), field) != set_fields.end())
      std::sort(list.begin(), list.end(),
                [](const auto& a, const auto& b) { return json::serialize(a) < json::serialize(b); });
    return list;
  }

  void compare(const json::object& expect) {
    json::object wanted = expect;
    if (!skipped_.empty()) {
      json::array list;
      for (const auto container : skipped_) list.push_back(container);
      result_["skipped"] = list;
    }
    for (const auto& field : field_names(wanted, result_)) {
      const auto value_in = [&](const json::object& object) -> json::value {
        const auto* value = object.if_contains(field);
        auto result = value == nullptr ? json::value{} : normal(field, *value);
        return result.is_array() && result.as_array().empty() ? json::value{} : result;
      };
      report_.check(step_, field, value_in(wanted), value_in(result_));
    }
  }

  Report& report_;
  ContainerAllocator allocator_;
  std::size_t profiles_ = 0;
  Instant now_{};
  ContainerEffects effects_;
  json::object result_;
  json::object state_;
  std::set<std::int64_t> granted_;
  std::set<std::int64_t> skipped_;
  int step_ = 0;
};

void run(const json::object& test_case, Report& report) {
  Script{test_case, report}.run(test_case.at("steps").as_array());
}

const Kind kind{"yarn_allocator", run};

}  // namespace
}  // namespace yarn_allocator_kind
}  // namespace heddle::conformance

#include "policies/containers/container_allocator.hpp"

#include <algorithm>
#include <utility>

#include "model/assert.hpp"
#include "policies/containers/executor_loss.hpp"

namespace heddle::policies {
namespace {

/// Spark remembers this many decommissioning hosts.
constexpr std::size_t decommissioning_max = 200;
constexpr std::size_t stored_reasons_max = 65'536;  // bound: the Driver may never ask for them

void push(std::vector<RequestsChanged>& changes, ContainerEffects& effects) {
  for (auto& change : changes) effects.push_back(std::move(change));
  changes.clear();
}

RequestTable::Preferred preferred_places(const std::map<ResourceNameId, std::int32_t>& tasks_of_host,
                                         std::size_t places) {
  RequestTable::Preferred preferred(places);
  for (const auto& [host, tasks] : tasks_of_host) preferred[static_cast<std::size_t>(host)] = true;
  return preferred;
}

}  // namespace

ContainerAllocator::ContainerAllocator(container_input::Created created)
    : settings_{std::move(created.settings)},
      places_{std::move(created.racks)},
      health_{settings_.health},
      executor_counter_{settings_.last_executor_id} {
  apply(Instant{}, container_input::ProfileDescribed{settings_.default_profile});
  profiles_.at(settings_.default_profile.id).target = settings_.initial_executors;
  profiles_.at(settings_.default_profile.id).is_named = true;
}

void ContainerAllocator::apply_exclusion(const std::optional<ExclusionChanged>& change, ContainerEffects& effects) {
  if (!change) return;
  requests_.exclude(*change);
  effects.push_back(*change);
}

void ContainerAllocator::apply(Instant now, const container_input::Started&, ContainerEffects& effects) {
  apply_exclusion(health_.on_start(now), effects);
}

void ContainerAllocator::apply(Instant, const container_input::ProfileDescribed& input) {
  const ExecutorProfile& profile = input.profile;
  HEDDLE_ASSERT(profile.tasks_per_executor > 0, "profile " + to_string(profile.id) + " has no task slot");
  const auto [row, is_new] = profiles_.try_emplace(profile.id);
  if (!is_new) return;
  row->second.description = profile;
  requests_.set_resource(profile.id, profile.resource);
}

// -- from the Driver ----------------------------------------------------------

void ContainerAllocator::store_hints(const ExecutorTotals& requested) {
  for (auto& [id, profile] : profiles_) {
    const auto tasks = requested.locality_tasks.find(id);
    const auto former_tasks =
        std::exchange(profile.locality_tasks, tasks == requested.locality_tasks.end() ? 0 : tasks->second);
    const auto former_hosts = std::exchange(profile.tasks_of_host, {});
    if (const auto hosts = requested.tasks_of_host.find(id); hosts != requested.tasks_of_host.end())
      for (const auto& [host, count] : hosts->second) profile.tasks_of_host.emplace(places_.host(host), count);
    if (settings_.rebalance && (former_tasks != profile.locality_tasks || former_hosts != profile.tasks_of_host))
      profile.has_new_hints = true;
  }
}

bool ContainerAllocator::apply(Instant now, const container_input::TotalsRequested& input, ContainerEffects& effects) {
  const ExecutorTotals& requested = input.requested;
  store_hints(requested);
  bool is_changed = requested.totals.empty();
  if (requested.totals.empty())
    for (auto& [id, profile] : profiles_) profile.target = 0;
  for (const auto& [id, total] : requested.totals) {
    const auto row = profiles_.find(id);
    HEDDLE_ASSERT(row != profiles_.end(), "total for unknown profile " + to_string(id));
    // A profile has the initial target until the first total that names it.
    const std::int32_t before = row->second.is_named ? row->second.target : settings_.initial_executors;
    is_changed = is_changed || before != total;
    row->second.target = total;
    row->second.is_named = true;
  }
  if (is_changed || settings_.always_push_exclusion)
    apply_exclusion(health_.on_scheduler_exclusion(now, requested.excluded_hosts), effects);
  return is_changed;
}

void ContainerAllocator::apply(Instant, const container_input::ExecutorKilled& input, ContainerEffects& effects) {
  const auto row = container_of_executor_.find(input.executor);
  if (row == container_of_executor_.end() || released_.contains(row->second)) return;
  release(row->second, effects);
  released_.insert(row->second);
  profiles_.at(containers_.at(row->second).profile).running.erase(input.executor);
}

void ContainerAllocator::apply(Instant, const container_input::LossQuestioned& input, ContainerEffects& effects) {
  const ExecutorId executor = input.executor;
  if (container_of_executor_.contains(executor)) {
    ++loss_questions_[executor];
    return;
  }
  const auto stored = stored_reasons_.find(executor);
  if (stored == stored_reasons_.end()) {
    effects.push_back(AnswerLossReason{executor, std::nullopt});
    return;
  }
  effects.push_back(AnswerLossReason{executor, stored->second});
  stored_reasons_.erase(stored);
}

void ContainerAllocator::apply(Instant, const container_input::ShutDown&) { shutdown_ = true; }

// -- requests -----------------------------------------------------------------

bool ContainerAllocator::has_call() const {
  const auto is_behind = [this](const auto& row) {
    const Profile& profile = row.second;
    const std::int32_t pending = requests_.pending(row.first);
    const std::int32_t missing =
        profile.target - pending - static_cast<std::int32_t>(profile.running.size()) - profile.starting;
    return profile.has_new_hints || missing > 0 || (missing < 0 && pending > 0);
  };
  return requests_.has_call() || std::any_of(profiles_.begin(), profiles_.end(), is_behind);
}

void ContainerAllocator::update_requests(ContainerEffects& effects) {
  for (auto& [id, profile] : profiles_) {
    const std::int32_t pending = requests_.pending(id);
    const std::int32_t missing =
        profile.target - pending - static_cast<std::int32_t>(profile.running.size()) - profile.starting;
    const bool is_rebalanced = std::exchange(profile.has_new_hints, false) && missing == 0 && pending > 0;
    if (missing > 0 || is_rebalanced) request_missing(profile, missing, effects);
    if (missing < 0 && pending > 0) cancel_surplus(profile, std::min(pending, -missing), effects);
  }
}

void ContainerAllocator::request_missing(Profile& profile, std::int32_t missing, ContainerEffects& effects) {
  const ProfileId id = profile.description.id;
  const auto preferred = preferred_places(profile.tasks_of_host, places_.size());
  const PendingSplit split = requests_.split(id, preferred);
  const std::int32_t available = missing + split.stale;

  PlacementInput input;
  input.containers = available + split.free;
  input.locality_tasks = profile.locality_tasks;
  input.tasks_per_executor = profile.description.tasks_per_executor;
  input.pending = split.local_groups;
  input.is_exact = settings_.exact_placement;
  for (const auto& [host, tasks] : profile.tasks_of_host) {
    const auto running = profile.containers_on_host.find(host);
    input.hints.push_back({host, tasks, running == profile.containers_on_host.end() ? 0 : running->second});
  }
  const Placement placement = place_containers(input);
  const std::int32_t local = input.containers - placement.free;

  // PendingSplit refers to the table, so nothing is removed before the placement is computed.
  std::vector<RequestsChanged> changes;
  requests_.cancel(id, RequestClass::stale, preferred, split.stale, changes);
  if (local > available) requests_.cancel(id, RequestClass::free, preferred, local - available, changes);
  requests_.add_local(id, placement, places_, changes);
  if (local < available) requests_.add_free(id, available - local, changes);
  push(changes, effects);
}

void ContainerAllocator::cancel_surplus(Profile& profile, std::int32_t surplus, ContainerEffects& effects) {
  const auto preferred = preferred_places(profile.tasks_of_host, places_.size());
  std::vector<RequestsChanged> changes;
  for (const RequestClass which : {RequestClass::stale, RequestClass::free, RequestClass::local})
    surplus -= requests_.cancel(profile.description.id, which, preferred, surplus, changes);
  push(changes, effects);
}

AllocateCall ContainerAllocator::apply(Instant, const container_input::CallDue&, ContainerEffects& effects) {
  update_requests(effects);
  return requests_.take_call(places_);
}

void ContainerAllocator::apply(Instant, const container_input::CallFailed&) { requests_.on_call_failed(places_); }

void ContainerAllocator::apply(Instant, const container_input::RegistrationLost&) { requests_.on_not_registered(); }

// -- an answer ----------------------------------------------------------------

void ContainerAllocator::apply(Instant now, const container_input::CallAnswered& input, ContainerEffects& effects) {
  const AllocateAnswer& answer = input.answer;
  requests_.on_answer(answer.response_id);
  on_cluster(answer.cluster_nodes, answer.decommissioning_hosts, effects);
  apply(now, container_input::ContainersGranted{answer.allocated}, effects);
  while (apply(now, container_input::LaunchDue{}, effects)) {}
  for (const auto& end : answer.completed) complete(now, end, effects);
}

void ContainerAllocator::on_cluster(std::int32_t nodes, const std::vector<std::string>& decommissioning_hosts,
                                    ContainerEffects& effects) {
  health_.on_cluster_nodes(nodes);
  if (!settings_.report_decommissioning) return;
  std::vector<std::string> fresh;
  for (const auto& host : decommissioning_hosts)
    if (std::find(decommissioning_.begin(), decommissioning_.end(), host) == decommissioning_.end())
      fresh.push_back(host);
  for (auto& host : fresh) {
    effects.push_back(ReportHostDecommissioning{host});
    if (std::find(decommissioning_.begin(), decommissioning_.end(), host) != decommissioning_.end()) continue;
    decommissioning_.push_back(std::move(host));
    if (decommissioning_.size() > decommissioning_max) decommissioning_.erase(decommissioning_.begin());
  }
}

void ContainerAllocator::apply(Instant, const container_input::ContainersGranted& input, ContainerEffects& effects) {
  const std::vector<ContainerGrant>& batch = input.grants;
  struct Unmatched {
    const ContainerGrant* grant;
    ResourceNameId host;
  };
  std::vector<Unmatched> unmatched;
  for (const auto& grant : batch) unmatched.push_back({&grant, places_.host(grant.host)});
  const auto sweep = [&](const auto& name_of) {
    std::vector<Unmatched> left;
    for (const auto& candidate : unmatched) {
      auto change = requests_.take(candidate.grant->profile, name_of(candidate.host));
      if (!change) {
        left.push_back(candidate);
        continue;
      }
      effects.push_back(std::move(*change));
      matched_.push_back(*candidate.grant);
    }
    unmatched = std::move(left);
  };
  sweep([](ResourceNameId host) { return host; });
  sweep([this](ResourceNameId host) { return places_.rack_of(host); });
  sweep([](ResourceNameId) { return any_place; });
  for (const auto& candidate : unmatched) {
    release(candidate.grant->container, effects);
    released_.insert(candidate.grant->container);
  }
}

bool ContainerAllocator::apply(Instant, const container_input::LaunchDue&, ContainerEffects& effects) {
  if (matched_.empty()) return false;
  const ContainerGrant grant = std::move(matched_.front());
  matched_.pop_front();
  const ExecutorId executor{++executor_counter_};
  Profile& profile = profiles_.at(grant.profile);
  const auto held =
      static_cast<std::int32_t>(profile.running.size()) + (settings_.count_starting ? profile.starting : 0);
  if (held >= profile.target) {
    // Not recorded as released: if the container runs and fails before the release arrives, its end counts as a
    // failure.
    release(grant.container, effects);
    return true;
  }
  ++profile.starting;
  launches_[grant.container] = {grant.profile, places_.host(grant.host), executor, false};
  effects.push_back(LaunchExecutor{executor, grant.container, grant.host, grant.profile});
  return true;
}

void ContainerAllocator::apply(Instant, const container_input::ExecutorStarted& input) {
  const ContainerId container = input.container;
  const auto row = launches_.find(container);
  if (row == launches_.end()) return;
  const Launch launch = row->second;
  launches_.erase(row);
  Profile& profile = profiles_.at(launch.profile);
  --profile.starting;
  if (launch.has_completed) return;
  profile.running.insert(launch.executor);
  ++profile.containers_on_host[launch.host];
  containers_[container] = {launch.executor, launch.profile, launch.host};
  container_of_executor_[launch.executor] = container;
}

void ContainerAllocator::apply(Instant, const container_input::ExecutorStartFailed& input, ContainerEffects& effects) {
  const ContainerId container = input.container;
  const auto row = launches_.find(container);
  if (row == launches_.end()) return;
  --profiles_.at(row->second.profile).starting;
  launches_.erase(row);
  release(container, effects);
}

// -- ends ---------------------------------------------------------------------

void ContainerAllocator::release(ContainerId container, ContainerEffects& effects) {
  requests_.release(container);
  effects.push_back(ReleaseContainer{container});
}

void ContainerAllocator::apply(Instant now, const container_input::ContainersEnded& input, ContainerEffects& effects) {
  for (const auto& completed : input.ends) complete(now, completed, effects);
}

void ContainerAllocator::complete(Instant now, const CompletedContainer& completed, ContainerEffects& effects) {
  const ContainerId id = completed.container;
  requests_.on_completed(id);
  if (const auto launch = launches_.find(id); launch != launches_.end()) launch->second.has_completed = true;
  const bool is_released = released_.erase(id) > 0;
  const bool by_application = !is_released && assign_blame(now, completed, effects);
  const auto row = containers_.find(id);
  if (row == containers_.end()) return;
  const RunningContainer container = row->second;
  containers_.erase(row);
  Profile& profile = profiles_.at(container.profile);
  profile.running.erase(container.executor);
  if (--profile.containers_on_host.at(container.host) == 0) profile.containers_on_host.erase(container.host);
  forget(container, {classify_loss(completed.end.exit_status, by_application), completed.end}, is_released, effects);
}

/// Whether the application caused this end. Counts it against its node too, if the node may have caused it.
bool ContainerAllocator::assign_blame(Instant now, const CompletedContainer& completed, ContainerEffects& effects) {
  if (shutdown_) return false;
  const Blame blame = blame_of(completed.end.exit_status);
  if (blame == Blame::application_and_node) {
    const auto row = containers_.find(completed.container);
    const auto host = row == containers_.end() ? std::nullopt : std::optional{places_.name(row->second.host)};
    apply_exclusion(health_.on_failure(now, host), effects);
  }
  return blame != Blame::nobody;
}

void ContainerAllocator::forget(const RunningContainer& container, const ExecutorLoss& loss, bool is_released,
                                ContainerEffects& effects) {
  const ExecutorId executor = container.executor;
  container_of_executor_.erase(executor);
  effects.push_back(ForgetExecutor{executor});
  const auto questions = loss_questions_.find(executor);
  if (questions == loss_questions_.end()) {
    stored_reasons_[executor] = {loss.reason, {loss.end.exit_status}};
    if (stored_reasons_.size() > stored_reasons_max) stored_reasons_.erase(stored_reasons_.begin());  // the oldest
  } else {
    for (std::int32_t i = 0; i < questions->second; ++i) effects.push_back(AnswerLossReason{executor, loss});
    loss_questions_.erase(questions);
  }
  if (is_released) return;
  ++unexpected_releases_;
  effects.push_back(ReportExecutorRemoved{executor, loss});
}

// -- questions ----------------------------------------------------------------

const ContainerAllocator::Profile* ContainerAllocator::find_profile(ProfileId profile) const {
  const auto row = profiles_.find(profile);
  return row == profiles_.end() ? nullptr : &row->second;
}

std::int32_t ContainerAllocator::target(ProfileId profile) const {
  const auto* found = find_profile(profile);
  return found == nullptr ? 0 : found->target;
}

std::int32_t ContainerAllocator::running(ProfileId profile) const {
  const auto* found = find_profile(profile);
  return found == nullptr ? 0 : static_cast<std::int32_t>(found->running.size());
}

std::int32_t ContainerAllocator::pending(ProfileId profile) const { return requests_.pending(profile); }

std::int32_t ContainerAllocator::pending() const {
  std::int32_t sum = 0;
  for (const auto& row : profiles_) sum += requests_.pending(row.first);
  return sum;
}

std::int32_t ContainerAllocator::starting() const {
  std::int32_t sum = 0;
  for (const auto& row : profiles_) sum += row.second.starting;
  return sum;
}

namespace {

/// Sets the refusal from the counts in `why`.
void refuse(ProfileExplanation& why) {
  const auto number = [](std::int32_t count) { return std::to_string(count); };
  if (why.running >= why.target) {
    why.text = "running executors: " + number(why.running) + "; target: " + number(why.target);
  } else if (why.all_nodes_excluded) {
    why.refusal = ContainerRefusal::all_nodes_excluded;
    why.text = "all nodes are excluded: " + number(why.excluded_nodes);
  } else if (why.running + why.starting + why.pending < why.target) {
    why.refusal = ContainerRefusal::not_asked_yet;
    why.after_calls = 1;
    why.text = "requests in the next allocate call: " + number(why.target - why.running - why.starting - why.pending);
  } else if (why.pending > 0) {
    why.refusal = ContainerRefusal::containers_pending;
    why.after_calls = 1;
    why.text = "the ResourceManager has " + number(why.pending) + " requests to answer, " + number(why.pending_local) +
               " of them for preferred hosts; excluded nodes: " + number(why.excluded_nodes);
  } else {
    why.refusal = ContainerRefusal::executors_starting;
    why.text = "starting executors: " + number(why.starting);
  }
}

}  // namespace

std::optional<ProfileExplanation> ContainerAllocator::explain(ProfileId profile) const {
  const auto* found = find_profile(profile);
  if (found == nullptr) return std::nullopt;
  const auto preferred = preferred_places(found->tasks_of_host, places_.size());
  const PendingSplit split = requests_.split(profile, preferred);
  ProfileExplanation explanation;
  explanation.target = found->target;
  explanation.running = running(profile);
  explanation.starting = found->starting;
  explanation.pending = requests_.pending(profile);
  explanation.pending_local = split.local;
  explanation.pending_stale = split.stale;
  explanation.excluded_nodes = static_cast<std::int32_t>(health_.excluded().size());
  explanation.all_nodes_excluded = health_.all_excluded();
  refuse(explanation);
  return explanation;
}

void ContainerAllocator::check_invariants() const {
  requests_.check_invariants();
  std::map<ProfileId, std::int32_t> starting_of;
  for (const auto& [container, launch] : launches_) ++starting_of[launch.profile];
  std::map<ProfileId, std::map<ResourceNameId, std::int32_t>> on_host;
  for (const auto& [container, running_there] : containers_) {
    ++on_host[running_there.profile][running_there.host];
    const auto row = container_of_executor_.find(running_there.executor);
    HEDDLE_ASSERT(row != container_of_executor_.end() && row->second == container, "container " + to_string(container));
    const bool runs = profiles_.at(running_there.profile).running.contains(running_there.executor);
    HEDDLE_ASSERT(runs != released_.contains(container), "executor " + to_string(running_there.executor));
  }
  HEDDLE_ASSERT(container_of_executor_.size() == containers_.size(), "executor without container");
  for (const auto& [id, profile] : profiles_) {
    HEDDLE_ASSERT(profile.starting == starting_of[id], "starting executors of profile " + to_string(id));
    HEDDLE_ASSERT(profile.containers_on_host == on_host[id], "containers by host of profile " + to_string(id));
  }
}

}  // namespace heddle::policies

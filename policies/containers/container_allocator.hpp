// Turns totals of executors into container requests, and containers into executors, for one application.
// Owns: targets and executors per profile, the request table, released containers, loss questions, failures, excluded
// nodes. Order: profiles ascending; containers in the order of their batch; requests in the order of their creation.
// After Spark's YarnAllocator with its node health tracker and failure tracker, on YARN's client request table.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "model/container.hpp"
#include "model/rack_table.hpp"
#include "model/time.hpp"
#include "policies/containers/container_inputs.hpp"
#include "policies/containers/node_health.hpp"
#include "policies/containers/request_table.hpp"

namespace heddle::policies {

enum class ContainerRefusal : std::uint8_t {
  none,
  all_nodes_excluded,
  not_asked_yet,
  containers_pending,
  executors_starting
};

/// Why a profile has fewer executors than its target.
struct ProfileExplanation {
  ContainerRefusal refusal = ContainerRefusal::none;
  // number of allocate calls after which the answer may change; 0: a call alone changes nothing
  std::int32_t after_calls = 0;
  std::int32_t target = 0;
  std::int32_t running = 0;
  std::int32_t starting = 0;
  std::int32_t pending = 0;         // requests without a container so far
  std::int32_t pending_local = 0;   // of these, at hosts that waiting tasks prefer
  std::int32_t pending_stale = 0;   // at hosts that no waiting task prefers any more
  std::int32_t excluded_nodes = 0;  // nodes from which no container is accepted
  bool all_nodes_excluded = false;
  std::string text;  // one sentence for the user
};

class ContainerAllocator {
public:
  using Inputs = container_input::Input;
  using Effects = ContainerEffects;
  explicit ContainerAllocator(container_input::Created created);

  // Inputs; the comment of each is at its struct.
  void apply(Instant now, const container_input::Started&, ContainerEffects& effects);
  void apply(Instant now, const container_input::ProfileDescribed& input);
  bool apply(Instant now, const container_input::TotalsRequested& input, ContainerEffects& effects);
  void apply(Instant now, const container_input::ExecutorKilled& input, ContainerEffects& effects);
  void apply(Instant now, const container_input::LossQuestioned& input, ContainerEffects& effects);
  void apply(Instant now, const container_input::ShutDown&);
  [[nodiscard]] AllocateCall apply(Instant now, const container_input::CallDue&, ContainerEffects& effects);
  void apply(Instant now, const container_input::CallAnswered& input, ContainerEffects& effects);
  void apply(Instant now, const container_input::CallFailed&);
  void apply(Instant now, const container_input::RegistrationLost&);
  void apply(Instant now, const container_input::ContainersGranted& input, ContainerEffects& effects);
  bool apply(Instant now, const container_input::LaunchDue&, ContainerEffects& effects);
  void apply(Instant now, const container_input::ContainersEnded& input, ContainerEffects& effects);
  void apply(Instant now, const container_input::ExecutorStarted& input);
  void apply(Instant now, const container_input::ExecutorStartFailed& input, ContainerEffects& effects);

  // -- steps of inputs -----------------------------------------------------------
  /// Adds or cancels requests until they match the targets.
  void update_requests(ContainerEffects& effects);
  void on_cluster(std::int32_t nodes, const std::vector<std::string>& decommissioning_hosts, ContainerEffects& effects);

  // -- questions ----------------------------------------------------------------
  /// False if CallDue would return an empty call and change nothing.
  [[nodiscard]] bool has_call() const;
  [[nodiscard]] std::int32_t target(ProfileId profile) const;
  [[nodiscard]] std::int32_t running(ProfileId profile) const;
  [[nodiscard]] std::int32_t pending(ProfileId profile) const;
  [[nodiscard]] std::int32_t pending() const;
  [[nodiscard]] std::int32_t starting() const;
  [[nodiscard]] std::int64_t unexpected_releases() const { return unexpected_releases_; }
  [[nodiscard]] std::int32_t loss_questions() const { return static_cast<std::int32_t>(loss_questions_.size()); }
  /// Failures that count now. The application ends when they reach its limit.
  [[nodiscard]] std::int32_t failed_executors(Instant now) const { return health_.failures(now); }
  [[nodiscard]] bool all_nodes_excluded() const { return health_.all_excluded(); }
  [[nodiscard]] const std::string& place_name(ResourceNameId place) const { return places_.name(place); }
  [[nodiscard]] std::optional<ProfileExplanation> explain(ProfileId profile) const;
  void check_invariants() const;

private:
  struct Profile {
    ExecutorProfile description;
    std::int32_t target = 0;
    bool is_named = false;  // named by a total, or the default profile
    std::int32_t starting = 0;
    std::set<ExecutorId> running;
    std::int32_t locality_tasks = 0;
    std::map<ResourceNameId, std::int32_t> tasks_of_host;
    std::map<ResourceNameId, std::int32_t> containers_on_host;
    bool has_new_hints = false;  // since its requests were last placed; kept where settings_.rebalance
  };
  struct Launch {
    ProfileId profile;
    ResourceNameId host = 0;
    ExecutorId executor;
    bool has_completed = false;  // the container ended before the executor started
  };
  struct RunningContainer {
    ExecutorId executor;
    ProfileId profile;
    ResourceNameId host = 0;
  };

  void store_hints(const ExecutorTotals& requested);
  void request_missing(Profile& profile, std::int32_t missing, ContainerEffects& effects);
  void cancel_surplus(Profile& profile, std::int32_t surplus, ContainerEffects& effects);
  void release(ContainerId container, ContainerEffects& effects);
  void complete(Instant now, const CompletedContainer& completed, ContainerEffects& effects);
  bool assign_blame(Instant now, const CompletedContainer& completed, ContainerEffects& effects);
  void forget(const RunningContainer& container, const ExecutorLoss& loss, bool is_released, ContainerEffects& effects);
  void apply_exclusion(const std::optional<ExclusionChanged>& change, ContainerEffects& effects);
  [[nodiscard]] const Profile* find_profile(ProfileId profile) const;

  ContainerAllocatorSettings settings_;
  ResourceNameTable places_;
  RequestTable requests_;
  NodeHealth health_;
  std::map<ProfileId, Profile> profiles_;
  std::deque<ContainerGrant> matched_;  // granted and matched with a request, not launched yet
  std::map<ContainerId, Launch> launches_;
  std::map<ContainerId, RunningContainer> containers_;
  std::map<ExecutorId, ContainerId> container_of_executor_;
  std::set<ContainerId> released_;
  std::map<ExecutorId, std::int32_t> loss_questions_;
  std::map<ExecutorId, ExecutorLoss> stored_reasons_;  // without texts
  std::vector<std::string> decommissioning_;           // oldest first, bounded
  std::int64_t executor_counter_ = 0;
  std::int64_t unexpected_releases_ = 0;
  bool shutdown_ = false;
};

}  // namespace heddle::policies

// Turns totals of executors into container requests, and containers into executors, for one application.
// Owns: targets and executors per profile, the request table, released containers, loss questions, failures, excluded
// nodes. Order: profiles ascending; containers in the order of their batch; requests in the order of their making.
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
#include "policies/containers/node_health.hpp"
#include "policies/containers/request_table.hpp"

namespace heddle::policies {

/// What an executor of a profile is: the container it needs, and how many tasks run in it at once.
struct ExecutorProfile {
  ProfileId id;
  Resource resource;
  std::int32_t tasks_per_executor = 1;
  ExtraResources extras = {};  // what the container needs beside that
};

struct ContainerAllocatorSettings {
  ExecutorProfile default_profile{ProfileId{0}, {1024, 1}, 1};
  std::int32_t initial_executors = 0;
  std::int64_t last_executor_id = 0;  // the highest that the Driver knows; the first executor gets the next
  NodeHealthSettings health;
  bool tell_decommissioning =
      false;  // nodes being decommissioned are told to the Driver (only without a shuffle service)
  bool always_push_exclusion = false;  // heddle.fix: also when no total changed
  bool count_starting = false;         // heddle.fix.count_starting_executors: a batch never exceeds the target
  bool rebalance = false;              // heddle.fix.rebalance_requests: new hints move pending requests (YA-9)
  bool exact_placement = false;        // heddle.fix.exact_placement (PL-7)
};

/// The Driver's wish, absolute. A profile not named in `locality_tasks` or `tasks_of_host` has none.
struct ExecutorTotals {
  std::map<ProfileId, std::int32_t> totals;  // empty: every target becomes 0
  std::map<ProfileId, std::int32_t> locality_tasks;
  std::map<ProfileId, std::map<std::string, std::int32_t>> tasks_of_host;
  std::set<std::string> excluded_hosts;
};

/// What the ResourceManager answers to one AllocateCall.
struct AllocateAnswer {
  std::int32_t response_id = 0;
  std::vector<ContainerGrant> allocated;
  std::vector<ContainerExit> completed;
  std::int32_t cluster_nodes = 0;
  std::vector<std::string> decommissioning_hosts;  // among the nodes whose state changed
};

// -- effects ------------------------------------------------------------------

/// Start an executor in this container; answered by on_executor_started or on_executor_start_failed.
struct LaunchExecutor {
  ExecutorId executor;
  ContainerId container;
  std::string host;
  ProfileId profile;
  Resource resource;
};
/// The container goes back; it rides on the next AllocateCall.
struct ReleaseContainer {
  ContainerId container;
};
/// The executor's container is no longer known.
struct ForgetExecutor {
  ExecutorId executor;
};
/// To the Driver, once per lost executor, unless its end was asked for.
struct TellExecutorRemoved {
  ExecutorId executor;
  ExecutorExit exit;
};
/// To the Driver: executors there should move their blocks away.
struct TellHostDecommissioning {
  std::string host;
};
/// To a loss question; none: the executor is not known.
struct AnswerLossReason {
  ExecutorId executor;
  std::optional<ExecutorExit> exit;
};

using ContainerEffect = std::variant<LaunchExecutor, ReleaseContainer, ForgetExecutor, TellExecutorRemoved,
                                     TellHostDecommissioning, AnswerLossReason, RequestsChanged, ExclusionChanged>;
using ContainerEffects = std::vector<ContainerEffect>;

enum class ContainerRefusal : std::uint8_t {
  none,
  all_nodes_excluded,
  not_asked_yet,
  containers_pending,
  executors_starting
};

/// Why a profile has fewer executors than its target, in numbers.
struct ProfileExplanation {
  ContainerRefusal refusal = ContainerRefusal::none;
  std::int32_t after_calls = 0;  // the answer can change with so many allocate calls; 0: not with a call alone
  std::int32_t target = 0;
  std::int32_t running = 0;
  std::int32_t starting = 0;
  std::int32_t pending = 0;         // requests that no container has answered yet
  std::int32_t pending_local = 0;   // of them, where waiting tasks prefer it
  std::int32_t pending_stale = 0;   // with hosts that no waiting task prefers any more
  std::int32_t excluded_nodes = 0;  // where no container is accepted
  bool all_nodes_excluded = false;
  std::string text;  // one sentence for a person
};

class ContainerAllocator {
public:
  ContainerAllocator(ContainerAllocatorSettings settings, RackTable racks);

  /// What the static exclusions cost: to be carried out once after construction.
  void on_start(Instant now, ContainerEffects& effects);
  /// A profile must be known before a total names it; one that is known stays as it is.
  void on_profile(const ExecutorProfile& profile);

  // -- from the Driver ---------------------------------------------------------
  /// True if a target changed: then ask soon.
  bool on_request_total(Instant now, const ExecutorTotals& wish, ContainerEffects& effects);
  void on_kill_executor(ExecutorId executor, ContainerEffects& effects);
  void on_loss_question(ExecutorId executor, ContainerEffects& effects);
  /// From here on no container's end counts as a failure.
  void on_shutdown();

  // -- towards the ResourceManager ---------------------------------------------
  /// Brings the request table in line with the targets.
  void update_requests(ContainerEffects& effects);
  /// False if next_call() would say nothing and change nothing.
  [[nodiscard]] bool has_call() const;
  /// Updates the requests and takes all that changed since the last call. Answered by on_answer, on_call_failed or
  /// on_not_registered.
  [[nodiscard]] AllocateCall next_call(ContainerEffects& effects);
  void on_answer(Instant now, const AllocateAnswer& answer, ContainerEffects& effects);
  void on_call_failed();
  /// After registering again: everything outstanding goes into the next call, whose response id is 0.
  void on_not_registered();

  // -- parts of an answer, in this order ----------------------------------------
  void on_cluster(std::int32_t nodes, const std::vector<std::string>& decommissioning_hosts, ContainerEffects& effects);
  /// Matches the batch with requests and gives back what nobody asked for.
  void on_allocated(const std::vector<ContainerGrant>& batch, ContainerEffects& effects);
  /// Decides on the next matched container; false when there is none. Executors that started in between count.
  bool launch_next(ContainerEffects& effects);
  void on_completed(Instant now, const std::vector<ContainerExit>& batch, ContainerEffects& effects);

  // -- answers to LaunchExecutor -----------------------------------------------
  void on_executor_started(ContainerId container);
  void on_executor_start_failed(ContainerId container, ContainerEffects& effects);

  // -- questions ----------------------------------------------------------------
  [[nodiscard]] std::int32_t target(ProfileId profile) const;
  [[nodiscard]] std::int32_t running(ProfileId profile) const;
  [[nodiscard]] std::int32_t pending(ProfileId profile) const;
  [[nodiscard]] std::int32_t pending() const;
  [[nodiscard]] std::int32_t starting() const;
  [[nodiscard]] std::int64_t unexpected_releases() const { return unexpected_releases_; }
  [[nodiscard]] std::int32_t loss_questions() const { return static_cast<std::int32_t>(loss_questions_.size()); }
  /// Failures counted now: the application ends when they reach its limit.
  [[nodiscard]] std::int32_t failed_executors(Instant now) { return health_.failures(now); }
  [[nodiscard]] bool all_nodes_excluded() const { return health_.all_excluded(); }
  [[nodiscard]] const std::string& place_name(PlaceIndex place) const { return places_.name(place); }
  [[nodiscard]] std::optional<ProfileExplanation> explain(ProfileId profile) const;
  void check_invariants() const;

private:
  struct Profile {
    ExecutorProfile description;
    std::int32_t target = 0;
    bool is_named = false;  // in a total, or the default profile
    std::int32_t starting = 0;
    std::set<ExecutorId> running;
    std::int32_t locality_tasks = 0;
    std::map<PlaceIndex, std::int32_t> tasks_of_host;
    std::map<PlaceIndex, std::int32_t> containers_on_host;
    bool has_new_hints = false;  // since its requests were last placed; kept where settings_.rebalance
  };
  struct Launch {
    ProfileId profile;
    PlaceIndex host = 0;
    ExecutorId executor;
    bool has_completed = false;  // its end was reported before its start
  };
  struct RunningContainer {
    ExecutorId executor;
    ProfileId profile;
    PlaceIndex host = 0;
  };

  void store_hints(const ExecutorTotals& wish);
  void request_missing(Profile& profile, std::int32_t missing, ContainerEffects& effects);
  void cancel_surplus(Profile& profile, std::int32_t surplus, ContainerEffects& effects);
  void release(ContainerId container, ContainerEffects& effects);
  void complete(Instant now, const ContainerExit& end, ContainerEffects& effects);
  bool classify(Instant now, const ContainerExit& end, ContainerEffects& effects);
  void forget(const RunningContainer& container, ExecutorExit exit, bool is_released, ContainerEffects& effects);
  void tell_exclusion(const std::optional<ExclusionChanged>& change, ContainerEffects& effects);
  [[nodiscard]] const Profile* find_profile(ProfileId profile) const;

  ContainerAllocatorSettings settings_;
  PlaceTable places_;
  RequestTable requests_;
  NodeHealth health_;
  std::map<ProfileId, Profile> profiles_;
  std::deque<ContainerGrant> matched_;  // with a request, not decided yet
  std::map<ContainerId, Launch> launches_;
  std::map<ContainerId, RunningContainer> containers_;
  std::map<ExecutorId, ContainerId> container_of_executor_;
  std::set<ContainerId> released_;
  std::map<ExecutorId, std::int32_t> loss_questions_;
  std::map<ExecutorId, ExecutorExit> stored_reasons_;
  std::vector<std::string> decommissioning_;  // oldest first, bounded
  std::int64_t executor_counter_ = 0;
  std::int64_t unexpected_releases_ = 0;
  bool shutdown_ = false;
};

}  // namespace heddle::policies

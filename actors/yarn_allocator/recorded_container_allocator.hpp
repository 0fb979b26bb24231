// A ContainerAllocator that writes each of its inputs into the event log. It is used like the decider itself; what
// would change the decider without a record does not compile.
#pragma once

#include "policies/containers/container_allocator.hpp"
#include "runtime/event_log/extra_resource_fields.hpp"
#include "runtime/event_log/input_records.hpp"

namespace heddle::policies {

// The members of its settings, as the event log names them.
template <class Visit>
void visit_fields(Visit& visit, ExecutorProfile& value) {
  visit("id", value.id);
  visit("resource", value.resource);
  visit("tasks_per_executor", value.tasks_per_executor);
  visit("extras", value.extras);
}

template <class Visit>
void visit_fields(Visit& visit, NodeHealthSettings& value) {
  visit("exclude_on_launch_failure", value.exclude_on_launch_failure);
  visit("exclusion_timeout", value.exclusion_timeout);
  visit("failures_per_node_max", value.failures_per_node_max);
  visit("excluded_nodes", value.excluded_nodes);
  visit("failure_validity", value.failure_validity);
}

template <class Visit>
void visit_fields(Visit& visit, ContainerAllocatorSettings& value) {
  visit("default_profile", value.default_profile);
  visit("initial_executors", value.initial_executors);
  visit("last_executor_id", value.last_executor_id);
  visit("health", value.health);
  visit("tell_decommissioning", value.tell_decommissioning);
  visit("always_push_exclusion", value.always_push_exclusion);
  visit("count_starting", value.count_starting);
  visit("rebalance", value.rebalance);
  visit("exact_placement", value.exact_placement);
}

}  // namespace heddle::policies

namespace heddle::actors {

class RecordedContainerAllocator : private policies::ContainerAllocator {
public:
  RecordedContainerAllocator(const policies::ContainerAllocatorSettings& settings, const RackTable& racks,
                             ports::EventSink* sink, const ports::Clock* clock);

  void on_start(Instant now, policies::ContainerEffects& effects);
  void on_profile(const policies::ExecutorProfile& profile);
  bool on_request_total(Instant now, const policies::ExecutorTotals& wish, policies::ContainerEffects& effects);
  void on_kill_executor(ExecutorId executor, policies::ContainerEffects& effects);
  void on_loss_question(ExecutorId executor, policies::ContainerEffects& effects);
  void on_shutdown();
  [[nodiscard]] policies::AllocateCall next_call(policies::ContainerEffects& effects);
  void on_answer(Instant now, const policies::AllocateAnswer& answer, policies::ContainerEffects& effects);
  void on_call_failed();
  void on_not_registered();
  void on_allocated(const std::vector<ContainerGrant>& batch, policies::ContainerEffects& effects);
  bool launch_next(policies::ContainerEffects& effects);
  void on_completed(Instant now, const std::vector<ContainerExit>& batch, policies::ContainerEffects& effects);
  void on_executor_started(ContainerId container);
  void on_executor_start_failed(ContainerId container, policies::ContainerEffects& effects);

  using ContainerAllocator::all_nodes_excluded;
  using ContainerAllocator::check_invariants;
  using ContainerAllocator::explain;
  using ContainerAllocator::failed_executors;
  using ContainerAllocator::has_call;
  using ContainerAllocator::pending;
  using ContainerAllocator::running;
  using ContainerAllocator::starting;
  using ContainerAllocator::target;

private:
  /// The instant of inputs that come without one.
  [[nodiscard]] Instant now() const { return records_.now(); }

  runtime::InputRecords records_;
};

/// Adds what a call of a ContainerAllocator decided, from the given effect on.
void digest_effects(runtime::EffectDigest& digest, const policies::ContainerEffects& effects, std::size_t first);
/// Adds what a ResourceManager is to be asked.
void digest_call(runtime::EffectDigest& digest, const policies::AllocateCall& call);

}  // namespace heddle::actors

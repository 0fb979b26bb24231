// A ResourceScheduler that writes each of its inputs into the event log. It is used like the decider itself; what would
// change the decider without a record does not compile. Its rules and queues follow from the settings and the queue
// file, which the log has too.
#pragma once

#include <span>
#include <string>

#include "policies/cluster/scheduler/resource_scheduler.hpp"
#include "runtime/event_log/input_records.hpp"

namespace heddle::actors {

class RecordedResourceScheduler : private policies::ResourceScheduler {
public:
  RecordedResourceScheduler(policies::ResourceScheduler scheduler, ports::EventSink* sink, const ports::Clock* clock);

  void on_node_added(Instant now, const policies::NodeDescription& node, policies::ResourceEffects& effects);
  void on_node_updated(Instant now, NodeId node, Resource capacity, policies::ResourceEffects& effects);
  void on_node_removed(Instant now, NodeId node, policies::ResourceEffects& effects);
  void node_heartbeat(Instant now, NodeId node, policies::ResourceEffects& effects,
                      policies::OfferCause cause = policies::OfferCause::heartbeat);
  /// `name` and `content` of the file from which `file` was read: the log keeps the text.
  Result<Done> on_queues_changed(Instant now, const policies::QueueFile& file, policies::ResourceEffects& effects,
                                 const std::string& name, const std::string& content);
  [[nodiscard]] policies::SubmissionAnswer on_application_added(Instant now,
                                                                const policies::ApplicationSubmission& submission);
  void on_attempt_added(Instant now, AttemptId attempt, policies::ResourceEffects& effects);
  void on_attempt_removed(Instant now, AttemptId attempt, policies::ResourceEffects& effects);
  void on_application_removed(Instant now, ApplicationId application, policies::ResourceEffects& effects);
  [[nodiscard]] policies::Allocation on_asks(Instant now, AttemptId attempt, const policies::AskBatch& batch,
                                             policies::ResourceEffects& effects);
  void on_container_launched(Instant now, ContainerId container);
  void on_containers_completed(Instant now, std::span<const policies::ContainerCompleted> ends,
                               policies::ResourceEffects& effects);
  void on_time(Instant now, policies::ResourceEffects& effects);
  /// Writes what is still open; called before other records, so that the log keeps the order of time.
  void flush_records() { records_.flush(); }

  using ResourceScheduler::check_invariants;
  using ResourceScheduler::continuous_round;
  using ResourceScheduler::continuous_sleep;
  using ResourceScheduler::counted_kinds;
  using ResourceScheduler::explain;
  using ResourceScheduler::has_room;
  using ResourceScheduler::needs_offer;
  using ResourceScheduler::next_due;
  using ResourceScheduler::place;
  [[nodiscard]] const Rules& rules() const { return ResourceScheduler::rules(); }

private:
  runtime::InputRecords records_;
};

/// Adds what a call of a ResourceScheduler decided, from the given effect on.
void digest_effects(runtime::EffectDigest& digest, const policies::ResourceEffects& effects, std::size_t first);
void digest_answer(runtime::EffectDigest& digest, const policies::SubmissionAnswer& answer);
void digest_answer(runtime::EffectDigest& digest, const policies::Allocation& answer);

}  // namespace heddle::actors

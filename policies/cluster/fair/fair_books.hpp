// State that all parts of the fair rules share: settings, ledger and queues. Its functions update ledger and queues
// together. Makes no decisions. Cost: that of the ledger and of FairQueues for the same change.
#pragma once

#include "policies/cluster/fair/fair_queues.hpp"
#include "policies/cluster/fair/fair_scheduler_settings.hpp"

namespace heddle::policies {

struct FairBooks {
  FairBooks(FairSchedulerSettings given, const config::FairSchedulerFile& file, Instant now);

  /// Adds the usage of the container to its application and queues. `asked`: size in the ask, which counts for masters;
  /// the size of a fulfilled reservation may differ.
  void allocate(RowIndex container, PriorityAsks& asks, AskLocality locality, const MemoryAndCores& asked);
  void end(RowIndex container, std::int32_t exit_status, bool is_reported_by_node, ResourceEffects& effects);
  void drop_reservation(RowIndex node, bool keep_container, ResourceEffects& effects);
  /// Updates whether the application counts as asking.
  void update_asking(RowIndex application) { queues.change_asks(application, ledger.application(application).asks); }
  void update_available() { available = ledger.cluster() - ledger.used(); }
  /// The size that is granted for an ask: rounded up to the increment, within the bounds of the cluster and the queue.
  [[nodiscard]] MemoryAndCores normalized_for(const FairQueue& queue, const MemoryAndCores& ask) const;
  /// Whether this usage is less than the share, by the rules of the application's queue.
  [[nodiscard]] bool is_below_share(RowIndex application, const MemoryAndCores& usage,
                                    const MemoryAndCores& share) const;
  /// Whether the application has less than its fair share, or its queue less than its minimum.
  [[nodiscard]] bool is_starved(RowIndex application) const;
  void check_invariants() const;

  FairSchedulerSettings settings;
  ResourceLedger ledger;
  FairQueues queues;
  MemoryAndCores available;        // of the cluster, as of the last end, heartbeat, update or change of nodes
  MemoryAndCores reservable_from;  // the size of the smallest container that a node is kept for
};

}  // namespace heddle::policies

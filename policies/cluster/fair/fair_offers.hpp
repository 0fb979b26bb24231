// Assigns containers on a node heartbeat: first preempted resources, then the node's reservation, then the tree. Order:
// queues and applications by their parent's policy, priorities ascending. Cost per assignment: the depth of the tree,
// if the first candidate takes the node. After Hadoop 3.4's FairScheduler (FS-1 … FS-21).
#pragma once

#include "policies/cluster/fair/fair_preemption.hpp"

namespace heddle::policies {

/// One offer of one node.
class FairOffer {
public:
  FairOffer(FairBooks& books, FairPreemption& preemption, RowIndex node, Instant now, OfferCause cause,
            ResourceEffects& effects)
      : books_{books},
        settings_{books.settings},
        ledger_{books.ledger},
        queues_{books.queues},
        preemption_{preemption},
        effects_{effects},
        node_{node},
        now_ms_{to_milliseconds(now.time_since_epoch())},
        counts_opportunities_{cause == OfferCause::heartbeat} {}

  /// Assigns or reserves containers.
  void make();

private:
  /// Result of an offer. A reservation ends the offers of a node. An allocation of zero resources counts as none.
  struct Offer {
    bool is_taken = false;
    MemoryAndCores size;
  };
  enum class Mode : std::uint8_t { free, reserved };

  void assign_preempted();
  [[nodiscard]] bool assign_reserved();
  [[nodiscard]] bool may_continue(std::int32_t count, const MemoryAndCores& most, const MemoryAndCores& assigned) const;
  Offer offer_to_queue(RowIndex queue);
  [[nodiscard]] bool is_of_use(const AskSizes& sizes, const MemoryAndCores& room) const;
  Offer offer_to_application(RowIndex application);
  Offer offer(RowIndex application, Mode mode);
  [[nodiscard]] bool wants_node(RowIndex application, const PriorityAsks& asks) const;
  [[nodiscard]] AskLocality allowed_level(PriorityAsks& asks) const;
  [[nodiscard]] AskLocality allowed_level_by_time(PriorityAsks& asks) const;
  Offer take(RowIndex application, PriorityAsks& asks, const AskEntry& entry, AskLocality locality, Mode mode);
  bool reserve(RowIndex application, const PriorityAsks& asks, const AskEntry& entry, AskLocality locality, Mode mode);
  [[nodiscard]] bool has_reservations_enough(const LedgerApplication& application, AskLocality locality) const;
  [[nodiscard]] bool is_reservable(RowIndex application, const MemoryAndCores& size) const;

  FairBooks& books_;
  const FairSchedulerSettings& settings_;
  ResourceLedger& ledger_;
  FairQueues& queues_;
  FairPreemption& preemption_;
  ResourceEffects& effects_;
  RowIndex node_;
  std::int64_t now_ms_;
  bool counts_opportunities_;
};

/// Nodes of one continuous round: those with room for the smallest container, most free memory first, then the older
/// node. If nothing is requested, only reserved nodes.
[[nodiscard]] std::vector<NodeId> continuous_round(const FairBooks& books);

}  // namespace heddle::policies

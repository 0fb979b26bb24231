// Assigns containers on a node heartbeat: first the node's reservation, then passes over the tree until the node is
// full or reserved, or the limit of containers or off-switch containers per heartbeat is reached. A pass only proposes;
// the proposal is checked against all limits before it is committed, so that a pass that looks beyond reservations
// exceeds none. Order: queues as in capacity_queues.hpp, applications as in capacity_order.hpp, asks by priority (lower
// number first). Cost per assignment: depth x log(children), plus the asking applications and queues that are refused
// before.
#pragma once

#include "policies/cluster/capacity/capacity_books.hpp"

namespace heddle::policies {

/// One offer of one node.
class CapacityOffer {
public:
  /// With `cause` change the offer counts no missed opportunities.
  CapacityOffer(CapacityBooks& books, RowIndex node, OfferCause cause, ResourceEffects& effects)
      : books_{books},
        settings_{books.settings},
        file_{books.file},
        ledger_{books.ledger},
        queues_{books.queues},
        effects_{effects},
        node_{node},
        counts_opportunities_{cause == OfferCause::heartbeat} {}

  /// Assigns or reserves containers.
  void make();

private:
  /// Result of one pass over the tree.
  struct Proposal {
    enum class Kind : std::uint8_t { nothing, allocate, reserve, drop_reservation };
    /// Why an application or queue proposes nothing. Decides which one is tried next.
    enum class Skip : std::uint8_t { none, application, queue_limit };
    Kind kind = Kind::nothing;
    Skip skip = Skip::none;
    AskLocality locality = AskLocality::node_local;
    RowIndex application = no_row;
    std::int32_t priority = 0;
    OthersId others = no_others;
    MemoryAndCores size;
    RowIndex reservation = no_row;  // the container that is fulfilled, kept or dropped
    RowIndex to_unreserve = no_row;
  };
  /// Result of one ask. The first two continue with the next priority or locality.
  enum class AskResult : std::uint8_t { next_priority, next_place, next_application, queue_is_full, found };

  // -- passes over the tree ----------------------------------------------------------
  [[nodiscard]] Proposal propose();
  [[nodiscard]] Proposal offer_to_queue(RowIndex queue, CapacityLimits& limits);
  [[nodiscard]] Proposal offer_to_children(RowIndex queue, CapacityLimits& limits);
  [[nodiscard]] Proposal offer_to_leaf(RowIndex queue, CapacityLimits& limits);
  [[nodiscard]] Proposal offer_to_application(RowIndex application, const CapacityLimits& limits);
  [[nodiscard]] Proposal fulfil_reservation();
  void mark_visited(CapacityQueue& leaf, RowIndex last);

  // -- one ask -----------------------------------------------------------------------
  [[nodiscard]] AskResult try_ask(RowIndex application, PriorityAsks& asks, const CapacityLimits& limits,
                                  Proposal& proposal);
  [[nodiscard]] AskResult try_places(RowIndex application, PriorityAsks& asks, const CapacityLimits& limits,
                                     Proposal& proposal);
  [[nodiscard]] AskResult try_size(RowIndex application, const PriorityAsks& asks, const CapacityLimits& limits,
                                   Proposal& proposal) const;
  [[nodiscard]] bool has_others(const Proposal& proposal) const;
  [[nodiscard]] bool may_go_to_rack(const PriorityAsks& asks) const;
  [[nodiscard]] bool wants_more(RowIndex application, const PriorityAsks& asks, const MemoryAndCores& size) const;
  [[nodiscard]] RowIndex reservation_to_drop(RowIndex application, std::int32_t priority,
                                             const MemoryAndCores& needed) const;
  void count_opportunity(PriorityAsks& asks) const;

  // -- applying a proposal ------------------------------------------------------------------
  [[nodiscard]] bool commit(const Proposal& proposal);
  [[nodiscard]] bool is_acceptable(const Proposal& proposal);
  void commit_container(const Proposal& proposal);

  CapacityBooks& books_;
  const CapacitySchedulerSettings& settings_;
  const config::CapacitySchedulerFile& file_;
  ResourceLedger& ledger_;
  CapacityQueues& queues_;
  ResourceEffects& effects_;
  RowIndex node_;
  bool counts_opportunities_;
};

/// True if an ask may be assigned on any node now; always true with a reservation.
[[nodiscard]] bool may_go_anywhere(const CapacityBooks& books, const PriorityAsks& asks, bool is_reserved);

}  // namespace heddle::policies

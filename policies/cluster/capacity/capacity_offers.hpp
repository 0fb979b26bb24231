// From a heartbeat to containers: the node's reservation first, then passes over the tree until something stops them:
// no room, a reservation, the bounds on containers or on containers far from their data. A pass only proposes; it is
// then checked against all limits again and carried out, so that a pass that looks beyond reservations never exceeds
// one. Order: queues as in capacity_queues.hpp, applications as in capacity_order.hpp, asks by priority (lower number
// first). Cost per assignment: depth x log(children), plus the applications and queues that ask and are refused before
// the one that takes it.
#pragma once

#include "policies/cluster/capacity/capacity_books.hpp"

namespace heddle::policies {

/// Offers one node once. It lives for this offer.
class CapacityOffer {
public:
  /// A `cause` of change counts no missed opportunities.
  CapacityOffer(CapacityBooks& books, RowIndex node, OfferCause cause, ResourceEffects& effects)
      : books_{books},
        settings_{books.settings},
        file_{books.file},
        ledger_{books.ledger},
        queues_{books.queues},
        effects_{effects},
        node_{node},
        counts_opportunities_{cause == OfferCause::heartbeat} {}

  /// Assigns or reserves what the rules allow.
  void make();

private:
  /// What one pass over the tree would do.
  struct Proposal {
    enum class Kind : std::uint8_t { nothing, allocate, reserve, drop_reservation };
    /// Why an application or a queue proposes nothing; it decides who is asked next.
    enum class Skip : std::uint8_t { none, application, queue_limit };
    Kind kind = Kind::nothing;
    Skip skip = Skip::none;
    AskLocality locality = AskLocality::node_local;
    RowIndex application = no_row;
    std::int32_t priority = 0;
    ExtrasId extras = no_extras;
    Resource size;
    RowIndex reservation = no_row;  // the container that is fulfilled, kept or dropped
    RowIndex to_unreserve = no_row;
  };
  /// What one ask proposes; the first two lead to the next ask or place.
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
  [[nodiscard]] bool has_extras(const Proposal& proposal) const;
  [[nodiscard]] bool may_go_to_rack(const PriorityAsks& asks) const;
  [[nodiscard]] bool wants_more(RowIndex application, const PriorityAsks& asks, const Resource& size) const;
  [[nodiscard]] RowIndex reservation_to_drop(RowIndex application, std::int32_t priority, const Resource& needed) const;
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

/// Whether an ask may be served on any node by now; one that has a reservation may.
[[nodiscard]] bool may_go_anywhere(const CapacityBooks& books, const PriorityAsks& asks, bool is_reserved);

}  // namespace heddle::policies

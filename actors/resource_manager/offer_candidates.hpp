// Nodes that are offered after a change: those that were not found full since something last happened there. A full
// node costs a change nothing. Order: that of the nodes' numbers.
#pragma once

#include <cstddef>
#include <set>

#include "model/ids.hpp"

namespace heddle::actors {

class OfferCandidates {
public:
  /// Something came to, left or changed at the node: it is looked at by the next offer.
  void add(NodeId node) { nodes_.insert(node); }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  /// Offers each node with room; a grant is a change too, so rounds go on until one grants nothing. `has_room(node)`
  /// and `offer(node)` answer whether it has, and whether anything was granted; an offer may add nodes. Those without
  /// room are forgotten.
  template <class HasRoom, class Offer>
  void offer_all(HasRoom has_room, Offer offer) {
    for (bool is_changed = true; is_changed;) {
      is_changed = false;
      for (auto at = nodes_.begin(); at != nodes_.end();) {
        const NodeId node = *at;
        if (!has_room(node)) {
          at = nodes_.erase(at);
          continue;
        }
        if (offer(node)) is_changed = true;
        at = nodes_.upper_bound(node);
      }
    }
  }

private:
  std::set<NodeId> nodes_;
};

}  // namespace heddle::actors

// Nodes that may have free resources. After a change the ResourceManager offers these nodes only, so that full nodes
// cost nothing. Order: ascending node id.
#pragma once

#include <cstddef>
#include <set>

#include "model/ids.hpp"

namespace heddle::actors {

class OfferCandidates {
public:
  /// Adds a node on which something was added, removed or changed.
  void add(NodeId node) { nodes_.insert(node); }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  /// Offers each node with free resources, round after round until a round grants nothing. `has_room(node)`: the node
  /// has free resources; without them it is removed from the set. `offer(node)`: offers it and returns true if a
  /// container was granted; it may add nodes.
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

// Updates of demands and shares: demands from the leaves up, shares from the root down, only for queues and
// applications that a change reached. Same results as an update of everything. Cost: the queues that a change reached,
// with all their children.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "policies/cluster/fair/fair_tree.hpp"

namespace heddle::policies {

class FairUpdates {
public:
  /// A demand in this queue changed, so those of its parents may change.
  void mark_demand(FairTree& tree, RowIndex queue);
  /// The shares of the children are computed again at the next update.
  void mark_shares(FairTree& tree, RowIndex queue);
  /// The next update visits every queue, after a change of limits or of the cluster.
  void mark_all() { is_all_demand_new_ = are_all_shares_new_ = true; }
  /// One more (1) or one less (-1) running application in the leaf.
  void count_running(FairTree& tree, RowIndex leaf, std::int32_t by);

  void update_demands(FairTree& tree, const ResourceLedger& ledger, bool is_size_based);
  void update_shares(FairTree& tree);
  void update_steady_shares(FairTree& tree);
  /// Number of updates of demands. Each makes every order stale.
  [[nodiscard]] std::uint64_t demand_round() const { return demand_round_; }

private:
  void update_demand(FairTree& tree, RowIndex queue, const ResourceLedger& ledger, bool is_size_based);
  void share_below(FairTree& tree, RowIndex queue);
  void share_between_applications(FairTree& tree, RowIndex leaf);
  void share_between_queues(FairTree& tree, RowIndex queue, ShareKind kind);

  std::uint64_t demand_round_ = 0;
  std::vector<RowIndex> new_demands_;  // queues with `has_new_demand`
  std::priority_queue<RowIndex, std::vector<RowIndex>, std::greater<>>
      new_shares_;  // queues with `has_new_shares`; parents first
  bool is_all_demand_new_ = true;
  bool are_all_shares_new_ = true;
  FairShareSearch search_;
  std::vector<ShareInput> inputs_;    // of one leaf's applications
  std::vector<std::int64_t> shares_;  // of one leaf's applications
};

}  // namespace heddle::policies

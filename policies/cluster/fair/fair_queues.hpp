// Queues of the fair rules with all their state: the tree, updates of demands and shares, running applications.
// Functions that change several parts update them together. Cost: a usage change is O(depth); for the others see the
// parts.
#pragma once

#include <string>
#include <vector>

#include "policies/cluster/fair/fair_running.hpp"
#include "policies/cluster/fair/fair_service.hpp"
#include "policies/cluster/fair/fair_updates.hpp"

namespace heddle::policies {

class FairQueues {
public:
  static constexpr RowIndex root = FairTree::root;

  FairQueues() = default;
  FairQueues(const config::FairSchedulerFile& file, Instant now);

  // -- the tree --------------------------------------------------------------------
  [[nodiscard]] const FairTree& tree() const { return tree_; }
  [[nodiscard]] RowIndex find(std::string_view name) const { return tree_.find(name); }
  [[nodiscard]] FairQueue& at(RowIndex row) { return tree_.at(row); }
  [[nodiscard]] const FairQueue& at(RowIndex row) const { return tree_.at(row); }
  [[nodiscard]] std::size_t size() const { return tree_.size(); }
  [[nodiscard]] FairApplication& application(RowIndex row) { return tree_.application(row); }
  [[nodiscard]] const FairApplication& application(RowIndex row) const { return tree_.application(row); }
  FairApplication& add_application(RowIndex row) { return tree_.add_application(row); }
  /// The leaf of this name, created if allowed. no_row if it, or a parent, may not be created.
  RowIndex find_or_create_leaf(std::string_view name, Instant now);
  void reload(const config::FairSchedulerFile& file, Instant now);
  void set_cluster(const MemoryAndCores& cluster);

  // -- usage and asks ----------------------------------------------------------------
  /// The usage of an application and of all queues above it changes by `by`.
  void change_usage(RowIndex leaf, RowIndex application, const MemoryAndCores& by);
  /// What containers hold besides memory and cores, in this leaf and above it.
  void change_others(RowIndex leaf, const OtherResources::List& by, std::int64_t times);
  /// Updates what the application asks for. Offers skip queues without asking applications.
  void change_asks(RowIndex application, const PendingRequests& asks);
  /// The children in the order of service.
  [[nodiscard]] const std::vector<RowIndex>& served(RowIndex queue, const ResourceLedger& ledger) {
    return served_children(tree_, queue, ledger, updates_.demand_round());
  }

  // -- demands and shares --------------------------------------------------------------
  void update_demands(const ResourceLedger& ledger, bool is_size_based) {
    updates_.update_demands(tree_, ledger, is_size_based);
  }
  void update_shares() { updates_.update_shares(tree_); }
  /// The next update visits every queue.
  void mark_all_changed() { updates_.mark_all(); }

  // -- running applications --------------------------------------------------------
  [[nodiscard]] std::string running_limit_of(RowIndex leaf, std::int32_t user, const ResourceLedger& ledger) const {
    return running_.limit_of(tree_, leaf, user, ledger);
  }
  void start_running(RowIndex leaf, RowIndex application, std::int32_t user) {
    running_.start(tree_, updates_, leaf, application, user);
  }
  void wait(RowIndex leaf, RowIndex application, std::int32_t user) {
    running_.wait(tree_, updates_, leaf, application, user);
  }
  std::vector<RowIndex> remove_application(RowIndex application, std::int32_t user, const ResourceLedger& ledger) {
    return running_.remove(tree_, updates_, application, user, ledger);
  }
  std::vector<RowIndex> move_application(RowIndex application, RowIndex leaf, std::int32_t user,
                                         const ResourceLedger& ledger) {
    return running_.move(tree_, updates_, application, leaf, user, ledger);
  }
  std::vector<RowIndex> retry_waiting(const ResourceLedger& ledger) {
    return running_.retry_waiting(tree_, updates_, ledger);
  }

private:
  /// Limits or the cluster changed.
  void update_all();

  FairTree tree_;
  FairUpdates updates_;
  FairRunning running_;
};

}  // namespace heddle::policies

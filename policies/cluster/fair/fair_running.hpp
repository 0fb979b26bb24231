// Running applications: limits per user and queue, and which application starts when one is removed (MR-1 … MR-4).
// Order: waiting applications start by start time, equal ones in the order of Hadoop's heap. Cost: linear in the
// waiting applications below the queue that is no longer at its limit.
#pragma once

#include <string>
#include <vector>

#include "policies/cluster/fair/fair_updates.hpp"

namespace heddle::policies {

class FairRunning {
public:
  /// The user, or the first queue from the leaf upwards, at its limit of running applications; empty if none.
  [[nodiscard]] std::string limit_of(const FairTree& tree, RowIndex leaf, std::int32_t user,
                                     const ResourceLedger& ledger) const;
  void start(FairTree& tree, FairUpdates& updates, RowIndex leaf, RowIndex application, std::int32_t user);
  void wait(FairTree& tree, FairUpdates& updates, RowIndex leaf, RowIndex application, std::int32_t user);
  /// Removes an application. Returns the applications that run now because of it.
  std::vector<RowIndex> remove(FairTree& tree, FairUpdates& updates, RowIndex application, std::int32_t user,
                               const ResourceLedger& ledger);
  /// Moves an application to another leaf; the caller has checked its limits. Returns the applications that run now
  /// because of it, including itself if it waited.
  std::vector<RowIndex> move(FairTree& tree, FairUpdates& updates, RowIndex application, RowIndex leaf,
                             std::int32_t user, const ResourceLedger& ledger);
  /// Retries all applications that wait for a limit, after a change of the file. Returns those that run now.
  std::vector<RowIndex> retry_waiting(FairTree& tree, FairUpdates& updates, const ResourceLedger& ledger);

private:
  struct User {
    std::int32_t running = 0;
    std::vector<RowIndex> waiting;
  };

  User& user(std::int32_t id);
  void remove_running(FairTree& tree, FairUpdates& updates, RowIndex application, std::int32_t user);
  [[nodiscard]] std::vector<RowIndex> promote_after_removal(FairTree& tree, FairUpdates& updates, RowIndex leaf,
                                                            std::int32_t user, const ResourceLedger& ledger);
  [[nodiscard]] std::vector<RowIndex> promote(FairTree& tree, FairUpdates& updates,
                                              const std::vector<std::vector<RowIndex>>& lists, std::size_t count_max,
                                              const ResourceLedger& ledger);

  std::vector<User> users_;
};

/// The first queue, from `to` up to the common parent of `from` and `to`, that cannot take one more running application
/// with this usage; none if all can.
struct FairMoveObstacle {
  RowIndex queue = no_row;
  bool is_running_limit = false;  // false: the queue's maximum
};
[[nodiscard]] FairMoveObstacle move_obstacle(const FairTree& tree, RowIndex from, RowIndex to,
                                             const MemoryAndCores& usage);

}  // namespace heddle::policies

// Which applications run: the limits of running applications of users and queues, and who starts when one leaves
// (MR-1 … MR-4). Order: those that wait start by their start time, equal ones as the original's heap gives them.
// Cost: the applications that wait below the queue whose limit has room again.
#pragma once

#include <string>
#include <vector>

#include "policies/cluster/fair/fair_updates.hpp"

namespace heddle::policies {

class FairRunning {
public:
  /// The user or the first queue from the leaf upwards that runs as many applications as it may; empty if none does.
  [[nodiscard]] std::string limit_of(const FairTree& tree, RowIndex leaf, std::int32_t user,
                                     const ResourceLedger& ledger) const;
  void start(FairTree& tree, FairUpdates& updates, RowIndex leaf, RowIndex application, std::int32_t user);
  void wait(FairTree& tree, FairUpdates& updates, RowIndex leaf, RowIndex application, std::int32_t user);
  /// Takes an application out; returns those that may run because of it, already running.
  std::vector<RowIndex> remove(FairTree& tree, FairUpdates& updates, RowIndex application, std::int32_t user,
                               const ResourceLedger& ledger);
  /// Takes an application to another leaf, whose limits were looked at before; returns those that may run because of
  /// it, already running, itself included if it waited.
  std::vector<RowIndex> move(FairTree& tree, FairUpdates& updates, RowIndex application, RowIndex leaf,
                             std::int32_t user, const ResourceLedger& ledger);
  /// Tries all that wait for a limit again, as after a change of the file; returns those that run now.
  std::vector<RowIndex> retry_waiting(FairTree& tree, FairUpdates& updates, const ResourceLedger& ledger);

private:
  struct User {
    std::int32_t running = 0;
    std::vector<RowIndex> waiting;
  };

  User& user(std::int32_t id);
  void take_out(FairTree& tree, FairUpdates& updates, RowIndex application, std::int32_t user);
  [[nodiscard]] std::vector<RowIndex> promote_after_removal(FairTree& tree, FairUpdates& updates, RowIndex leaf,
                                                            std::int32_t user, const ResourceLedger& ledger);
  [[nodiscard]] std::vector<RowIndex> promote(FairTree& tree, FairUpdates& updates,
                                              const std::vector<std::vector<RowIndex>>& lists, std::size_t count_max,
                                              const ResourceLedger& ledger);

  std::vector<User> users_;
};

/// The first queue, from `to` upwards to where the ways from `from` and `to` meet, that has no place for one more
/// running application with this usage; none if all have.
struct FairMoveObstacle {
  RowIndex queue = no_row;
  bool is_running_limit = false;  // else its maximum
};
[[nodiscard]] FairMoveObstacle move_obstacle(const FairTree& tree, RowIndex from, RowIndex to, const Resource& usage);

}  // namespace heddle::policies

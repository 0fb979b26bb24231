// Decides when an application may run: limits of parallel applications, and of the resources of masters per leaf and
// user. Order: waiting applications start by priority, then id; held ones are retried by arrival, over all leaves.
// Cost: linear in the waiting applications of one leaf, and in all held applications.
#pragma once

#include <string>
#include <vector>

#include "policies/cluster/capacity/capacity_books.hpp"

namespace heddle::policies {

class CapacityAdmission {
public:
  /// The user, or the first queue from the leaf upwards, at its limit of parallel applications; empty if none.
  [[nodiscard]] std::string parallel_limit_of(const CapacityBooks& books, RowIndex application) const;
  /// Adds an application to those that wait for their master, or holds it if too many run.
  void admit(CapacityBooks& books, RowIndex application);
  void dismiss(CapacityBooks& books, RowIndex application);
  /// Retries held applications.
  void admit_held(CapacityBooks& books, ResourceEffects& effects);

private:
  [[nodiscard]] std::int32_t& parallel_of_user(std::int32_t user);

  std::vector<std::int32_t> parallel_of_users_;  // applications that are not held, by user id of the ledger
  std::int32_t held_ = 0;                        // number of held applications in all leaves
};

/// Starts the waiting applications of a leaf whose masters are within the limit of masters.
void start_applications(CapacityBooks& books, RowIndex leaf, ResourceEffects& effects);

}  // namespace heddle::policies

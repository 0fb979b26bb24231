// When an application may run: limits of applications that run at once, and of what masters hold in a leaf and of a
// user. Order: those that wait start by priority, then id; those that are held back are tried by arrival, over all
// leaves. Cost: the applications that wait in one leaf; all that are held, where there are such.
#pragma once

#include <string>
#include <vector>

#include "policies/cluster/capacity/capacity_books.hpp"

namespace heddle::policies {

class CapacityAdmission {
public:
  /// The user or the first queue from the leaf upwards of whose applications as many run as may at once; empty if none
  /// does.
  [[nodiscard]] std::string parallel_limit_of(const CapacityBooks& books, RowIndex application) const;
  /// Lets an application wait for its master, or holds it back where too many run at once.
  void admit(CapacityBooks& books, RowIndex application);
  void dismiss(CapacityBooks& books, RowIndex application);
  /// Tries those that are held back again.
  void admit_held(CapacityBooks& books, ResourceEffects& effects);

private:
  [[nodiscard]] std::int32_t& parallel_of_user(std::int32_t user);

  std::vector<std::int32_t> parallel_of_users_;  // applications that are not held, by the ledger's user
  std::int32_t held_ = 0;                        // applications, in all leaves
};

/// Starts the waiting applications of a leaf whose masters fit what masters may hold.
void start_applications(CapacityBooks& books, RowIndex leaf, ResourceEffects& effects);

}  // namespace heddle::policies

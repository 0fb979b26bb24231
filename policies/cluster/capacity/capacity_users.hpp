// Users of one capacity leaf: usage, activity and limit per user (CS-5). A user is active while one of their running
// applications asks for containers. Limits are computed on demand, and again only after usage or activity changed.
// Cost: constant per change; a limit is one formula. After Hadoop 3.4's UsersManager, with its single precision and
// order of additions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policies/cluster/resource_calculator.hpp"
#include "policies/cluster/resource_ledger.hpp"

namespace heddle::policies {

struct CapacityUser {
  std::int32_t id = -1;  // number in the ledger
  std::string name;
  bool is_present = false;   // has an application in this leaf
  bool is_active = false;    // counted among the active users
  bool is_asking = false;    // one of the applications below asks
  std::int32_t asking = 0;   // number of asking applications
  std::int32_t waiting = 0;  // number of waiting applications
  std::int32_t running = 0;
  float weight = 1.0F;
  float usage_ratio = 0;
  MemoryAndCores used;  // reservations included
  MemoryAndCores masters_used;
};

/// Inputs of the limits besides the users.
struct UserLimitInput {
  MemoryAndCores cluster;
  MemoryAndCores capacity;  // of the queue
  MemoryAndCores maximum;   // of the queue
  MemoryAndCores minimum_allocation;
  float percent = 100.0F;
  float factor = 1.0F;
};

class CapacityUsers {
public:
  /// The row of a user, added at the first call. It stays when the user has no application.
  [[nodiscard]] RowIndex intern(std::int32_t id, const std::string& name);
  [[nodiscard]] CapacityUser& at(RowIndex user) { return users_[static_cast<std::size_t>(user)]; }
  [[nodiscard]] const CapacityUser& at(RowIndex user) const { return users_[static_cast<std::size_t>(user)]; }
  void arrive(RowIndex user, float weight);
  void leave(RowIndex user);
  void set_weight(RowIndex user, float weight);

  /// `is_asking`: the application's flag; updated here.
  void start_asking(RowIndex user, bool& is_asking);
  void stop_asking(RowIndex user, bool& is_asking);
  /// Changes the numbers of waiting and running applications of the user.
  void change_applications(RowIndex user, std::int32_t waiting_by, std::int32_t running_by);
  void change_usage(RowIndex user, const MemoryAndCores& by, const ResourceCalculator& calculator,
                    const MemoryAndCores& cluster);
  void on_cluster_changed(const ResourceCalculator& calculator, const MemoryAndCores& cluster);
  void clear_limits() { ++version_; }

  /// What `user` may hold; refused is only who holds more.
  [[nodiscard]] MemoryAndCores limit_of(RowIndex user, const ResourceCalculator& calculator,
                                        const UserLimitInput& input);
  /// What limit_of() would return, without keeping anything.
  [[nodiscard]] MemoryAndCores peek_limit(RowIndex user, const ResourceCalculator& calculator,
                                          const UserLimitInput& input) const;
  /// Computed anew, without keeping anything.
  [[nodiscard]] MemoryAndCores limit_now(RowIndex user, const ResourceCalculator& calculator,
                                         const UserLimitInput& input) const;
  /// Those that count for the limit of masters.
  [[nodiscard]] std::int32_t active_count() const { return asking_users_ + waiting_users_; }
  [[nodiscard]] std::size_t size() const { return users_.size(); }

private:
  [[nodiscard]] MemoryAndCores common_limit(const ResourceCalculator& calculator, const UserLimitInput& input) const;
  void count_active(CapacityUser& user, bool is_active);

  std::vector<CapacityUser> users_;
  SlotTable slots_;
  std::vector<RowIndex> present_;  // in order of arrival
  std::uint32_t buckets_ = 16;     // of the original's table, which decides the order of its sums
  MemoryAndCores used_by_active_;
  std::int32_t active_ = 0;
  bool has_weights_ = false;  // a weight differs from 1
  float active_weight_ = 0;
  float usage_ratio_ = 0;
  std::int32_t asking_users_ = 0;
  std::int32_t waiting_users_now_ = 0;  // users with waiting and without running applications
  std::int32_t waiting_users_ = 0;      // waiting_users_now_ at the last computation
  std::int64_t version_ = 0;
  std::int64_t computed_version_ = -1;
  MemoryAndCores common_limit_;
};

}  // namespace heddle::policies

// The users of one capacity leaf: what each holds, who is active, and how much one user may hold (CS-5).
// A user is active while one of their running applications asks for containers. Limits are computed when asked for, and
// again only after usage or activity changed. Cost: constant per change; a limit is one formula. After Hadoop 3.4's
// UsersManager, single precision and order of additions included.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policies/cluster/resource_calculator.hpp"
#include "policies/cluster/resource_ledger.hpp"

namespace heddle::policies {

struct CapacityUser {
  std::int32_t id = -1;  // the ledger's number
  std::string name;
  bool is_present = false;   // has an application here
  bool is_active = false;    // counted among the active ones
  bool is_asking = false;    // one of the applications below asks
  std::int32_t asking = 0;   // applications that ask
  std::int32_t waiting = 0;  // applications that may not run yet
  std::int32_t running = 0;
  float weight = 1.0F;
  float usage_ratio = 0;
  Resource used;  // reservations included
  Resource masters_used;
};

/// What the limits of a leaf's users depend on besides the users.
struct UserLimitInput {
  Resource cluster;
  Resource capacity;  // of the queue
  Resource maximum;   // of the queue
  Resource minimum_allocation;
  float percent = 100.0F;
  float factor = 1.0F;
};

class CapacityUsers {
public:
  /// The record of a user, made at first sight; it stays when the user leaves.
  [[nodiscard]] RowIndex intern(std::int32_t id, const std::string& name);
  [[nodiscard]] CapacityUser& at(RowIndex user) { return users_[static_cast<std::size_t>(user)]; }
  [[nodiscard]] const CapacityUser& at(RowIndex user) const { return users_[static_cast<std::size_t>(user)]; }
  void arrive(RowIndex user, float weight);
  void leave(RowIndex user);
  void set_weight(RowIndex user, float weight);

  /// `is_asking` belongs to the application: whether it counts among those that ask.
  void start_asking(RowIndex user, bool& is_asking);
  void stop_asking(RowIndex user, bool& is_asking);
  /// Applications of the user that wait or run.
  void change_applications(RowIndex user, std::int32_t waiting_by, std::int32_t running_by);
  void change_usage(RowIndex user, const Resource& by, const ResourceCalculator& calculator, const Resource& cluster);
  void on_cluster_changed(const ResourceCalculator& calculator, const Resource& cluster);
  void forget_limits() { ++version_; }

  /// What `user` may hold; refused is only who holds more.
  [[nodiscard]] Resource limit_of(RowIndex user, const ResourceCalculator& calculator, const UserLimitInput& input);
  /// The same without keeping anything.
  [[nodiscard]] Resource limit_now(RowIndex user, const ResourceCalculator& calculator,
                                   const UserLimitInput& input) const;
  /// Those that count for the limit of masters.
  [[nodiscard]] std::int32_t active_count() const { return asking_users_ + waiting_users_; }
  [[nodiscard]] std::size_t size() const { return users_.size(); }

private:
  [[nodiscard]] Resource common_limit(const ResourceCalculator& calculator, const UserLimitInput& input) const;
  void count_active(CapacityUser& user, bool is_active);

  std::vector<CapacityUser> users_;
  SlotTable slots_;
  std::vector<RowIndex> present_;  // in order of arrival
  std::uint32_t buckets_ = 16;     // of the original's table, which decides the order of its sums
  Resource used_by_active_;
  std::int32_t active_ = 0;
  bool has_weights_ = false;  // other than 1
  float active_weight_ = 0;
  float usage_ratio_ = 0;
  std::int32_t asking_users_ = 0;
  std::int32_t waiting_users_now_ = 0;  // users of whom nothing runs and something waits
  std::int32_t waiting_users_ = 0;      // the same as of the last computation
  std::int64_t version_ = 0;
  std::int64_t computed_version_ = -1;
  Resource common_limit_;
};

}  // namespace heddle::policies

// Groups of the users of this machine. Looks them up on its own threads, because a directory server can take seconds or
// not answer at all, and caches them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "apps/roles/group_cache.hpp"
#include "ports/user_groups.hpp"

namespace heddle::apps {

class GroupDirectory final : public ports::UserGroups {
public:
  using LookUp = std::function<Groups(const std::string& user)>;
  /// Number of look-ups that run at the same time, each on its own thread. Further ones wait.
  static constexpr std::size_t look_ups_max = 32;

  explicit GroupDirectory(LookUp look_up);
  /// Later results are dropped. Does not wait for look-ups that hang; their threads stay until the process ends.
  ~GroupDirectory() override;
  GroupDirectory(const GroupDirectory&) = delete;
  GroupDirectory& operator=(const GroupDirectory&) = delete;
  [[nodiscard]] std::optional<Groups> known(const std::string& user) override;
  void look_up(const std::string& user, std::function<void()> on_found) override;

private:
  struct State;
  std::shared_ptr<State> state_;  // a look-up may outlive this object
};

/// Groups of a user of this machine, the primary one first; empty for an unknown user.
[[nodiscard]] std::vector<std::string> groups_of_user(const std::string& user);

}  // namespace heddle::apps

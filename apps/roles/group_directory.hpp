// Groups of the users of this machine. Looks them up on its own thread, because a directory server can take seconds,
// and caches them.
#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <string>

#include "apps/roles/background_thread.hpp"
#include "apps/roles/group_cache.hpp"
#include "ports/user_groups.hpp"

namespace heddle::apps {

class GroupDirectory final : public ports::UserGroups {
public:
  using LookUp = std::function<Groups(const std::string& user)>;

  explicit GroupDirectory(LookUp look_up) : look_up_{std::move(look_up)} {}
  [[nodiscard]] std::optional<Groups> known(const std::string& user) override;
  void look_up(const std::string& user, std::function<void()> on_found) override;

private:
  LookUp look_up_;
  std::mutex mutex_;
  GroupCache cache_;
  std::set<std::string> pending_;
  BackgroundThread thread_;  // last member: its destructor runs before those of members that jobs use
};

}  // namespace heddle::apps

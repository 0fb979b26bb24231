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
  /// Each look-up has a thread of its own; more of them than this wait for one another.
  static constexpr std::size_t look_ups_max = 32;

  explicit GroupDirectory(LookUp look_up);
  /// Calls no `on_found` any more. A look-up that hangs is left behind, with its thread.
  ~GroupDirectory() override;
  GroupDirectory(const GroupDirectory&) = delete;
  GroupDirectory& operator=(const GroupDirectory&) = delete;
  [[nodiscard]] std::optional<Groups> known(const std::string& user) override;
  void look_up(const std::string& user, std::function<void()> on_found) override;

private:
  struct State;
  std::shared_ptr<State> state_;  // a look-up may outlive this object
};

}  // namespace heddle::apps

#include "apps/roles/group_directory.hpp"

#include <utility>

namespace heddle::apps {

std::optional<GroupDirectory::Groups> GroupDirectory::known(const std::string& user) {
  const std::lock_guard lock{mutex_};
  return cache_.find(user, std::chrono::steady_clock::now());
}

void GroupDirectory::look_up(const std::string& user, std::function<void()> on_found) {
  {
    const std::lock_guard lock{mutex_};
    if (!pending_.insert(user).second) return;
  }
  thread_.run([this, user, on_found = std::move(on_found)] {
    auto groups = look_up_(user);
    {
      const std::lock_guard lock{mutex_};
      cache_.keep(user, std::move(groups), std::chrono::steady_clock::now());
      pending_.erase(user);
    }
    on_found();
  });
}

}  // namespace heddle::apps

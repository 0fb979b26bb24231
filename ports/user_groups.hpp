// The groups of users, as a directory knows them that may take seconds to answer, or not answer at all.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heddle::ports {

class UserGroups {
public:
  using Groups = std::vector<std::string>;  // the primary one first

  virtual ~UserGroups() = default;
  /// Does not block. None if the groups are not known, or were looked up too long ago.
  [[nodiscard]] virtual std::optional<Groups> known(const std::string& user) = 0;
  /// Looks the groups up on another thread, and calls `on_found` there once they are known. Several look-ups run at the
  /// same time, so one that hangs does not delay the others. Does nothing while a look-up of this user runs.
  virtual void look_up(const std::string& user, std::function<void()> on_found) = 0;
};

}  // namespace heddle::ports

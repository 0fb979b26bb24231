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
  /// At once; none where they are not known, or were looked up too long ago.
  [[nodiscard]] virtual std::optional<Groups> known(const std::string& user) = 0;
  /// Looks them up on another thread and calls `on_found` there once they are known. A number of look-ups run side by
  /// side: one that does not answer delays others only when all of them hang. Dropped while a look-up of the same user
  /// is under way.
  virtual void look_up(const std::string& user, std::function<void()> on_found) = 0;
};

}  // namespace heddle::ports

// Cache of the groups of users.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::apps {

class GroupCache {
public:
  using Groups = std::vector<std::string>;
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kept_for{300};  // as hadoop.security.groups.cache.secs
  static constexpr std::size_t users_max = 1000;        // when full, the oldest entry is removed

  /// Returns the cached groups; none if they are missing or older than kept_for.
  [[nodiscard]] std::optional<Groups> find(const std::string& user, Time now) const {
    const auto row = users_.find(user);
    if (row == users_.end() || now - row->second.since >= kept_for) return std::nullopt;
    return row->second.groups;
  }
  void keep(const std::string& user, Groups groups, Time now) {
    if (!users_.contains(user) && users_.size() >= users_max) remove_oldest();
    users_.insert_or_assign(user, User{std::move(groups), now});
  }
  [[nodiscard]] std::size_t size() const { return users_.size(); }

private:
  struct User {
    Groups groups;
    Time since;
  };
  void remove_oldest() {
    auto oldest = users_.begin();
    for (auto row = users_.begin(); row != users_.end(); ++row)
      if (row->second.since < oldest->second.since) oldest = row;
    users_.erase(oldest);
  }

  std::map<std::string, User> users_;
};

}  // namespace heddle::apps

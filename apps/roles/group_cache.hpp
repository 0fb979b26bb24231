// The groups of users, looked up once and kept for a while: a look-up may ask a directory server and take seconds.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace heddle::apps {

class GroupCache {
public:
  using Groups = std::vector<std::string>;
  using LookUp = std::function<Groups(const std::string& user)>;
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kept_for{300};  // as hadoop.security.groups.cache.secs
  static constexpr std::size_t users_max = 1000;        // the one that was looked up first goes

  explicit GroupCache(LookUp look_up) : look_up_{std::move(look_up)} {}
  [[nodiscard]] const Groups& groups_of(const std::string& user, Time now) {
    const auto row = users_.find(user);
    if (row != users_.end() && now - row->second.since < kept_for) return row->second.groups;
    if (row == users_.end() && users_.size() >= users_max) forget_oldest();
    return users_.insert_or_assign(user, User{look_up_(user), now}).first->second.groups;
  }
  [[nodiscard]] std::size_t size() const { return users_.size(); }

private:
  struct User {
    Groups groups;
    Time since;
  };
  void forget_oldest() {
    auto oldest = users_.begin();
    for (auto row = users_.begin(); row != users_.end(); ++row)
      if (row->second.since < oldest->second.since) oldest = row;
    users_.erase(oldest);
  }

  LookUp look_up_;
  std::map<std::string, User> users_;
};

}  // namespace heddle::apps

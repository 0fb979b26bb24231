// Applications that have an id but wait until the groups of their user are known. The scheduler does not know them yet.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/ids.hpp"

namespace heddle::actors {

struct WaitingSubmission {
  ApplicationId application;
  std::string user;
  std::optional<std::string> killed;  // reason of a KillApplication that arrived during the wait
};

class WaitingSubmissions {
public:
  void add(const ApplicationId& application, const std::string& user) {
    waiting_.push_back({application, user, std::nullopt});
  }
  [[nodiscard]] WaitingSubmission* find(const ApplicationId& application) {
    const auto row = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const WaitingSubmission& each) { return each.application == application; });
    return row == waiting_.end() ? nullptr : &*row;
  }
  [[nodiscard]] bool has_of(const std::string& user) const {
    return std::any_of(waiting_.begin(), waiting_.end(),
                       [&](const WaitingSubmission& each) { return each.user == user; });
  }
  /// Removes and returns the applications of the user, in order of submission.
  [[nodiscard]] std::vector<WaitingSubmission> take(const std::string& user) {
    std::vector<WaitingSubmission> taken;
    const auto kept = std::stable_partition(waiting_.begin(), waiting_.end(),
                                            [&](const WaitingSubmission& each) { return each.user != user; });
    std::move(kept, waiting_.end(), std::back_inserter(taken));
    waiting_.erase(kept, waiting_.end());
    return taken;
  }

private:
  std::vector<WaitingSubmission> waiting_;
};

}  // namespace heddle::actors

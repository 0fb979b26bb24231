// Numbers for host names, because deciders know hosts by number only.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/preferred_location.hpp"

namespace heddle::actors {

class HostTable {
public:
  /// The host's number, and whether it is new.
  std::pair<HostId, bool> intern(const std::string& name) {
    const auto [row, is_new] = numbers_.try_emplace(name, HostId{static_cast<std::int32_t>(names_.size())});
    if (is_new) names_.push_back(name);
    return {row->second, is_new};
  }
  [[nodiscard]] const std::string& name(HostId host) const { return names_[static_cast<std::size_t>(host.value)]; }
  /// By name, ascending.
  [[nodiscard]] const std::map<std::string, HostId>& by_name() const { return numbers_; }

private:
  std::map<std::string, HostId> numbers_;
  std::vector<std::string> names_;
};

}  // namespace heddle::actors

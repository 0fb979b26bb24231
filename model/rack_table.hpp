// Racks of hosts, read before a decider runs: deciders resolve no host names.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace heddle {

/// Host to rack. A host without an entry is in `default_rack`, as in Hadoop.
class RackTable {
public:
  static constexpr std::string_view default_rack = "/default-rack";

  void set(std::string host, std::string rack) { racks_.insert_or_assign(std::move(host), std::move(rack)); }
  [[nodiscard]] std::string_view rack_of(std::string_view host) const {
    const auto row = racks_.find(host);
    return row == racks_.end() ? default_rack : std::string_view{row->second};
  }
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& rows() const { return racks_; }

private:
  std::map<std::string, std::string, std::less<>> racks_;
};

}  // namespace heddle

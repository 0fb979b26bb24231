// Names of hosts and racks (YARN: resource names) as small numbers, so that tables are vectors. Numbers are assigned in
// order of first use and never reused. Hosts and racks share one number space, as in YARN's requests.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/rack_table.hpp"
#include "policies/containers/container_placement.hpp"

namespace heddle::policies {

class ResourceNameTable {
public:
  /// The place that every request names.
  static constexpr PlaceIndex anywhere = 0;
  static constexpr std::string_view anywhere_name = "*";

  explicit ResourceNameTable(RackTable racks);

  /// The number of a host, given at its first mention together with its rack's.
  [[nodiscard]] PlaceIndex host(std::string_view name);
  /// The number of a host that was mentioned before, else none (-1).
  [[nodiscard]] PlaceIndex find(std::string_view name) const;
  [[nodiscard]] PlaceIndex rack_of(PlaceIndex host) const { return racks_[static_cast<std::size_t>(host)]; }
  [[nodiscard]] const std::string& name(PlaceIndex place) const { return names_[static_cast<std::size_t>(place)]; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }

private:
  PlaceIndex add(std::string_view name);

  RackTable rack_table_;
  std::map<std::string, PlaceIndex, std::less<>> numbers_;
  std::vector<std::string> names_;
  std::vector<PlaceIndex> racks_;  // of hosts; -1 for racks and `anywhere`
};

}  // namespace heddle::policies

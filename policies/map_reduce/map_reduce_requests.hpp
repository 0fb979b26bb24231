// Container requests and excluded hosts of a MapReduce master, and the content of its next call to the ResourceManager.
// Requests are counted under host, rack and "*"; counts are absolute, and 0 cancels. Order: priority, then name. The
// next call repeats the content of a failed call. After Hadoop's RMContainerRequestor.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "model/ids.hpp"
#include "model/rack_table.hpp"
#include "model/resources.hpp"
#include "policies/map_reduce/map_reduce_master_settings.hpp"

namespace heddle::policies {

/// Request priorities of the MapReduce master. Smaller numbers are served first.
enum class MapReducePriority : std::int32_t { failed_map = 5, reduce = 10, opportunistic_map = 19, map = 20 };

struct MapReduceAsk {
  MapReducePriority priority = MapReducePriority::map;
  std::string name;  // host, rack or "*"
  Resource resource;
  std::int32_t count = 0;
  bool opportunistic = false;
};

struct MapReduceCall {
  std::int32_t response_id = 0;
  std::vector<MapReduceAsk> asks;
  std::vector<ContainerId> releases;
  std::vector<std::string> exclude;
  std::vector<std::string> include;
};

/// Hosts with too many failed attempts of the job (RR-4).
struct HostExclusion {
  std::int32_t hosts = 0;
  std::int32_t nodes = 0;        // of the cluster
  bool is_ignored = false;       // they are too many, and stay in use (RR-5)
  bool is_next_ignored = false;  // as the next answer decides it for a cluster of the same size
  bool operator==(const HostExclusion&) const = default;
};

class MapReduceRequests {
public:
  using Names = std::vector<std::string>;

  explicit MapReduceRequests(HostExclusionSettings exclusion) : exclusion_{exclusion} {}

  void set_resource(MapReducePriority priority, Resource resource) { resources_[priority] = resource; }
  void add(MapReducePriority priority, const Names& hosts, const Names& racks);
  /// One opportunistic container on any host.
  void add_opportunistic(MapReducePriority priority);
  void remove(MapReducePriority priority, const Names& hosts, const Names& racks);
  /// The next call sends the requests at these names again, if there are any.
  void repeat(MapReducePriority priority, const Names& names);
  void release(ContainerId container);
  void on_completed(ContainerId container) { unconfirmed_releases_.erase(container); }
  /// Limits the containers that are requested at `priority`, at all names together.
  void set_limit(MapReducePriority priority, std::int32_t limit);

  void on_failure(const std::string& host);
  [[nodiscard]] bool is_excluded(const std::string& host) const;
  [[nodiscard]] HostExclusion exclusion() const {
    return {static_cast<std::int32_t>(excluded_.size()), cluster_nodes_, ignores_exclusion_, must_ignore_exclusion()};
  }

  [[nodiscard]] MapReduceCall next_call();
  void on_answer(std::int32_t response_id, std::int32_t cluster_nodes, bool any_completed);
  /// Ignores exclusions if they cover too much of the cluster. Called when either has changed.
  void update_ignoring();
  void on_call_failed();
  void on_not_registered();
  void check_invariants() const;

private:
  struct Key {
    MapReducePriority priority = MapReducePriority::map;
    std::string name;
    bool opportunistic = false;
    auto operator<=>(const Key&) const = default;
  };
  struct Place {
    MapReducePriority priority = MapReducePriority::map;
    std::string name;
    auto operator<=>(const Place&) const = default;
  };
  struct Entry {
    std::int32_t count = 0;
    bool opportunistic = false;  // as of the first request
  };
  struct PendingChanges {
    std::map<Key, std::int32_t> asks;
    std::set<ContainerId> releases;
    std::set<std::string> exclude;
    std::set<std::string> include;
  };

  void change(MapReducePriority priority, const std::string& name, std::int32_t by, bool opportunistic = false);
  void apply_limits();
  [[nodiscard]] bool must_ignore_exclusion() const;

  HostExclusionSettings exclusion_;
  std::map<MapReducePriority, Resource> resources_;
  std::map<Place, Entry> table_;
  PendingChanges next_changes_;  // changes for the next call
  PendingChanges sent_changes_;  // changes of the call that is not answered yet
  std::map<MapReducePriority, std::int32_t> limits_;
  std::set<MapReducePriority> limits_to_send_;
  std::set<ContainerId> unconfirmed_releases_;
  std::map<std::string, std::int32_t> failures_;
  std::set<std::string> excluded_;
  bool ignores_exclusion_ = false;
  std::size_t counted_excluded_ = 0;
  std::int32_t cluster_nodes_ = 0;
  std::int32_t cluster_nodes_before_ = 0;
  std::int32_t response_id_ = 0;
};

}  // namespace heddle::policies

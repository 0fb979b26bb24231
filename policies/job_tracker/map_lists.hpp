// Maps of a classic job by location: failed maps, maps that wait near a host, near a rack or anywhere, and running
// maps. Order: see classic_job.hpp. After Hadoop 1.2's JobInProgress.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>

#include "policies/job_tracker/task_lists.hpp"

namespace heddle::policies {

class MapLists {
public:
  /// Adds a waiting map to the lists of its hosts. Precondition: maps are added in the order of their numbers.
  void add(const ClassicTask& map, const ClassicCluster& cluster);
  void add_failed(const ClassicTask& map) { failed_.insert({-map.failures(), map.number()}); }
  void add_running(const ClassicTask& map, const ClassicCluster& cluster);
  void remove_running(const ClassicTask& map, const ClassicCluster& cluster);
  void drop_failed() { failed_.clear(); }

  /// Removes and returns a waiting map. With `near` only a failed map or one near the tracker; otherwise one far from
  /// it.
  [[nodiscard]] std::optional<std::int32_t> take(const TaskSearch& search, bool near);
  /// A running map that is too slow.
  [[nodiscard]] std::optional<std::int32_t> find_slow_map(const TaskSearch& search, double average);

private:
  using Waiting = std::map<std::int32_t, std::list<std::int32_t>>;
  static std::optional<std::int32_t> pop_listed(Waiting& lists, std::int32_t place, const TaskSearch& search,
                                                bool drop_failed_here);

  FailedFirst failed_;
  Waiting waiting_on_host_;
  Waiting waiting_on_rack_;
  std::list<std::int32_t> waiting_anywhere_;
  std::map<std::int32_t, OrderedTasks> running_on_host_;
  std::map<std::int32_t, OrderedTasks> running_on_rack_;
  OrderedTasks running_anywhere_;
};

}  // namespace heddle::policies

// Maps of a classic job by location: failed maps, maps that wait near a host, near a rack or anywhere, and running
// maps. Order: see classic_job.hpp. After Hadoop 1.2's JobInProgress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "policies/job_tracker/task_lists.hpp"

namespace heddle::policies {

class MapLists {
public:
  MapLists() = default;
  /// All maps wait, in the lists of their hosts.
  MapLists(const std::vector<ClassicTask>& maps, const ClassicCluster& cluster);
  void add_failed(const ClassicTask& map) { failed_.insert({-map.failures(), map.number()}); }
  void add_running(std::int32_t map);
  void remove_running(std::int32_t map);
  void drop_failed() { failed_.clear(); }

  /// Removes and returns a waiting map. With `near` only a failed map or one near the tracker; otherwise one far from
  /// it.
  [[nodiscard]] std::optional<std::int32_t> take(const TaskSearch& search, bool near);
  /// A running map that is too slow.
  [[nodiscard]] std::optional<std::int32_t> find_slow_map(const TaskSearch& search, double average);

private:
  static constexpr std::int32_t anywhere = 0;  // list of the maps without a location
  static constexpr std::int32_t none = -1;
  /// The lists of hosts, or of racks: one for each number, in ascending order.
  struct Lists {
    std::int32_t first = 0;  // list of numbers.front()
    std::vector<std::int32_t> numbers;
    [[nodiscard]] std::int32_t list_at(std::size_t position) const {
      return first + static_cast<std::int32_t>(position);
    }
    /// `none`: there is none of this host or rack.
    [[nodiscard]] std::int32_t find(std::int32_t number) const;
  };
  Lists add_lists(std::vector<std::int32_t> numbers);
  void add(const ClassicTask& map, const ClassicCluster& cluster);
  bool add_to(std::int32_t list, std::int32_t map);
  std::optional<std::int32_t> pop_far(std::int32_t list, const TaskSearch& search);

  FailedFirst failed_;
  Lists hosts_;
  Lists racks_;
  std::vector<WaitingTasks> waiting_;              // by list
  std::size_t far_entries_ = 0;                    // in the lists of racks, and of maps without a location
  RunningTasks running_;                           // the same lists
  std::vector<RunningTasks::Place> first_places_;  // in running_, by map; its other places follow
};

}  // namespace heddle::policies

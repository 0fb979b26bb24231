// Requests containers for the maps and reduces of one MapReduce job: requests, assignment, ramp-up of reduces,
// preemption, exclusion. Order: failed maps and reduces in the order of their requests; maps by host over the whole
// batch, then by rack, then any. Cost: a map request costs its hosts; an assignment is constant, except for stale
// entries of a host's list. After Hadoop's RMContainerAllocator.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.hpp"
#include "model/rack_table.hpp"
#include "model/resource_kind.hpp"
#include "model/resources.hpp"
#include "model/time.hpp"
#include "policies/map_reduce/held_containers.hpp"
#include "policies/map_reduce/map_reduce_events.hpp"
#include "policies/map_reduce/map_reduce_master_settings.hpp"
#include "policies/map_reduce/map_reduce_requests.hpp"
#include "policies/map_reduce/reduce_ramp_up.hpp"
#include "policies/map_reduce/waiting_attempts.hpp"

namespace heddle::policies {

class MapReduceAllocator {
public:
  MapReduceAllocator(MapReduceAllocatorSettings settings, RackTable racks);

  /// The answer to the registration: the largest container, and the resource kinds that the scheduler counts. Before
  /// it: 8192 MiB, 32 cores, only memory counts.
  void on_registered(const Resource& container_max, const ResourceKinds& counted);
  void on_map_request(Instant now, MapReduceAttempt attempt, Resource resource, std::vector<std::string> hosts,
                      bool earlier_failed, MapReduceEffects& effects);
  void on_reduce_request(MapReduceAttempt attempt, Resource resource, bool earlier_failed, MapReduceEffects& effects);
  void on_deallocate(MapReduceAttempt attempt);
  void on_attempt_failed(const std::string& host);
  void on_job_progress(std::int32_t completed_maps, std::int32_t completed_reduces);
  void on_attempt_progress(MapReduceAttempt attempt, float progress);

  [[nodiscard]] MapReduceCall next_call();
  void on_answer(Instant now, const MapReduceAnswer& answer, MapReduceEffects& effects);
  void on_call_failed() { requests_.on_call_failed(); }
  void on_not_registered(Instant now, MapReduceEffects& effects);

  [[nodiscard]] MapReduceCounts counts() const;
  [[nodiscard]] HostExclusion exclusion() const { return requests_.exclusion(); }
  /// What the ramp-up of reduces would be decided by now.
  [[nodiscard]] ReduceScheduleInput reduce_input() const;
  /// The next instant at which time alone changes a decision: a map has waited long enough to preempt a reduce.
  [[nodiscard]] std::optional<Instant> next_due() const;
  [[nodiscard]] MapReduceRefusal explain(MapReduceAttempt attempt) const;
  void check_invariants() const;

private:
  /// Resource name of any host.
  static constexpr std::string_view anywhere = "*";
  using AttemptLists = std::map<std::string, std::deque<MapReduceAttempt>, std::less<>>;
  /// Waiting maps by location. A map that got a container through another list stays until it is found.
  struct ListedMaps {
    std::deque<MapReduceAttempt> failed;
    AttemptLists of_host;
    AttemptLists of_rack;
    bool location_is_irrelevant = false;
  };
  /// Completed tasks of the job.
  struct Completed {
    std::int32_t maps = 0;
    std::int32_t tasks = 0;
    std::int32_t tasks_seen = 0;  // completed tasks when reduces were scheduled last
  };

  void schedule_map(Instant now, MapReduceAttempt attempt, std::vector<std::string> hosts, bool earlier_failed);
  void list_map(const AttemptRequest& request);
  void schedule_reduce(AttemptRequest request);
  void apply_task_limits();
  void on_updated_nodes(const std::vector<NodeUpdate>& nodes, MapReduceEffects& effects);
  void kill_on(const std::set<std::string>& hosts, const HeldContainers::Assigned& attempts, bool reschedule,
               MapReduceEffects& effects);
  void complete(const CompletedContainer& completed, MapReduceEffects& effects);
  void update_reduces(Instant now, MapReduceEffects& effects);
  bool preempt(Instant now, MapReduceEffects& effects);
  void ramp_down(std::int32_t count);
  void forget(MapReduceAttempt attempt);

  // -- assignment (map_reduce_assignment.cpp) ----------------------------------------
  void assign(Instant now, std::vector<MapReduceGrant> batch, MapReduceEffects& effects);
  [[nodiscard]] bool is_wanted(const MapReduceGrant& grant, std::int32_t& reduces_left) const;
  void replace_request(Instant now, const MapReduceGrant& grant);
  [[nodiscard]] std::optional<AttemptRequest> remove_request_to_replace(const MapReduceGrant& grant);
  bool assign_without_locality(const MapReduceGrant& grant, MapReduceEffects& effects);
  void assign_listed(std::vector<MapReduceGrant>& batch, AttemptLists& lists, MapPlace place,
                     MapReduceEffects& effects);
  void assign_any(std::vector<MapReduceGrant>& batch, MapReduceEffects& effects);
  void give(const MapReduceGrant& grant, const AttemptRequest& request, MapPlace place, MapReduceEffects& effects);
  /// Sends requests like the one for this container again, unless it was for `request`.
  void repeat_displaced(const MapReduceGrant& grant, const AttemptRequest& request);
  [[nodiscard]] bool can_assign_map() const;
  [[nodiscard]] bool can_assign_reduce() const;

  MapReduceAllocatorSettings settings_;
  RackTable racks_;
  MapReduceRequests requests_;
  Resource container_max_{8192, 32};
  bool counts_cores_ = false;
  Resource map_resource_;
  Resource reduce_resource_;
  Resource headroom_;
  WaitingAttempts maps_;
  WaitingAttempts reduces_;
  std::deque<AttemptRequest> pending_reduces_;
  ListedMaps listed_;
  std::int32_t map_requests_ = 0;  // modulo 100
  HeldContainers held_;
  std::set<MapReduceAttempt> preempting_;
  std::map<MapReduceAttempt, float> progress_;
  Completed completed_;
  bool reduce_started_ = false;
  bool schedule_is_due_ = false;
};

}  // namespace heddle::policies

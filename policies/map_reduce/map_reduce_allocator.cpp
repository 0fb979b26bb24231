#include "policies/map_reduce/map_reduce_allocator.hpp"

#include <algorithm>
#include <utility>

#include "model/assert.hpp"
#include "model/container_end.hpp"
#include "model/java_number.hpp"

namespace heddle::policies {
namespace {

bool exceeds(const Resource& wanted, const Resource& most) { return !fits_in(wanted, most); }

}  // namespace

// -- inputs ---------------------------------------------------------------------

MapReduceAllocator::MapReduceAllocator(MapReduceAllocatorSettings settings, RackTable racks)
    : settings_{std::move(settings)}, racks_{std::move(racks)}, requests_{settings_.exclusion} {}

void MapReduceAllocator::on_registered(const Resource& container_max, const ResourceKinds& counted) {
  container_max_ = container_max;
  counts_cores_ = std::find(counted.begin(), counted.end(), ResourceKind::cores) != counted.end();
}

void MapReduceAllocator::on_map_request(Instant now, MapReduceAttempt attempt, Resource resource,
                                        std::vector<std::string> hosts, bool earlier_failed,
                                        MapReduceEffects& effects) {
  schedule_is_due_ = true;
  if (map_resource_ == Resource{}) {
    map_resource_ = resource;
    for (const auto priority :
         {MapReducePriority::failed_map, MapReducePriority::opportunistic_map, MapReducePriority::map})
      requests_.set_resource(priority, resource);
  }
  if (exceeds(map_resource_, container_max_)) {
    effects.push_back(KillJob{false, map_resource_, container_max_});
    return;
  }
  schedule_map(now, attempt, std::move(hosts), earlier_failed);
}

void MapReduceAllocator::schedule_map(Instant now, MapReduceAttempt attempt, std::vector<std::string> hosts,
                                      bool earlier_failed) {
  AttemptRequest request{attempt, std::move(hosts), {}, MapReducePriority::map, now};
  if (earlier_failed) {
    request.priority = MapReducePriority::failed_map;
    request.hosts.clear();
    listed_.failed.push_back(attempt);
  } else {
    for (const auto& host : request.hosts) {
      std::string rack{racks_.rack_of(host)};
      if (std::find(request.racks.begin(), request.racks.end(), rack) == request.racks.end())
        request.racks.push_back(std::move(rack));
    }
    const bool opportunistic = map_requests_ < settings_.opportunistic_maps_percent;
    map_requests_ = (map_requests_ + 1) % 100;
    if (opportunistic) {
      request.priority = MapReducePriority::opportunistic_map;
    } else {
      list_map(request);
    }
  }
  if (request.priority == MapReducePriority::opportunistic_map) requests_.add_opportunistic(request.priority);
  else requests_.add(request.priority, request.hosts, request.racks);
  maps_.put(std::move(request));
}

void MapReduceAllocator::list_map(const AttemptRequest& request) {
  for (const auto& host : request.hosts) {
    listed_.location_is_irrelevant = listed_.location_is_irrelevant || host == anywhere;
    listed_.of_host[host].push_back(request.attempt);
  }
  for (const auto& rack : request.racks) listed_.of_rack[rack].push_back(request.attempt);
}

void MapReduceAllocator::on_reduce_request(MapReduceAttempt attempt, Resource resource, bool earlier_failed,
                                           MapReduceEffects& effects) {
  schedule_is_due_ = true;
  if (reduce_resource_ == Resource{}) {
    reduce_resource_ = resource;
    requests_.set_resource(MapReducePriority::reduce, resource);
  }
  if (exceeds(reduce_resource_, container_max_)) {
    effects.push_back(KillJob{true, reduce_resource_, container_max_});
    return;
  }
  AttemptRequest request{attempt, {}, {}, MapReducePriority::reduce, Instant{}};
  if (earlier_failed) pending_reduces_.push_front(std::move(request));
  else pending_reduces_.push_back(std::move(request));
}

void MapReduceAllocator::on_deallocate(MapReduceAttempt attempt) {
  schedule_is_due_ = true;
  if (const auto request = (attempt.is_reduce ? reduces_ : maps_).take(attempt)) {
    requests_.remove(request->priority, request->hosts, request->racks);
    return;
  }
  const auto is_it = [attempt](const AttemptRequest& request) { return request.attempt == attempt; };
  if (settings_.mends_requests && std::erase_if(pending_reduces_, is_it) > 0) return;
  const HeldContainers::Holding* held = held_.find(attempt);
  if (held == nullptr) return;
  requests_.release(held->container);
  forget(attempt);
}

void MapReduceAllocator::on_attempt_failed(const std::string& host) {
  schedule_is_due_ = true;
  requests_.on_failure(host);
}

void MapReduceAllocator::on_job_progress(std::int32_t completed_maps, std::int32_t completed_reduces) {
  completed_.maps = completed_maps;
  completed_.tasks = completed_maps + completed_reduces;
}

void MapReduceAllocator::on_attempt_progress(MapReduceAttempt attempt, float progress) {
  progress_[attempt] = progress;
}

// -- calls ----------------------------------------------------------------------

MapReduceCall MapReduceAllocator::next_call() {
  apply_task_limits();
  return requests_.next_call();
}

void MapReduceAllocator::apply_task_limits() {
  if (settings_.running_map_limit > 0 && maps_.size() > 0 && settings_.total_maps > settings_.running_map_limit) {
    const auto failed = static_cast<std::int32_t>(listed_.failed.size());
    const std::int32_t most = std::max(0, settings_.running_map_limit - held_.maps().size());
    const std::int32_t most_failed = std::min(most, failed);
    const std::int32_t most_normal = std::min(most - most_failed, maps_.size() - failed);
    requests_.set_limit(MapReducePriority::failed_map, most_failed);
    requests_.set_limit(MapReducePriority::map, most_normal);
    requests_.set_limit(MapReducePriority::opportunistic_map, most_normal);
  }
  if (settings_.running_reduce_limit > 0 && reduces_.size() > 0 &&
      settings_.total_reduces > settings_.running_reduce_limit) {
    const std::int32_t most = std::max(0, settings_.running_reduce_limit - held_.reduces().size());
    requests_.set_limit(MapReducePriority::reduce, std::min(most, reduces_.size()));
  }
}

void MapReduceAllocator::on_answer(Instant now, const MapReduceAnswer& answer, MapReduceEffects& effects) {
  requests_.on_answer(answer.response_id, answer.cluster_nodes, !answer.completed.empty());
  if (!answer.granted.empty() || !answer.completed.empty() || headroom_ != answer.headroom) schedule_is_due_ = true;
  headroom_ = answer.headroom;
  requests_.update_ignoring();
  on_updated_nodes(answer.updated_nodes, effects);
  for (const auto& end : answer.completed) complete(end, effects);
  if (!answer.granted.empty()) assign(now, answer.granted, effects);
  update_reduces(now, effects);
}

void MapReduceAllocator::on_not_registered(Instant now, MapReduceEffects& effects) {
  requests_.on_not_registered();
  update_reduces(now, effects);
}

void MapReduceAllocator::on_updated_nodes(const std::vector<NodeUpdate>& nodes, MapReduceEffects& effects) {
  if (nodes.empty()) return;
  effects.push_back(NotifyUpdatedNodes{});
  std::set<std::string> unusable;
  for (const auto& node : nodes)
    if (!is_usable(node.condition)) unusable.insert(node.host);
  kill_on(unusable, held_.maps(), true, effects);
  kill_on(unusable, held_.reduces(), false, effects);
}

void MapReduceAllocator::kill_on(const std::set<std::string>& hosts, const HeldContainers::Assigned& attempts,
                                 bool reschedule, MapReduceEffects& effects) {
  if (hosts.empty()) return;
  for (const auto& [number, attempt] : attempts.in_order)
    if (hosts.contains(held_.find(attempt)->host))
      effects.push_back(KillMapReduceAttempt{attempt, AttemptKillReason::unusable_node, reschedule});
}

void MapReduceAllocator::complete(const CompletedContainer& completed, MapReduceEffects& effects) {
  const MapReduceAttempt* held = held_.find(completed.container);
  if (held == nullptr) return;
  const MapReduceAttempt attempt = *held;
  requests_.on_completed(completed.container);
  forget(attempt);
  const std::int32_t status = completed.end.exit_status;
  const bool killed = status == container_exit_status::aborted || status == container_exit_status::preempted ||
                      status == container_exit_status::killed_by_container_scheduler;
  effects.push_back(NotifyContainerEnded{attempt, killed});
}

void MapReduceAllocator::forget(MapReduceAttempt attempt) {
  held_.forget(attempt);
  preempting_.erase(attempt);
}

// -- reduces --------------------------------------------------------------------

ReduceScheduleInput MapReduceAllocator::reduce_input() const {
  ReduceScheduleInput input;
  ReduceLoad& load = input.load;
  load.map = map_resource_;
  load.reduce = reduce_resource_;
  load.headroom = headroom_;
  load.scheduled_maps = maps_.size();
  load.assigned_maps = held_.maps().size();
  load.scheduled_reduces = reduces_.size();
  load.assigned_reduces = held_.reduces().size();
  load.schedule_cores = counts_cores_;
  input.total_maps = settings_.total_maps;
  input.completed_maps = completed_.maps;
  input.pending_reduces = static_cast<std::int32_t>(pending_reduces_.size());
  input.ramp_up_limit = settings_.ramp_up_limit;
  input.slow_start = settings_.slow_start;
  input.is_started = reduce_started_;
  return input;
}

void MapReduceAllocator::update_reduces(Instant now, MapReduceEffects& effects) {
  if (completed_.tasks_seen != completed_.tasks || maps_.size() > 0) schedule_is_due_ = true;
  completed_.tasks_seen = completed_.tasks;
  if (!std::exchange(schedule_is_due_, false) || preempt(now, effects)) return;
  const ReduceScheduleInput input = reduce_input();
  const ReduceSchedule schedule = schedule_reduces(input);
  reduce_started_ = schedule.is_started;
  const std::int32_t up = schedule.schedule_all ? input.pending_reduces : schedule.ramp_up;
  for (std::int32_t i = 0; i < up; ++i) {
    schedule_reduce(std::move(pending_reduces_.front()));
    pending_reduces_.pop_front();
  }
  ramp_down(schedule.ramp_down);
}

void MapReduceAllocator::schedule_reduce(AttemptRequest request) {
  requests_.add(request.priority, request.hosts, request.racks);
  reduces_.put(std::move(request));
}

void MapReduceAllocator::ramp_down(std::int32_t count) {
  for (; count > 0 && reduces_.size() > 0; --count) {
    auto request = reduces_.take(reduces_.first()->attempt);
    requests_.remove(request->priority, request->hosts, request->racks);
    pending_reduces_.push_back(*std::move(request));
  }
}

bool MapReduceAllocator::preempt(Instant now, MapReduceEffects& effects) {
  if (reduce_resource_ == Resource{} || held_.maps().size() > 0 || maps_.size() == 0) return false;
  std::vector<Duration> waits;
  for (const auto& [number, request] : maps_.in_order()) waits.push_back(now - request.made);
  ReducePreemptionInput input;
  input.load = reduce_input().load;
  input.map_waits = waits;
  input.delay_sec = settings_.preempt_delay_sec;
  input.unconditional_delay_sec = settings_.unconditional_preempt_delay_sec;
  input.preemption_limit = settings_.preemption_limit;
  const ReducePreemption preemption = preempt_reduces(input);
  if (!preemption.is_due) return false;
  ramp_down(reduces_.size());
  std::vector<MapReduceAttempt> running;
  std::vector<float> progress;
  for (const auto& [number, attempt] : held_.reduces().in_order) {
    const auto row = progress_.find(attempt);
    running.push_back(attempt);
    progress.push_back(row == progress_.end() ? 0.0F : row->second);
  }
  for (const std::int32_t victim : choose_reduce_victims(progress, preemption.reduces)) {
    const MapReduceAttempt attempt = running[static_cast<std::size_t>(victim)];
    preempting_.insert(attempt);
    effects.push_back(KillMapReduceAttempt{attempt, AttemptKillReason::ramp_down, false});
  }
  return true;
}

// -- questions ------------------------------------------------------------------

MapReduceCounts MapReduceAllocator::counts() const {
  MapReduceCounts counts;
  counts.pending_reduces = static_cast<std::int32_t>(pending_reduces_.size());
  counts.scheduled_maps = maps_.size();
  counts.scheduled_reduces = reduces_.size();
  counts.assigned_maps = held_.maps().size();
  counts.assigned_reduces = held_.reduces().size();
  counts.preempting = static_cast<std::int32_t>(preempting_.size());
  counts.reduce_started = reduce_started_;
  return counts;
}

std::optional<Instant> MapReduceAllocator::next_due() const {
  if (reduce_resource_ == Resource{} || held_.maps().size() > 0 || maps_.size() == 0) return std::nullopt;
  std::int32_t delay_sec = std::max(0, settings_.preempt_delay_sec);
  if (settings_.unconditional_preempt_delay_sec >= 0)
    delay_sec = std::min(delay_sec, settings_.unconditional_preempt_delay_sec);
  Instant oldest = maps_.first()->made;
  for (const auto& [number, request] : maps_.in_order()) oldest = std::min(oldest, request.made);
  return oldest + std::chrono::seconds{delay_sec} + std::chrono::milliseconds{1};
}

MapReduceRefusal MapReduceAllocator::explain(MapReduceAttempt attempt) const {
  if (held_.find(attempt) != nullptr) return MapReduceRefusal::has_container;
  if (maps_.find(attempt) != nullptr || reduces_.find(attempt) != nullptr) return MapReduceRefusal::waits_for_container;
  const auto is_it = [attempt](const AttemptRequest& request) { return request.attempt == attempt; };
  if (std::none_of(pending_reduces_.begin(), pending_reduces_.end(), is_it)) return MapReduceRefusal::unknown;
  return reduce_started_ ? MapReduceRefusal::waits_for_maps : MapReduceRefusal::waits_for_slow_start;
}

void MapReduceAllocator::check_invariants() const {
  requests_.check_invariants();
  held_.check_invariants();
  for (const auto& row : held_.all())
    HEDDLE_ASSERT(maps_.find(row.first) == nullptr && reduces_.find(row.first) == nullptr,
                  "an attempt with a container has a request");
  for (const auto attempt : preempting_)
    HEDDLE_ASSERT(held_.find(attempt) != nullptr, "a preempted reduce without container");
}

}  // namespace heddle::policies

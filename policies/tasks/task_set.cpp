#include "policies/tasks/task_set.hpp"

#include <algorithm>

#include "model/assert.hpp"
#include "model/large_table.hpp"

namespace heddle::policies {
namespace {

const std::string name_start = "TaskSet_";

DescriptionFault fault_of(std::int64_t bytes, std::int64_t most) {
  if (bytes < 0) return DescriptionFault::missing;
  if (most > 0 && bytes >= most) return DescriptionFault::too_large;
  return bytes > description_bytes_recommended ? DescriptionFault::large : DescriptionFault::none;
}

}  // namespace

bool LocalityLevels::contains(LocalityLevel wanted) const {
  return std::find(level.begin(), level.begin() + static_cast<std::ptrdiff_t>(count), wanted) !=
         level.begin() + static_cast<std::ptrdiff_t>(count);
}

std::size_t LocalityLevels::place_of(LocalityLevel wanted) const {
  std::size_t place = 0;
  while (wanted > level[place]) ++place;
  return place;
}

TaskSet::TaskSet(Instant now, const TaskSetDescription& description, const TaskSchedulerSettings& settings,
                 const ExecutorDirectory& directory, const LocalityHistory& history)
    : key{description.key},
      tasks{description.tasks},
      cores{description.task_cores > 0 ? description.task_cores : settings.task_cores},
      kind{description.kind},
      is_barrier{description.is_barrier},
      description_fault{fault_of(description.description_bytes, settings.description_bytes_max)},
      states_(static_cast<std::size_t>(description.tasks)),
      places_{description.places},
      waits_{settings.wait_process, settings.wait_node, settings.wait_rack},
      waiting_since_{now},
      job{description.job},
      name{name_start + std::to_string(description.key.stage.value) + "." + std::to_string(description.key.attempt)},
      need{description.need} {
  name_key = name_key_of(std::string_view{name}.substr(name_start.size()));
  HEDDLE_ASSERT(description.tasks >= 0, name);
  if (settings.exclusion) exclusion.emplace(*settings.exclusion);
  progress.key = key;
  progress.tasks = tasks;
  set_partitions(description);
  fill(directory);
  if (settings.adaptive) {
    payoff_.emplace(*settings.adaptive, history, tasks, description.expected_shares);
    fill_payoff();
  }
  levels_ = valid_levels(directory);
}

// -- numbers -------------------------------------------------------------------

void TaskSet::set_partitions(const TaskSetDescription& description) {
  const auto& ranges = description.partitions;
  const bool is_plain = ranges.empty() || (ranges.size() == 1 && ranges.front() == IndexRange{0, tasks});
  if (is_plain) return;
  std::int32_t first_index = 0;
  for (const IndexRange& range : ranges) {
    by_index_.push_back({range, first_index});
    first_index += range.count;
  }
  HEDDLE_ASSERT(first_index == tasks, name + ": partitions do not make up the tasks");
  by_partition_ = by_index_;
  std::stable_sort(by_partition_.begin(), by_partition_.end(),
                   [](const Partitions& a, const Partitions& b) { return a.range.first < b.range.first; });
}

std::int32_t TaskSet::partition_of(std::int32_t index) const {
  if (by_index_.empty()) return index;
  const auto after =
      std::upper_bound(by_index_.begin(), by_index_.end(), index,
                       [](std::int32_t wanted, const Partitions& row) { return wanted < row.first_index; });
  const Partitions& row = *std::prev(after);
  return row.range.first + (index - row.first_index);
}

std::int32_t TaskSet::index_of(std::int32_t partition) const {
  if (by_index_.empty()) return partition >= 0 && partition < tasks ? partition : -1;
  const auto after =
      std::upper_bound(by_partition_.begin(), by_partition_.end(), partition,
                       [](std::int32_t wanted, const Partitions& row) { return wanted < row.range.first; });
  if (after == by_partition_.begin()) return -1;
  const Partitions& row = *std::prev(after);
  const std::int32_t offset = partition - row.range.first;
  return offset < row.range.count ? row.first_index + offset : -1;
}

std::int32_t TaskSet::count_successful() const {
  return static_cast<std::int32_t>(
      std::count_if(states_.begin(), states_.end(), [](const TaskState& state) { return state.is_successful; }));
}

template <class Visit>
void TaskSet::for_each_downwards(Visit visit) const {
  if (by_index_.empty()) {
    for (std::int32_t index = tasks; index-- > 0;) visit(index, places_.of(static_cast<std::size_t>(index), index));
    return;
  }
  for (auto row = by_index_.rbegin(); row != by_index_.rend(); ++row)
    for (std::int32_t offset = row->range.count; offset-- > 0;) {
      const std::int32_t index = row->first_index + offset;
      visit(index, places_.of(static_cast<std::size_t>(index), row->range.first + offset));
    }
}

template <class Visit>
void TaskSet::for_each_upwards(Visit visit) const {
  if (by_index_.empty()) {
    for (std::int32_t index = 0; index < tasks; ++index)
      visit(index, places_.of(static_cast<std::size_t>(index), index));
    return;
  }
  for (const Partitions& row : by_index_)
    for (std::int32_t offset = 0; offset < row.range.count; ++offset) {
      const std::int32_t index = row.first_index + offset;
      visit(index, places_.of(static_cast<std::size_t>(index), row.range.first + offset));
    }
}

// -- pending lists -------------------------------------------------------------

void TaskSet::fill(const ExecutorDirectory& directory) {
  pending_.all = PendingList::all_below(tasks);
  if (!places_.lists || places_.lists->is_blank()) {
    pending_.without_preference = PendingList::all_below(tasks);
    return;
  }
  fill_executors_and_none(directory);
  fill_hosts(directory);
  fill_racks(directory);
}

void TaskSet::fill_executors_and_none(const ExecutorDirectory& directory) {
  for_each_downwards([&](std::int32_t index, std::span<const TaskPlace> places) {
    if (places.empty()) pending_.without_preference.push(index);
    for (const TaskPlace& place : places) {
      if (place.kind == TaskPlace::Kind::host) continue;
      if (place.kind == TaskPlace::Kind::cached_on_host) {
        fill_cached(index, place.host, pending_, directory);
        continue;
      }
      const auto executor = static_cast<std::int32_t>(place.executor.value);
      pending_.by_executor.of(executor, directory.name_hash_of(executor)).push(index);
    }
  });
}

void TaskSet::fill_cached(std::int32_t index, HostId host, PendingTasks& lists, const ExecutorDirectory& directory) {
  const ExecutorDirectory::Host* record = directory.find_host(host);
  if (record == nullptr) return;
  for (const std::int32_t executor : record->executors)
    if (!directory.executors()[static_cast<std::size_t>(executor)].is_decommissioned)
      lists.by_executor.of(executor, directory.name_hash_of(executor)).push(index);
}

void TaskSet::fill_hosts(const ExecutorDirectory& directory) {
  // Counted first, so that all lists lie in one array; a host's list is made when the walk from the last task first
  // meets it.
  std::vector<std::int32_t> count;
  std::vector<HostId> met;
  for_each_downwards([&](std::int32_t, std::span<const TaskPlace> places) {
    for (const TaskPlace& place : places) {
      const auto host = static_cast<std::size_t>(place.host.value);
      if (host >= count.size()) count.resize(std::max(host + 1, count.size() * 2), 0);
      if (count[host]++ == 0) met.push_back(place.host);
    }
  });
  std::vector<std::int32_t> cursor(count.size(), 0);
  std::int32_t total = 0;
  for (const HostId host : met) {
    const auto at = static_cast<std::size_t>(host.value);
    cursor[at] = total;
    pending_.by_host.of(host.value, directory.name_hash_of(host)).put({total, total + count[at]});
    total += count[at];
  }
  pending_.store.resize(static_cast<std::size_t>(total));
  for_each_upwards([&](std::int32_t index, std::span<const TaskPlace> places) {
    for (const TaskPlace& place : places)
      pending_.store[static_cast<std::size_t>(cursor[static_cast<std::size_t>(place.host.value)]++)] = index;
  });
}

void TaskSet::fill_racks(const ExecutorDirectory& directory) {
  // A rack's list is the lists of its hosts, one after another in the walk's order; it shares their store.
  pending_.by_host.any_list([&](std::int32_t host, const PendingList& list) {
    const std::int32_t rack = directory.rack_of(HostId{host});
    if (rack >= 0) pending_.by_rack.of(rack, directory.rack(rack).name_hash).put(list.filled());
    return false;
  });
}

void TaskSet::fill_payoff() {
  for (std::int32_t index = 0; index < tasks; ++index)
    if (!places_of(index).empty()) payoff_->on_waiting(index);
}

void TaskSet::note_taken(Instant now, const Dequeued& task) {
  if (!payoff_ || task.speculative) return;
  payoff_->on_taken(task.index);
  if (task.source == PendingSource::executor || task.source == PendingSource::host) waiting_since_ = now;
}

void TaskSet::add_pending(std::int32_t index, bool speculative, const ExecutorDirectory& directory) {
  if (is_zombie) return;
  PendingTasks& lists = speculative ? speculative_ : pending_;
  const std::span<const TaskPlace> places = places_.of(static_cast<std::size_t>(index), partition_of(index));
  if (payoff_ && !speculative && !places.empty()) payoff_->on_waiting(index);
  for (const TaskPlace& place : places) {
    if (place.kind == TaskPlace::Kind::executor) {
      const auto executor = static_cast<std::int32_t>(place.executor.value);
      lists.by_executor.of(executor, directory.name_hash_of(executor)).push(index);
    } else if (place.kind == TaskPlace::Kind::cached_on_host) {
      fill_cached(index, place.host, lists, directory);
    }
    lists.by_host.of(place.host.value, directory.name_hash_of(place.host)).push(index);
    const std::int32_t rack = directory.rack_of(place.host);
    if (rack >= 0) lists.by_rack.of(rack, directory.rack(rack).name_hash).push(index);
  }
  if (places.empty()) lists.without_preference.push(index);
  lists.all.push(index);
}

bool TaskSet::is_excluded_at(std::int32_t index, const OfferPlace& place) const {
  return exclusion->excludes(place.host, index) || exclusion->excludes(place.executor, index);
}

void TaskSet::note_succeeded_on(std::int32_t index, HostId host) {
  // A stale wish for a copy stays in the lists of the host where the task has succeeded, and keeps the set schedulable.
  if (ever_speculatable_.contains(index)) note_failed_on(index, host);
  if (kind != TaskSetKind::map) return;
  if (succeeded_on_.empty()) succeeded_on_.resize(states_.size());
  succeeded_on_[static_cast<std::size_t>(index)] = host;
}

void TaskSet::note_output_lost(std::int32_t index) {
  if (succeeded_on_.empty()) return;
  HostId& host = succeeded_on_[static_cast<std::size_t>(index)];
  if (!host.is_none()) note_failed_on(index, host);
  host = HostId{};
}

bool TaskSet::was_tried_on(std::int32_t index, HostId host, const AttemptTable& attempts) const {
  for (AttemptSlot slot = task(index).first_live; slot != no_attempt; slot = attempts.at(slot).next_of_task)
    if (attempts.at(slot).host == host) return true;
  const auto row = hosts_tried_.find(index);
  return row != hosts_tried_.end() && std::find(row->second.begin(), row->second.end(), host) != row->second.end();
}

std::optional<std::int32_t> TaskSet::take(PendingList& list, const PendingTasks& lists, const OfferPlace& place,
                                          const AttemptTable& attempts, bool speculative) {
  const bool may_be_excluded = exclusion && exclusion->excludes_anything();
  std::vector<std::int32_t> skipped;  // stay on top, in their order
  std::optional<std::int32_t> taken;
  while (!taken && !list.empty()) {
    const std::int32_t index = list.top(lists.store);
    list.pop();
    if ((may_be_excluded && is_excluded_at(index, place)) ||
        (speculative && was_tried_on(index, place.host, attempts))) {
      skipped.push_back(index);
      continue;
    }
    const TaskState& state = task(index);
    if (is_barrier && placed.contains(index)) continue;
    if (!state.is_successful && (state.copies == 0 || (speculative && state.copies == 1))) taken = index;
  }
  for (auto i = skipped.size(); i-- > 0;) list.push(skipped[i]);
  return taken;
}

PendingList* TaskSet::list_of(PendingSource source, const OfferPlace& place, PendingTasks& lists) {
  switch (source) {
    case PendingSource::executor: return lists.by_executor.find(place.executor);
    case PendingSource::host: return lists.by_host.find(place.host.value);
    case PendingSource::without_preference: return &lists.without_preference;
    case PendingSource::rack: return place.rack < 0 ? nullptr : lists.by_rack.find(place.rack);
    case PendingSource::all: return &lists.all;
  }
  return nullptr;
}

std::optional<TaskSet::Dequeued> TaskSet::dequeue(const OfferPlace& place, LocalityLevel allowed,
                                                  const AttemptTable& attempts) {
  constexpr std::array sources{PendingSource::executor, PendingSource::host, PendingSource::without_preference,
                               PendingSource::rack, PendingSource::all};
  for (const bool speculative : {false, true}) {
    if (speculative && speculatable_.empty()) break;
    PendingTasks& lists = speculative ? speculative_ : pending_;
    // The sources stand in the order of the levels.
    for (std::size_t i = 0; i <= static_cast<std::size_t>(allowed); ++i) {
      PendingList* list = list_of(sources[i], place, lists);
      if (list == nullptr || list->empty()) continue;
      if (payoff_ && !speculative && sources[i] == PendingSource::all)
        if (const auto index = take_far(place, attempts)) return Dequeued{*index, PendingSource::all, false};
      const auto index = take(*list, lists, place, attempts, speculative);
      if (!index) continue;
      if (speculative) speculatable_.erase(*index);
      return Dequeued{*index, sources[i], speculative};
    }
  }
  return std::nullopt;
}

void TaskSet::fetch_entry(const OfferPlace& place) {
  if (const PendingList* list = pending_.by_host.find(place.host.value)) fetch_ahead(list->next_in(pending_.store));
}

void TaskSet::fetch_state(const OfferPlace& place) {
  const PendingList* list = pending_.by_host.find(place.host.value);
  if (const std::int32_t* entry = list == nullptr ? nullptr : list->next_in(pending_.store)) fetch_ahead(&task(*entry));
}

std::optional<std::int32_t> TaskSet::take_far(const OfferPlace& place, const AttemptTable& attempts) {
  const HostId source = payoff_->far_source();
  PendingList* list = source.is_none() ? nullptr : pending_.by_host.find(source.value);
  return list == nullptr ? std::nullopt : take(*list, pending_, place, attempts, false);
}

std::optional<std::int32_t> TaskSet::dequeue_from(PendingSource source, const OfferPlace& place,
                                                  const AttemptTable& attempts) {
  PendingList* list = list_of(source, place, pending_);
  return list == nullptr ? std::nullopt : take(*list, pending_, place, attempts, false);
}

std::int32_t TaskSet::count(std::uint8_t& few, std::map<std::int32_t, std::int32_t>& counts, std::int32_t index) {
  if (few == many) return counts[index]++;
  const std::int32_t before = few++;
  if (few == many) counts[index] = many;
  return before;
}

void TaskSet::forget_failures(std::int32_t index) {
  auto& few = task(index).few_failures;
  if (few == many) many_failures_.erase(index);
  few = 0;
}

void TaskSet::release() {
  places_ = {};
  by_index_ = by_partition_ = {};
  states_ = {};
  many_attempts_.clear();
  many_failures_.clear();
  pending_ = {};
  speculative_ = {};
  speculatable_.clear();
  ever_speculatable_.clear();
  placed.reset(0);
  hosts_tried_.clear();
  succeeded_on_ = {};
  rates_.clear();
  moved_to_.clear();
  ended_on_lost.clear();
  need.reset();
  exclusion.reset();
  payoff_.reset();
}

bool TaskSet::has_waiting() const {
  if (last_waiting() >= 0) return true;
  return speculative_.all.any(
      speculative_.store, [&](std::int32_t index) { return !task(index).is_successful && task(index).copies == 1; });
}

std::int32_t TaskSet::last_waiting() const {
  std::int32_t found = -1;
  pending_.all.any(pending_.store, [&](std::int32_t index) {
    if (!is_waiting(index)) return false;
    found = index;
    return true;
  });
  return found;
}

}  // namespace heddle::policies

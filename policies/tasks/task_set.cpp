#include "policies/tasks/task_set.hpp"

#include "model/assert.hpp"
#include "model/large_table.hpp"

namespace heddle::policies {
namespace {

const std::string name_start = "TaskSet_";

TaskBinaryError fault_of(std::int64_t bytes, std::int64_t most) {
  if (bytes < 0) return TaskBinaryError::missing;
  if (most > 0 && bytes >= most) return TaskBinaryError::too_large;
  return bytes > task_binary_bytes_recommended ? TaskBinaryError::large : TaskBinaryError::none;
}

std::string name_of(TaskSetKey key) {
  return name_start + std::to_string(key.stage.value) + "." + std::to_string(key.attempt);
}

}  // namespace

TaskSet::TaskSet(Instant now, const TaskSetDescription& description, const TaskSchedulerSettings& settings,
                 const ExecutorDirectory& directory, const LocalityHistory& history)
    : key{description.key},
      tasks{description.tasks},
      cores{description.task_cores > 0 ? description.task_cores : settings.task_cores},
      kind{description.kind},
      partitions{description.partitions, description.tasks, name_of(description.key)},
      states{description.tasks},
      places{description.places},
      waits{now, settings},
      origin{description.job, name_of(description.key)},
      need{description.need} {
  HEDDLE_ASSERT(description.tasks >= 0, origin.name);
  flags.is_barrier = description.is_barrier;
  flags.task_binary_error = fault_of(description.task_binary_bytes, settings.task_binary_bytes_max);
  standing.name_key = name_key_of(std::string_view{origin.name}.substr(name_start.size()));
  if (settings.exclusion) exclusion.emplace(*settings.exclusion);
  progress.key = key;
  progress.tasks = tasks;
  pending.fill(partitions, places, directory);
  if (settings.adaptive) {
    LocalityPayoff& payoff =
        waits.adapt(LocalityPayoff{*settings.adaptive, history, tasks, description.expected_shares});
    for (std::int32_t index = 0; index < tasks; ++index)
      if (!places_of(index).empty()) payoff.on_waiting(index);
  }
  waits.begin(pending, directory);
}

// -- locality ------------------------------------------------------------------

LocalityLevel TaskSet::allowed_level(Instant now, LocalityLevel wanted, const ExecutorDirectory& directory) {
  if (waits.payoff() == nullptr) return waits.allowed_level(now, pending, states);
  // Local tasks need no wait.
  if (wanted <= LocalityLevel::no_pref) return wanted;
  return waits.adaptive_level(now, pending, states, directory, [this](std::int32_t index) { return places_of(index); });
}

void TaskSet::record_dequeue(Instant now, const Dequeued& task) {
  LocalityPayoff* payoff = waits.payoff();
  if (payoff == nullptr || task.speculative) return;
  payoff->on_taken(task.index);
  if (task.source == PendingSource::executor || task.source == PendingSource::host) waits.restart(now);
}

void TaskSet::record_success(LocalityLevel level, std::int32_t index, Duration time, LocalityHistory& history) {
  LocalityPayoff* payoff = waits.payoff();
  if (payoff == nullptr) return;
  payoff->on_success(level <= LocalityLevel::node, index, time);
  (level <= LocalityLevel::node ? history.near : history.far).add(time, payoff->time_of(index));
}

// -- pending lists -------------------------------------------------------------

void TaskSet::add_pending(std::int32_t index, const ExecutorDirectory& directory) {
  if (flags.is_zombie) return;
  const std::span<const PreferredLocation> of_task = places_of(index);
  if (LocalityPayoff* payoff = waits.payoff(); payoff != nullptr && !of_task.empty()) payoff->on_waiting(index);
  pending.push(index, of_task, directory);
}

bool TaskSet::is_excluded_at(std::int32_t index, const OfferPlace& place) const {
  return exclusion->excludes(place.host, index) || exclusion->excludes(place.executor, index);
}

std::optional<std::int32_t> TaskSet::take(PendingList& list, const PendingTasks& lists, const OfferPlace& place,
                                          const AttemptTable& attempts, bool speculative) {
  const bool may_be_excluded = exclusion && exclusion->excludes_anything();
  std::vector<std::int32_t> skipped;  // kept on top of the list, in their order
  std::optional<std::int32_t> taken;
  while (!taken && !list.empty()) {
    const std::int32_t index = list.top(lists.store);
    list.pop();
    const TaskState& state = states[index];
    if ((may_be_excluded && is_excluded_at(index, place)) ||
        (speculative && copies.was_tried_on(index, place.host, state.first_live, attempts))) {
      skipped.push_back(index);
      continue;
    }
    if (flags.is_barrier && placed.contains(index)) continue;
    if (!state.is_successful && (state.copies == 0 || (speculative && state.copies == 1))) taken = index;
  }
  for (auto i = skipped.size(); i-- > 0;) list.push(skipped[i]);
  return taken;
}

std::optional<TaskSet::Dequeued> TaskSet::dequeue(const OfferPlace& place, LocalityLevel allowed,
                                                  const AttemptTable& attempts) {
  constexpr std::array sources{PendingSource::executor, PendingSource::host, PendingSource::without_preference,
                               PendingSource::rack, PendingSource::all};
  for (const bool speculative : {false, true}) {
    if (speculative && !copies.has_requests()) break;
    PendingTasks& lists = speculative ? copies.pending() : pending;
    // PendingSource and LocalityLevel have the same order.
    for (std::size_t i = 0; i <= static_cast<std::size_t>(allowed); ++i) {
      PendingList* list = lists.find(sources[i], place);
      if (list == nullptr || list->empty()) continue;
      if (!speculative && sources[i] == PendingSource::all && waits.payoff() != nullptr)
        if (const auto index = dequeue_far(place, attempts)) return Dequeued{*index, PendingSource::all, false};
      const auto index = take(*list, lists, place, attempts, speculative);
      if (!index) continue;
      if (speculative) copies.mark_launched(*index);
      return Dequeued{*index, sources[i], speculative};
    }
  }
  return std::nullopt;
}

void TaskSet::fetch_entry(const OfferPlace& place) {
  if (const PendingList* list = pending.by_host.find(place.host.value)) fetch_ahead(list->next_in(pending.store));
}

void TaskSet::fetch_state(const OfferPlace& place) {
  const PendingList* list = pending.by_host.find(place.host.value);
  if (const std::int32_t* entry = list == nullptr ? nullptr : list->next_in(pending.store))
    fetch_ahead(&states[*entry]);
}

std::optional<std::int32_t> TaskSet::dequeue_far(const OfferPlace& place, const AttemptTable& attempts) {
  const HostId source = waits.payoff()->far_source();
  PendingList* list = source.is_none() ? nullptr : pending.by_host.find(source.value);
  return list == nullptr ? std::nullopt : take(*list, pending, place, attempts, false);
}

std::optional<std::int32_t> TaskSet::dequeue_from(PendingSource source, const OfferPlace& place,
                                                  const AttemptTable& attempts) {
  PendingList* list = pending.find(source, place);
  return list == nullptr ? std::nullopt : take(*list, pending, place, attempts, false);
}

void TaskSet::release() {
  partitions = {{}, 0, {}};
  states = TaskStates{0};
  pending = {};
  places = {};
  copies = {};
  waits.remove_payoff();
  outputs = {};
  placed.reset(0);
  need.reset();
  exclusion.reset();
}

bool TaskSet::has_waiting() const { return last_waiting() >= 0 || copies.has_waiting(states); }

std::int32_t TaskSet::last_waiting() const {
  std::int32_t found = -1;
  pending.all.any(pending.store, [&](std::int32_t index) {
    if (!states.is_waiting(index)) return false;
    found = index;
    return true;
  });
  return found;
}

}  // namespace heddle::policies

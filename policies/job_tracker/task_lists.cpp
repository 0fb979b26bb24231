#include "policies/job_tracker/task_lists.hpp"

#include <algorithm>

namespace heddle::policies {

EntryUse use_of(const ClassicTask& task, const TaskSearch& search, bool drop_failed_here) {
  if (!task.is_runnable() || task.is_running()) return EntryUse::drop;
  const bool fits = !task.has_failed_on(search.tracker.host) ||
                    static_cast<std::int32_t>(task.failed_hosts()) >= search.cluster.unique_hosts();
  if (fits) return EntryUse::take;
  return drop_failed_here ? EntryUse::drop : EntryUse::keep;
}

std::optional<std::int32_t> WaitingTasks::pop(const TaskSearch& search, bool drop_failed_here) {
  std::optional<std::int32_t> found;
  const auto begin = tasks_.begin() + static_cast<std::ptrdiff_t>(begin_);
  auto entry = begin;
  auto kept = begin;  // end of the passed entries that stay
  for (; entry != tasks_.end() && !found; ++entry) {
    const auto use = use_of(search.task(*entry), search, drop_failed_here);
    if (use == EntryUse::take) found = *entry;
    if (use == EntryUse::keep) *kept++ = *entry;
  }
  if (kept != entry) begin_ = static_cast<std::size_t>(std::move_backward(begin, kept, entry) - tasks_.begin());
  return found;
}

std::optional<std::int32_t> pop_waiting(FailedFirst& list, const TaskSearch& search) {
  for (auto entry = list.begin(); entry != list.end();) {
    const std::int32_t number = entry->second;
    const auto use = use_of(search.task(number), search, false);
    entry = use == EntryUse::keep ? std::next(entry) : list.erase(entry);
    if (use == EntryUse::take) return number;
  }
  return std::nullopt;
}

void RunningTasks::add(Place place) {
  auto& added = node(place);
  if (added.is_listed) return;
  auto& list = lists_[static_cast<std::size_t>(added.list)];
  added.is_listed = true;
  added.previous = list.last;
  (list.last == none ? list.first : node(list.last).next) = place;
  list.last = place;
}

void RunningTasks::remove(Place place) {
  auto& removed = node(place);
  if (!removed.is_listed) return;
  auto& list = lists_[static_cast<std::size_t>(removed.list)];
  (removed.previous == none ? list.first : node(removed.previous).next) = removed.next;
  (removed.next == none ? list.last : node(removed.next).previous) = removed.previous;
  removed.is_listed = false;
  removed.previous = removed.next = none;
}

bool may_one_be_slow(const TaskSearch& search, double average) {
  // All tasks of a job were created together.
  return !search.tasks.empty() && average >= search.rules.speculative_gap &&
         search.cluster.now - search.tasks.front().created() >= search.rules.speculative_lag;
}

std::optional<std::int32_t> find_slow(RunningTasks& running, std::int32_t list, const TaskSearch& search,
                                      double average, bool drop) {
  if (!drop && !may_one_be_slow(search, average)) return std::nullopt;
  for (auto place = running.first(list); place != RunningTasks::none;) {
    const auto here = place;
    place = running.after(here);
    const std::int32_t number = running.task_at(here);
    const ClassicTask& task = search.task(number);
    if (!task.is_running() || !task.is_runnable()) {
      running.remove(here);
      continue;
    }
    const bool has_run_here = task.has_run_on(search.tracker.host, search.tracker.index);
    const bool is_slow = task.may_be_speculated(search.cluster.now, average, search.rules);
    if (drop && (is_slow || has_run_here)) running.remove(here);
    if (is_slow && !has_run_here) return number;
  }
  return std::nullopt;
}

}  // namespace heddle::policies

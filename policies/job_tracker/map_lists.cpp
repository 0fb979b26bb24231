#include "policies/job_tracker/map_lists.hpp"

namespace heddle::policies {

namespace {

/// False: no task is slow, whatever its progress. All tasks of a job were created together.
bool may_one_be_slow(const TaskSearch& search, double average) {
  return !search.tasks.empty() && average >= search.rules.speculative_gap &&
         search.cluster.now - search.tasks.front().created() >= search.rules.speculative_lag;
}

}  // namespace

std::optional<std::int32_t> find_slow(OrderedTasks& list, const TaskSearch& search, double average, bool drop) {
  if (!drop && !may_one_be_slow(search, average)) return std::nullopt;
  auto& rows = list.in_order();
  for (auto row = rows.begin(); row != rows.end();) {
    const auto here = row++;
    const std::int32_t number = here->second;
    const ClassicTask& task = search.tasks[static_cast<std::size_t>(number)];
    if (!task.is_running() || !task.is_runnable()) {
      list.remove_at(here);
      continue;
    }
    const bool has_run_here = task.has_run_on(search.tracker.host, search.tracker.index);
    const bool is_slow = task.may_be_speculated(search.cluster.now, average, search.rules);
    if (drop && (is_slow || has_run_here)) list.remove_at(here);
    if (is_slow && !has_run_here) return number;
  }
  return std::nullopt;
}

void MapLists::add(const ClassicTask& map, const ClassicCluster& cluster) {
  const auto append = [&map](std::list<std::int32_t>& list) {
    if (list.empty() || list.back() != map.number()) list.push_back(map.number());
  };
  if (map.hosts.empty()) waiting_anywhere_.push_back(map.number());
  for (const HostIndex host : map.hosts) {
    append(waiting_on_host_[host]);
    append(waiting_on_rack_[cluster.rack_of(host)]);
  }
}

void MapLists::add_running(const ClassicTask& map, const ClassicCluster& cluster) {
  if (map.hosts.empty()) running_anywhere_.add(map.number());
  for (const HostIndex host : map.hosts) {
    running_on_host_[host].add(map.number());
    running_on_rack_[cluster.rack_of(host)].add(map.number());
  }
}

void MapLists::remove_running(const ClassicTask& map, const ClassicCluster& cluster) {
  if (map.hosts.empty()) running_anywhere_.remove(map.number());
  for (const HostIndex host : map.hosts) {
    running_on_host_[host].remove(map.number());
    running_on_rack_[cluster.rack_of(host)].remove(map.number());
  }
}

std::optional<std::int32_t> MapLists::pop_listed(Waiting& lists, std::int32_t place, const TaskSearch& search,
                                                 bool drop_failed_here) {
  const auto list = lists.find(place);
  return list == lists.end() ? std::nullopt : pop_waiting(list->second, search, drop_failed_here);
}

std::optional<std::int32_t> MapLists::take(const TaskSearch& search, bool near) {
  if (const auto found = pop_waiting(failed_, search, false)) return found;
  const std::int32_t own_rack = search.cluster.rack_of(search.tracker.host);
  if (near) {
    if (const auto found = pop_listed(waiting_on_host_, search.tracker.host, search, true)) return found;
    return pop_listed(waiting_on_rack_, own_rack, search, false);
  }
  for (std::int32_t rack = 0; rack < search.cluster.racks(); ++rack) {
    if (rack == own_rack) continue;
    if (const auto found = pop_listed(waiting_on_rack_, rack, search, false)) return found;
  }
  return pop_waiting(waiting_anywhere_, search, false);
}

std::optional<std::int32_t> MapLists::find_slow_map(const TaskSearch& search, double average) {
  const auto look = [&](std::map<std::int32_t, OrderedTasks>& lists, std::int32_t place,
                        bool drop) -> std::optional<std::int32_t> {
    const auto list = lists.find(place);
    return list == lists.end() ? std::nullopt : find_slow(list->second, search, average, drop);
  };
  if (const auto found = look(running_on_host_, search.tracker.host, true)) return found;
  if (!may_one_be_slow(search, average)) return std::nullopt;
  const std::int32_t own_rack = search.cluster.rack_of(search.tracker.host);
  if (const auto found = look(running_on_rack_, own_rack, false)) return found;
  for (std::int32_t rack = 0; rack < search.cluster.racks(); ++rack) {
    if (rack == own_rack) continue;
    if (const auto found = look(running_on_rack_, rack, false)) return found;
  }
  return find_slow(running_anywhere_, search, average, false);
}

}  // namespace heddle::policies

#include "actors/yarn_allocator/allocator_state.hpp"

#include <algorithm>

#include "model/executor_numbers.hpp"

namespace heddle::actors {
namespace {

const ProfileId default_profile{0};

/// The parts between commas without the blanks around them.
std::set<std::string> split_at_commas(const std::string& text) {
  constexpr const char* blanks = " \t";
  std::set<std::string> names;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    if (const auto first = part.find_first_not_of(blanks); first != std::string::npos)
      names.insert(part.substr(first, part.find_last_not_of(blanks) + 1 - first));
    begin = end + 1;
  }
  return names;
}

policies::ContainerAllocatorSettings allocator_settings(const config::YarnAllocatorSettings& settings,
                                                        const YarnAllocatorStart& start) {
  policies::ContainerAllocatorSettings made;
  made.default_profile = {default_profile, start.executor, start.executor_cores};
  made.last_executor_id = std::max(start.attempt.attempt - 1, 0) * executors_per_attempt;
  made.health.exclude_on_launch_failure = settings.exclude_on_launch_failure;
  made.health.exclusion_timeout = start.exclusion_timeout;
  made.health.failures_per_node_max = start.failed_executors_per_node;
  made.health.excluded_nodes = split_at_commas(settings.excluded_nodes);
  if (settings.failures_validity < config::never) made.health.failure_validity = settings.failures_validity;
  made.report_decommissioning = settings.decommission;
  made.always_push_exclusion = settings.fix_always_push_exclusion;
  made.count_starting = settings.fix_count_starting;
  made.rebalance = settings.fix_rebalance;
  made.exact_placement = settings.fix_exact_placement;
  return made;
}

policies::AllocateLoopSettings loop_settings(const config::YarnAllocatorSettings& settings,
                                             const YarnAllocatorStart& start) {
  const Duration initial = std::min(settings.initial_interval, settings.heartbeat_interval);
  const Duration spacing = settings.fix_allocate_spacing ? initial : Duration{0};
  return {settings.heartbeat_interval, initial, spacing, start.eager_interval, start.eager_time};
}

}  // namespace

AllocatorState::AllocatorState(config::YarnAllocatorSettings all_settings, const runtime::ActorTools& tools,
                               YarnAllocatorStart all_start, Instant now)
    : settings{std::move(all_settings)},
      start{std::move(all_start)},
      events{tools.events},
      allocator{policies::container_input::Created{allocator_settings(settings, start), start.racks}, tools.events,
                now},
      cores_of_profile{{default_profile, start.executor_cores}},
      loop{loop_settings(settings, start)} {}

policies::ContainerLimit AllocatorState::limit() const {
  if (!registered) return {};
  return {registered->maximum, registered->limits_others};
}

std::int64_t AllocatorState::failures_max() const {
  if (settings.executor_failures_max > 0) return settings.executor_failures_max;
  return std::max<std::int64_t>(3, 2 * std::int64_t{start.executors_max});
}

void AllocatorState::check_invariants() const {
  allocator->check_invariants();
  grants.check_invariants();
}

void AllocatorTurn::write_event(std::string_view name, const ports::EventFields& fields) const {
  if (state.events != nullptr) state.events->write(now, name, fields);
}

}  // namespace heddle::actors

#include "policies/map_reduce/reduce_ramp_up.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "model/java_number.hpp"

namespace heddle::policies {
namespace {

std::int32_t quotient(std::int64_t room, std::int64_t unit) {
  return unit == 0 ? std::numeric_limits<std::int32_t>::max() : java::wrap_int(room / unit);
}

std::int32_t ceiling_quotient(std::int64_t need, std::int64_t unit) {
  return unit == 0 ? 0 : java::wrap_int((need + (unit - 1)) / unit);
}

std::int32_t containers_for(const Resource& need, const Resource& unit, bool schedule_cores) {
  const std::int32_t by_memory = ceiling_quotient(need.memory_mib, unit.memory_mib);
  return schedule_cores ? std::max(by_memory, ceiling_quotient(need.cores, unit.cores)) : by_memory;
}

Resource times(const Resource& resource, double by) {
  return {java::to_long(static_cast<double>(resource.memory_mib) * by),
          java::to_long(static_cast<double>(resource.cores) * by)};
}

Resource limit_of(const ReduceLoad& load) {
  return load.headroom + (times(load.map, load.assigned_maps) + times(load.reduce, load.assigned_reduces));
}

std::int32_t count_hanging(std::span<const Duration> waits, std::int32_t delay_ms) {
  if (delay_ms <= 0) return static_cast<std::int32_t>(waits.size());
  const auto hangs = [delay_ms](Duration wait) { return to_milliseconds(wait) > delay_ms; };
  return static_cast<std::int32_t>(std::count_if(waits.begin(), waits.end(), hangs));
}

ReducePreemption preempt_for(const ReducePreemptionInput& input, std::int32_t hanging) {
  if (hanging == 0) return {};
  const ReduceLoad& load = input.load;
  const auto reduces_for = [&load](const Resource& need) {
    return containers_for(need, load.reduce, load.schedule_cores);
  };
  const std::int32_t one_map = reduces_for(load.map);
  const std::int32_t limit = reduces_for(times(limit_of(load), static_cast<double>(input.preemption_limit)));
  const std::int32_t all_maps = reduces_for(times(load.map, hanging));
  return {true, std::min(std::max(one_map, limit), all_maps)};
}

}  // namespace

std::int32_t containers_in(const Resource& room, const Resource& unit, bool schedule_cores) {
  const std::int32_t by_memory = quotient(room.memory_mib, unit.memory_mib);
  return schedule_cores ? std::min(by_memory, quotient(room.cores, unit.cores)) : by_memory;
}

std::int32_t slow_start_maps(std::int32_t total_maps, float slow_start) {
  const float threshold = slow_start * static_cast<float>(total_maps);
  return java::to_int(std::ceil(static_cast<double>(threshold)));
}

ReduceShare share_of_reduces(const ReduceScheduleInput& input) {
  const ReduceLoad& load = input.load;
  const float completed =
      input.total_maps == 0 ? 1.0F : static_cast<float>(input.completed_maps) / static_cast<float>(input.total_maps);
  const std::int32_t maps = load.scheduled_maps + load.assigned_maps;
  ReduceShare share;
  share.limit = limit_of(load);
  share.part = std::min(completed, input.ramp_up_limit);
  share.reduces = times(share.limit, static_cast<double>(share.part));
  const Resource for_maps = share.limit - share.reduces;
  if (containers_in(for_maps, load.map, load.schedule_cores) >= maps) share.leftover = for_maps - times(load.map, maps);
  return share;
}

ReduceSchedule schedule_reduces(const ReduceScheduleInput& input) {
  const ReduceLoad& load = input.load;
  ReduceSchedule schedule;
  schedule.is_started = input.is_started;
  if (input.pending_reduces == 0) return schedule;
  if (!schedule.is_started) {
    if (input.completed_maps < slow_start_maps(input.total_maps, input.slow_start)) return schedule;
    schedule.is_started = true;
  }
  if (load.scheduled_maps == 0) {
    schedule.schedule_all = true;
    return schedule;
  }

  const ReduceShare share = share_of_reduces(input);
  const Resource room = share.reduces + share.leftover;
  const Resource used = times(load.reduce, load.scheduled_reduces + load.assigned_reduces);
  const std::int32_t change = containers_in(room - used, load.reduce, load.schedule_cores);
  if (change > 0) schedule.ramp_up = std::min(change, input.pending_reduces);
  if (change < 0) schedule.ramp_down = std::min(java::wrap_mul(-1, change), load.scheduled_reduces);
  return schedule;
}

ReducePreemption preempt_reduces(const ReducePreemptionInput& input) {
  const ReduceLoad& load = input.load;
  if (load.reduce == Resource{} || load.assigned_maps > 0 || load.scheduled_maps <= 0) return {};
  const std::int32_t unconditional_ms = java::wrap_mul(1000, input.unconditional_delay_sec);
  if (unconditional_ms >= 0) {
    const auto preemption = preempt_for(input, count_hanging(input.map_waits, unconditional_ms));
    if (preemption.is_due) return preemption;
  }
  const Resource left = load.headroom - times(load.reduce, load.scheduled_reduces);
  if (containers_in(left, load.map, load.schedule_cores) > 0) return {};
  return preempt_for(input, count_hanging(input.map_waits, java::wrap_mul(1000, input.delay_sec)));
}

std::vector<std::int32_t> choose_reduce_victims(std::span<const float> progress, std::int32_t count) {
  std::vector<std::int32_t> order(progress.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [progress](std::int32_t a, std::int32_t b) {
    return progress[static_cast<std::size_t>(a)] < progress[static_cast<std::size_t>(b)];
  });
  if (order.size() > static_cast<std::size_t>(std::max(0, count)))
    order.resize(static_cast<std::size_t>(std::max(0, count)));
  return order;
}

}  // namespace heddle::policies

#include "actors/map_reduce_master/decision_texts.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "policies/map_reduce/map_reduce_machines.hpp"

namespace heddle::actors {
namespace {

/// "1 map", "2 maps"
std::string counted(std::int32_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string size_text(const Resource& size, bool with_cores) {
  const auto memory = fmt::format("{} MiB", size.memory_mib);
  return with_cores ? fmt::format("{} and {} core{}", memory, size.cores, size.cores == 1 ? "" : "s") : memory;
}

double percent(float part) { return 100 * static_cast<double>(part); }

double seconds(std::int64_t milliseconds) { return static_cast<double>(milliseconds) / 1000; }

std::string_view condition_text(NodeCondition condition) {
  constexpr std::array<std::string_view, 5> names{"running", "unhealthy", "lost", "decommissioning", "decommissioned"};
  return names.at(static_cast<std::size_t>(condition));
}

}  // namespace

std::string slow_start_text(const policies::ReduceScheduleInput& input) {
  const std::int32_t needed = policies::slow_start_maps(input.total_maps, input.slow_start);
  if (needed <= 1) return {};
  return fmt::format("reduces may request containers: {} of {} maps are done, and {} are needed (rule CA-16)",
                     input.completed_maps, input.total_maps, needed);
}

std::string ramp_up_text(const policies::ReduceScheduleInput& input) {
  const auto& load = input.load;
  const auto share = policies::share_of_reduces(input);
  const std::int32_t requested = load.scheduled_reduces + load.assigned_reduces;
  std::string leftover;
  if (share.leftover != Resource{})
    leftover = fmt::format(" and {} that maps leave", size_text(share.leftover, load.schedule_cores));
  return fmt::format(
      "{} of {} request containers of {}: {} of {} maps are done, so reduces get {:.0f} % (at most {:.0f} %) of "
      "{}{} until no map waits ({})",
      requested, counted(requested + input.pending_reduces, "reduce"), size_text(load.reduce, load.schedule_cores),
      input.completed_maps, input.total_maps, percent(share.part), percent(input.ramp_up_limit),
      size_text(share.limit, load.schedule_cores), leftover, leftover.empty() ? "rule CA-18" : "rules CA-18, CA-19");
}

std::string all_reduces_text(std::int32_t reduces) {
  return fmt::format("no map waits for a container: all {} request containers (rule CA-17)",
                     counted(reduces, "reduce"));
}

std::string preemption_text(const policies::ReduceLoad& load, std::int32_t preempted, float progress) {
  return fmt::format(
      "{} {} for {}, and {} are free; of {} {} {} preempted, least progress first, here {:.0f} % (rule CA-25)",
      counted(load.scheduled_maps, "map"), load.scheduled_maps == 1 ? "waits" : "wait",
      size_text(load.map, load.schedule_cores), size_text(load.headroom, load.schedule_cores),
      counted(load.assigned_reduces, "running reduce"), preempted, preempted == 1 ? "is" : "are", percent(progress));
}

std::string avoided_host_text(const std::string& host, const policies::HostExclusion& excluded,
                              const policies::HostExclusionSettings& rules) {
  const auto failures = counted(rules.failures_per_host_max, "failed attempt");
  if (!excluded.is_ignored)
    return fmt::format("the job avoids host {} after {} there: {} of {} (rule RR-4)", host, failures, excluded.hosts,
                       counted(excluded.nodes, "node"));
  return fmt::format(
      "host {} has {} (rule RR-4), but the job uses all hosts: {} of {} {} so many, not less than {} % (rule RR-5)",
      host, failures, excluded.hosts, counted(excluded.nodes, "node"), excluded.hosts == 1 ? "has" : "have",
      rules.ignore_percent);
}

std::string ignored_exclusion_text(const policies::HostExclusion& excluded,
                                   const policies::HostExclusionSettings& rules) {
  return fmt::format("the job {}: {} of {} {} too many failed attempts, {} than {} % (rule RR-5)",
                     excluded.is_ignored ? "uses all hosts again" : "avoids hosts again", excluded.hosts,
                     counted(excluded.nodes, "node"), excluded.hosts == 1 ? "has" : "have",
                     excluded.is_ignored ? "not less" : "less", rules.ignore_percent);
}

std::string lost_work_text(const LostWork& lost) {
  std::string text;
  for (const auto& node : lost.nodes)
    text += fmt::format("{}node {} is {}", text.empty() ? "" : ", ", node.host, condition_text(node.condition));
  text += fmt::format(": {} there {} killed (rule CA-14)", counted(lost.killed, "running attempt"),
                      lost.killed == 1 ? "is" : "are");
  if (lost.maps == 0) return text;
  return text + fmt::format(", and {} {} again, because {} of {} {} not ended (rule JB-7)",
                            counted(lost.maps, "finished map"), lost.maps == 1 ? "runs" : "run", lost.reduces,
                            counted(lost.all_reduces, "reduce"), lost.reduces == 1 ? "has" : "have");
}

std::string second_attempt_text(const SecondAttempt& second) {
  return fmt::format(
      "{} is slow: a second attempt starts, because it needs about {:.1f} s, and the first one, at {:.0f} %, "
      "{:.1f} s more (rule DS-3)",
      to_string(second.task), seconds(second.new_attempt_ms), percent(second.progress),
      seconds(second.gain_ms + second.new_attempt_ms));
}

}  // namespace heddle::actors

#include "apps/roles/map_reduce_settings.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include "config/files/settings_text.hpp"
#include "config/table/derived_settings.hpp"
#include "config/table/setting_rows.hpp"
#include "config/text/units.hpp"
#include "model/assert.hpp"

namespace heddle::apps {
namespace {

/// In the order of JobPriority.
constexpr std::array<std::string_view, 5> priority_names{"VERY_HIGH", "HIGH", "NORMAL", "LOW", "VERY_LOW"};

/// As in Hadoop (SH-1).
constexpr std::int32_t maps_per_copy_request = 20;

std::int32_t narrow(std::int64_t value) { return static_cast<std::int32_t>(value); }

/// Failed attempts on a host after which a job avoids it; the framework has another default.
std::int32_t failures_per_host(const config::MapReduceSettings& section, std::int32_t standard) {
  return section.tracker_failures_max > 0 ? narrow(section.tracker_failures_max) : standard;
}

/// Without a named size: the part of one core in the memory that the master URL names for an executor.
Resource container_of_task(const config::ApplicationSettings& application, std::int64_t memory_mib,
                           std::int64_t cores) {
  const auto of_core = std::max<std::int64_t>(application.executor_memory_mib / application.executor_cores, 1);
  return {memory_mib > 0 ? memory_mib : of_core, cores};
}

policies::MapReduceAllocatorSettings container_rules(const config::MapReduceSettings& job,
                                                     const config::MapReduceMasterSettings& section) {
  policies::MapReduceAllocatorSettings made;
  made.slow_start = static_cast<float>(job.slow_start);
  made.ramp_up_limit = static_cast<float>(section.ramp_up_limit);
  made.preemption_limit = static_cast<float>(section.preemption_limit);
  made.preempt_delay_sec = narrow(section.preempt_delay_seconds);
  made.unconditional_preempt_delay_sec = narrow(section.unconditional_preempt_delay_seconds);
  made.running_map_limit = narrow(section.running_maps_max);
  made.running_reduce_limit = narrow(section.running_reduces_max);
  made.exclusion.is_on = section.excludes_hosts;
  made.exclusion.failures_per_host_max = failures_per_host(job, made.exclusion.failures_per_host_max);
  made.exclusion.ignore_percent = narrow(section.exclusion_ignore_percent);
  return made;
}

policies::SpeculatorSettings speculation_rules(const config::MapReduceMasterSettings& section) {
  policies::SpeculatorSettings made;
  made.slow_task_threshold = static_cast<float>(section.slow_task_threshold);
  made.allowed_min = narrow(section.speculative_min);
  made.cap_running = section.speculative_cap_running;
  made.cap_total = section.speculative_cap_total;
  made.retry_after_none = section.retry_after_none;
  made.retry_after_one = section.retry_after_one;
  return made;
}

}  // namespace

JobRules job_rules(const config::Settings& settings) {
  const auto section = settings.map_reduce();
  const auto tracker = settings.job_tracker();
  JobRules made;
  const auto* const named = std::find(priority_names.begin(), priority_names.end(), section.priority);
  made.priority = static_cast<JobPriority>(named - priority_names.begin());
  made.slow_start = static_cast<float>(section.slow_start);
  made.map_speculative = section.map_speculative;
  made.reduce_speculative = section.reduce_speculative;
  made.speculative_gap = tracker.speculative_gap;
  made.speculative_lag = tracker.speculative_lag;
  made.map_attempts_max = narrow(section.map_attempts_max);
  made.reduce_attempts_max = narrow(section.reduce_attempts_max);
  made.tracker_failures_max = failures_per_host(section, made.tracker_failures_max);
  made.map_failures_percent = narrow(section.map_failures_percent);
  made.reduce_failures_percent = narrow(section.reduce_failures_percent);
  made.tasks_per_process = narrow(section.tasks_per_process);
  made.reduce_input_limit = section.reduce_input_limit;
  return made;
}

bool is_submitted(std::string_view key) {
  constexpr std::array<std::string_view, 2> families{"heddle.application.", "heddle.input."};
  constexpr std::array<std::string_view, 14> rules{"heddle.map_reduce.priority",
                                                   "heddle.reduce.input_limit",
                                                   "heddle.map_reduce.tasks_per_process",
                                                   "heddle.reduce.slow_start",
                                                   "heddle.map.speculative",
                                                   "heddle.reduce.speculative",
                                                   "heddle.job_tracker.speculative_gap",
                                                   "heddle.job_tracker.speculative_lag",
                                                   "heddle.map.max_attempts",
                                                   "heddle.reduce.max_attempts",
                                                   "heddle.task.max_failures",
                                                   "heddle.map_reduce.max_failures_per_host",
                                                   "heddle.map.max_failures_percent",
                                                   "heddle.reduce.max_failures_percent"};
  const auto* row = config::find_setting(key);
  if (row == nullptr) return false;
  return std::find(rules.begin(), rules.end(), row->key) != rules.end() ||
         std::any_of(families.begin(), families.end(), [&](auto family) { return row->key.starts_with(family); });
}

std::vector<std::pair<std::string, std::string>> settings_of_jobs(const config::Settings& settings) {
  std::vector<std::pair<std::string, std::string>> made;
  for (const auto* row : settings.rows()) {
    const auto text = settings.effective(row->key).text;
    made.emplace_back(row->key, text);
    for (const auto alias : config::split_words(row->aliases, ','))
      if (!alias.starts_with("spark.")) made.emplace_back(alias, text);
  }
  return made;
}

actors::JobTrackerSettings job_tracker_settings(const config::Settings& settings) {
  const auto section = settings.job_tracker();
  actors::JobTrackerSettings made;
  made.queue.capacity_pad = static_cast<float>(section.capacity_pad);
  made.queue.tracker_expiry = section.tracker_timeout;
  made.queue.host_faults_max = narrow(section.host_faults_max);
  made.queue.fault_window = {std::chrono::minutes{section.fault_window_minutes},
                             std::chrono::minutes{section.fault_bucket_minutes}};
  made.queue.heartbeats_per_second = narrow(section.heartbeats_per_second);
  made.queue.heartbeat_scaling = static_cast<float>(section.heartbeat_scaling);
  made.queue.tasks_of_job_max = narrow(section.tasks_of_job_max);
  if (section.running_tasks_of_job_max > 0)
    made.queue.running_tasks_of_job_max = narrow(section.running_tasks_of_job_max);
  made.beat_on_change = settings.map_reduce().beat_on_change;
  made.reports.per_user = section.reports_per_user;
  made.reports.age = section.report_age;
  made.recovers_jobs = section.recovers_jobs;
  return made;
}

policies::ShuffleScheduleSettings copy_rules(const config::Settings& settings) {
  const auto section = settings.map_output_copies();
  policies::ShuffleScheduleSettings made;
  made.notice_every = narrow(section.copy_failures_per_notice);
  made.host_failures_max = narrow(section.copy_failures_of_host);
  made.report_read_errors = section.reports_read_errors;
  made.penalty_first = section.copy_retry_first;
  made.penalty_max = section.copy_retry_max;
  return made;
}

std::int64_t memory_of_reduce(const config::Settings& settings) {
  const auto job = settings.map_reduce();
  return container_of_task(settings.application(), job.reduce_memory_mib, job.reduce_cores).memory_mib << 20;
}

void limit_copies(const config::Settings& settings, work::ShuffleClientSettings& fetch) {
  const auto section = settings.map_output_copies();
  fetch.servers_at_once = narrow(section.parallel_copies);
  fetch.maps_per_request = maps_per_copy_request;
  fetch.connect_timeout_ms = to_milliseconds(section.copy_connect_timeout);
  fetch.read_timeout_ms = to_milliseconds(section.copy_read_timeout);
}

actors::MapReduceMasterStart map_reduce_master_start(const config::Settings& settings) {
  const auto job = settings.map_reduce();
  const auto section = config::map_reduce_master_rules(settings);
  actors::MapReduceMasterStart made;
  made.map = container_of_task(settings.application(), job.map_memory_mib, job.map_cores);
  made.reduce = container_of_task(settings.application(), job.reduce_memory_mib, job.reduce_cores);
  made.machines.job.map_failures_percent = narrow(job.map_failures_percent);
  made.machines.job.reduce_failures_percent = narrow(job.reduce_failures_percent);
  made.machines.job.fail_wait = section.fail_wait;
  made.machines.map_task.attempts_max = narrow(job.map_attempts_max);
  made.machines.map_task.is_speculative = job.map_speculative;
  made.machines.reduce_task.attempts_max = narrow(job.reduce_attempts_max);
  made.machines.reduce_task.is_speculative = job.reduce_speculative;
  made.allocator = container_rules(job, section);
  made.speculator = speculation_rules(section);
  auto& loop = made.loop;
  loop.heartbeat_interval = section.heartbeat_interval;
  // Without requests on change, each waits for the regular interval.
  if (!job.beat_on_change) loop.initial_interval = loop.spacing = section.heartbeat_interval;
  made.unanswered_max =
      narrow(std::clamp<std::int64_t>(section.connection_wait / section.heartbeat_interval, 1, config::count_max));
  made.task_timeout = task_timeout(settings);
  made.stuck_timeout = section.stuck_timeout > Duration{0} ? section.stuck_timeout : config::never;
  made.exit_timeout = section.exit_timeout;
  made.commit_window = section.commit_window;
  return made;
}

Duration task_timeout(const config::Settings& settings) {
  const auto named = settings.map_reduce().task_timeout;
  return named > Duration{0} ? named : config::never;
}

Duration progress_interval(const config::Settings& settings) {
  const auto named = settings.map_reduce().progress_interval;
  if (named > Duration{0}) return named;
  return std::clamp<Duration>(task_timeout(settings) / 100, std::chrono::milliseconds{10}, std::chrono::seconds{3});
}

std::string yarn_child_settings(config::Settings settings) {
  constexpr auto key = "heddle.map_reduce.progress_interval";
  if (settings.map_reduce().progress_interval > Duration{0}) return config::write_settings(settings);
  const auto named = settings.map_reduce().task_timeout;
  // Without a time-out: as with its default.
  const Duration timeout = named > Duration{0} ? named : config::Settings{}.map_reduce().task_timeout;
  const auto interval = std::clamp<std::int64_t>(to_milliseconds(timeout) / 100, 10, 3'600'000);
  const auto is_set =
      settings.set(key, std::to_string(interval) + "ms", config::Origin::derived, "a hundredth of the task time-out");
  HEDDLE_ASSERT(is_set.has_value(), "the interval is a valid value");
  return config::write_settings(settings);
}

}  // namespace heddle::apps

#include "apps/roles/role_settings.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "config/table/derived_settings.hpp"
#include "config/table/device_requests.hpp"
#include "config/text/text_file.hpp"
#include "config/text/units.hpp"
#include "policies/executors/executor_memory.hpp"
#include "policies/tasks/types/task_resources.hpp"
#include "work/commands/device_discovery.hpp"

namespace heddle::apps {
namespace {

/// The file was checked when the session was prepared; if it was removed since, only the default pool exists.
std::optional<std::vector<policies::PoolSettings>> pools(const config::TaskSchedulerSettings& section) {
  if (section.mode != "FAIR" || section.pool_file.empty()) return std::nullopt;
  const auto file = read_pool_file(section.pool_file);
  if (!file) return std::nullopt;
  std::vector<policies::PoolSettings> made;
  for (const auto& pool : file->pools)
    made.push_back({pool.name, pool.is_fair ? policies::SchedulingMode::fair : policies::SchedulingMode::fifo,
                    pool.weight, pool.min_share});
  return made;
}

policies::TaskSchedulerSettings task_scheduler_settings(const config::Settings& settings) {
  const auto section = settings.task_scheduler();
  policies::TaskSchedulerSettings made;
  const auto locality = settings.locality();
  made.wait_node = locality.wait_node;
  made.wait_rack = locality.wait_rack;
  made.legacy_reset = locality.legacy_reset;
  if (locality.adaptive) made.adaptive = policies::AdaptiveLocality{locality.task_time, locality.far_cost};
  made.max_failures = static_cast<std::int32_t>(section.failures_max);
  made.task_cores = static_cast<std::int32_t>(section.task_cores);
  made.mode = section.mode == "FAIR" ? policies::SchedulingMode::fair : policies::SchedulingMode::fifo;
  made.pools = pools(section);
  made.fixes.copies_below_zero = section.fix_copies_below_zero;
  made.fixes.reject_of_stale = section.fix_reject_of_stale;
  made.fixes.unschedulable_removed = section.fix_unschedulable_removed;
  made.result_bytes_max = settings.driver().result_bytes_max;
  made.task_binary_bytes_max = settings.driver().message_bytes_max;
  made.unschedulable_timeout = section.unschedulable_timeout;
  made.shuffle_service = true;  // the node serves map outputs, not the executor
  made.dynamic_allocation = settings.dynamic_allocation().enabled;
  if (const auto speculation = settings.speculation(); speculation.enabled) {
    policies::SpeculationSettings rules;
    rules.quantile = speculation.quantile;
    rules.multiplier = speculation.multiplier;
    rules.min_runtime = speculation.task_runtime_min;
    if (speculation.duration_threshold > Duration{0}) rules.threshold = speculation.duration_threshold;
    if (speculation.decommission_kill_interval > Duration{0})
      rules.decommission_kill_interval = speculation.decommission_kill_interval;
    rules.efficiency = speculation.efficiency;
    rules.process_rate_share = speculation.process_rate_multiplier;
    rules.long_run_factor = speculation.long_run_factor;
    made.executor_cores = static_cast<std::int32_t>(settings.application().executor_cores);
    made.speculation = rules;
  }
  if (const auto exclusion = config::exclusion_rules(settings);
      exclusion.application_enabled || exclusion.task_and_stage_enabled) {
    policies::ExclusionSettings rules;
    rules.application = exclusion.application_enabled;
    rules.task_and_stage = exclusion.task_and_stage_enabled;
    rules.task_attempts_per_executor = static_cast<std::int32_t>(exclusion.task_attempts_per_executor);
    rules.task_attempts_per_node = static_cast<std::int32_t>(exclusion.task_attempts_per_node);
    rules.stage_failed_tasks_per_executor = static_cast<std::int32_t>(exclusion.stage_failed_tasks_per_executor);
    rules.stage_failed_executors_per_node = static_cast<std::int32_t>(exclusion.stage_failed_executors_per_node);
    rules.application_failed_tasks_per_executor =
        static_cast<std::int32_t>(exclusion.application_failed_tasks_per_executor);
    rules.application_failed_executors_per_node =
        static_cast<std::int32_t>(exclusion.application_failed_executors_per_node);
    rules.timeout = exclusion.timeout;
    rules.kill_excluded_executors = exclusion.kill_excluded;
    rules.fetch_failure = exclusion.on_fetch_failure;
    made.exclusion = rules;
  }
  return made;
}

/// Number of concurrent tasks of an executor, limited by cores and devices.
std::int32_t tasks_per_executor(const config::Settings& settings) {
  const auto requests = config::device_requests(settings);
  std::vector<policies::TaskResource> needs;
  policies::FreeShares free;
  for (std::int32_t kind = 0; kind < std::ssize(requests); ++kind) {
    const auto& request = requests[static_cast<std::size_t>(kind)];
    needs.push_back({kind, request.task_amount});
    for (std::int32_t address = 0; address < request.executor_amount; ++address)
      free.push_back({kind, address, policies::whole_address});
  }
  return policies::slots_for(static_cast<std::int32_t>(settings.application().executor_cores), free,
                             static_cast<std::int32_t>(settings.task_scheduler().task_cores), needs);
}

policies::ExecutorAllocationSettings allocation_settings(const config::Settings& settings) {
  const auto section = settings.dynamic_allocation();
  const auto application = settings.application();
  policies::ExecutorAllocationSettings made;
  made.dynamic = section.enabled;
  made.executors_min = static_cast<std::int32_t>(section.executors_min);
  made.executors_max = static_cast<std::int32_t>(section.executors_max);
  made.executors_initial = static_cast<std::int32_t>(application.executor_instances);
  if (section.enabled) {
    // A number that the master URL implies is not a request of the user.
    const bool is_named = settings.effective("heddle.executor.instances").origin < config::Origin::derived;
    const auto named = is_named ? application.executor_instances : 0;
    made.executors_initial =
        static_cast<std::int32_t>(std::max({section.executors_min, section.executors_initial, named}));
  }
  made.ratio = section.allocation_ratio;
  made.tasks_per_executor = {tasks_per_executor(settings)};
  made.backlog_timeout = section.backlog_timeout;
  made.sustained_timeout = section.sustained_backlog_timeout;
  made.poll_interval = section.poll_interval;
  made.jump_to_need = section.fix_jump_to_need;
  made.monitor.idle_timeout = section.executor_idle_timeout;
  if (section.shuffle_timeout < config::never) made.monitor.shuffle_timeout = section.shuffle_timeout;
  made.monitor.shuffle_tracking = section.shuffle_tracking;
  made.monitor.shuffle_service = true;
  made.decommission = settings.yarn_allocator().decommission;
  made.decommission_moves_shuffles = settings.driver().moves_outputs && settings.driver().moves_shuffles;
  return made;
}

}  // namespace

Result<config::SparkPoolsFile> read_pool_file(const std::string& path) {
  const auto content = config::read_text_file(path);
  if (!content) return content.error();
  return config::read_spark_pools_xml(*content, path);
}

actors::DriverSettings driver_settings(const config::Settings& settings) {
  actors::DriverSettings made;
  made.task_scheduler = task_scheduler_settings(settings);
  const auto stages = settings.stage_scheduler();
  made.stage_scheduler.max_consecutive_attempts = static_cast<std::int32_t>(stages.consecutive_attempts_max);
  made.stage_scheduler.max_stage_attempts = static_cast<std::int32_t>(stages.attempts_max);
  made.stage_scheduler.shuffle_service = true;
  made.stage_scheduler.ignore_decommission_fetch_failure = stages.ignore_decommission_fetch_failure;
  made.stage_scheduler.cancel_stages_with_failed_attempts = stages.fix_cancel_failed_attempts;
  made.stage_scheduler.reduce_locality_by_host = stages.fix_reduce_locality_by_host;
  made.stage_scheduler.unregister_output_on_host = stages.unregister_outputs_on_host;
  made.stage_scheduler.resubmit_delay = stages.resubmit_delay;
  made.allocation = allocation_settings(settings);
  for (const auto& request : config::device_requests(settings))
    if (request.task_amount > 0) made.devices.push_back({request.name, request.task_amount, request.executor_amount});
  made.decommission.is_enabled = settings.yarn_allocator().decommission;
  made.decommission.moves_outputs =
      made.decommission.is_enabled && settings.driver().moves_outputs && settings.driver().moves_shuffles;
  made.decommission.kill_wait = settings.driver().decommission_kill_wait;
  made.decommission.moves_max = static_cast<std::int32_t>(settings.driver().output_moves_max);
  made.decommission.move_failures_max = static_cast<std::int32_t>(settings.driver().output_move_failures_max);
  made.intervals.revive = settings.task_scheduler().revive_interval;
  made.intervals.speculation = settings.speculation().interval;
  made.executor_timeout = settings.driver().executor_timeout;
  made.loss_reason_wait = settings.driver().loss_reason_wait;
  made.queue_ahead = static_cast<std::int32_t>(settings.task_scheduler().queue_ahead);
  made.map_outputs.reduce_locality = stages.reduce_locality;
  made.drain_excluded = settings.exclusion().kill_excluded_decommission;
  made.starvation_timeout = settings.task_scheduler().starvation_timeout;
  made.registration.ratio_min = settings.task_scheduler().registered_ratio_min;
  made.registration.wait_max = settings.task_scheduler().registered_wait_max;
  made.barrier.interval = settings.task_scheduler().barrier_check_interval;
  made.barrier.failures_max = static_cast<std::int32_t>(settings.task_scheduler().barrier_check_failures_max);
  made.fix_starvation_until_launch = settings.task_scheduler().fix_starvation_until_launch;
  return made;
}

Result<std::vector<DeviceAddresses>> find_devices(const config::Settings& settings) {
  std::vector<work::DeviceSearch> searches;
  for (const auto& request : config::device_requests(settings))
    if (request.executor_amount > 0)
      searches.push_back({request.name, request.executor_amount, request.discovery_script, request.addresses});
  return work::find_devices(searches);
}

policies::ExecutorMemory executor_memory(const config::ApplicationSettings& application) {
  policies::ExecutorMemory memory;
  memory.heap = application.executor_memory_mib;
  memory.overhead_factor = application.executor_overhead_factor;
  memory.overhead_min = application.executor_overhead_factor > 0 ? application.executor_overhead_min_mib : 0;
  if (application.executor_overhead_mib > 0) memory.overhead = application.executor_overhead_mib;
  return memory;
}

Resource executor_container(const config::ApplicationSettings& application) {
  return {policies::container_memory(executor_memory(application)), application.executor_cores};
}

work::OutputCommitSettings commit_settings(const config::Settings& settings, const ApplicationId& application) {
  return {settings.output().success_file, settings.output().sync, work::this_process_owner(application), {}};
}

work::SlotTaskRunnerSettings runner_settings(const config::Settings& settings) {
  work::SlotTaskRunnerSettings made;
  const auto input = settings.input();
  const auto shuffle = settings.shuffle();
  made.reader.line_bytes_max = input.line_bytes_max;
  if (input.line_bytes_drop > 0) made.reader.hadoop_line_length_max = input.line_bytes_drop;
  made.reader.buffer_bytes = input.read_buffer_bytes;
  made.syncs_output = settings.output().sync;
  made.shuffle_writer.memory_bytes = shuffle.sort_memory_bytes;
  made.shuffle_writer.block_bytes = shuffle.block_bytes;
  if (shuffle.compression == "none") made.shuffle_writer.compression = work::ShuffleCompression::none;
  if (shuffle.compression == "zstd") made.shuffle_writer.compression = work::ShuffleCompression::zstd;
  made.shuffle_writer.compression_level = static_cast<std::int32_t>(shuffle.compression_level);
  made.shuffle_writer.merge_factor = static_cast<std::int32_t>(shuffle.merge_width);
  made.shuffle_reader.memory_bytes = shuffle.fetch_memory_bytes;
  made.command.standard_error_bytes_max = settings.task_log().bytes_max;
  made.kill_grace_ms = to_milliseconds(settings.executor().task_kill_wait);
  return made;
}

work::ShuffleClientSettings fetch_settings(const config::Settings& settings, const ApplicationId& application,
                                           std::string token) {
  const auto shuffle = settings.shuffle();
  work::ShuffleClientSettings made;
  made.application = application;
  made.token = std::move(token);
  made.use_local_files = shuffle.read_local_files;
  made.bytes_in_flight_max = shuffle.in_flight_bytes_max;
  made.read_timeout_ms = to_milliseconds(shuffle.fetch_timeout);
  made.connect_timeout_ms = std::min(made.connect_timeout_ms, made.read_timeout_ms);
  made.retries = static_cast<std::int32_t>(shuffle.fetch_retries);
  made.retry_wait_ms = to_milliseconds(shuffle.retry_wait);
  return made;
}

config::ResourceManagerSettings resource_manager_settings(const config::Settings& settings) {
  auto section = settings.resource_manager();
  if (!settings.is_set("heddle.resource_manager.offer_on_change")) section.offer_on_change = section.queue_file.empty();
  return section;
}

}  // namespace heddle::apps

#include "config/table/settings_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "config/table/container_resources.hpp"
#include "config/table/derived_settings.hpp"
#include "config/table/device_requests.hpp"
#include "config/text/value_text.hpp"

namespace heddle::config {
namespace {

using Broken = std::vector<std::string>;

void check_heartbeats(const Settings& settings, Broken& broken) {
  const auto driver = settings.driver();
  const auto executor = settings.executor();
  if (executor.heartbeat_interval * 3 > driver.executor_timeout)
    broken.push_back(
        fmt::format("heddle.driver.executor_timeout ({}) must be at least three times "
                    "heddle.executor.heartbeat_interval ({}): one late "
                    "heartbeat must not remove an executor",
                    format_duration(driver.executor_timeout), format_duration(executor.heartbeat_interval)));
  const auto node = settings.node_manager();
  const auto cluster = settings.resource_manager();
  if (node.heartbeat_interval * 3 > cluster.node_timeout)
    broken.push_back(
        fmt::format("heddle.resource_manager.node_timeout ({}) must be at least three times "
                    "heddle.node_manager.heartbeat_interval ({})",
                    format_duration(cluster.node_timeout), format_duration(node.heartbeat_interval)));
}

void check_allocation(const Settings& settings, Broken& broken) {
  const auto cluster = settings.resource_manager();
  if (cluster.allocation_min_mib > cluster.allocation_max_mib)
    broken.push_back(
        fmt::format("heddle.resource_manager.min_allocation_memory ({}m) exceeds max_allocation_memory ({}m)",
                    cluster.allocation_min_mib, cluster.allocation_max_mib));
  if (cluster.allocation_min_cores > cluster.allocation_max_cores)
    broken.push_back(fmt::format("heddle.resource_manager.min_allocation_cores ({}) exceeds max_allocation_cores ({})",
                                 cluster.allocation_min_cores, cluster.allocation_max_cores));
  const auto allocator = settings.yarn_allocator();
  if (allocator.initial_interval > allocator.heartbeat_interval)
    broken.push_back(
        fmt::format("heddle.allocator.initial_interval ({}) exceeds heddle.allocator.heartbeat_interval ({})",
                    format_duration(allocator.initial_interval), format_duration(allocator.heartbeat_interval)));
}

void check_dynamic_allocation(const Settings& settings, Broken& broken) {
  const auto dynamic = settings.dynamic_allocation();
  if (dynamic.executors_min > dynamic.executors_max)
    broken.push_back(fmt::format("heddle.dynamic_allocation.min_executors ({}) exceeds max_executors ({})",
                                 dynamic.executors_min, dynamic.executors_max));
  if (dynamic.executors_initial > dynamic.executors_max)
    broken.push_back(fmt::format("heddle.dynamic_allocation.initial_executors ({}) exceeds max_executors ({})",
                                 dynamic.executors_initial, dynamic.executors_max));
}

void check_tasks(const Settings& settings, Broken& broken) {
  const auto application = settings.application();
  const auto tasks = settings.task_scheduler();
  if (tasks.task_cores > application.executor_cores)
    broken.push_back(
        fmt::format("heddle.task.cores ({}) exceeds heddle.executor.cores ({}): no executor can run a task",
                    tasks.task_cores, application.executor_cores));
  const auto exclusion = exclusion_rules(settings);
  if (exclusion.task_and_stage_enabled && exclusion.task_attempts_per_node >= tasks.failures_max)
    broken.push_back(
        fmt::format("heddle.exclusion.task_attempts_per_node ({}) must be below heddle.task.max_failures ({}), or one "
                    "bad node can fail the job",
                    exclusion.task_attempts_per_node, tasks.failures_max));
  if (exclusion.kill_excluded_decommission && !exclusion.kill_excluded)
    broken.emplace_back("heddle.exclusion.decommission_executors needs heddle.exclusion.kill_executors");
}

/// The texts are those of Spark.
void check_devices(const Settings& settings, Broken& broken) {
  for (const auto& device : device_requests(settings)) {
    const auto& name = device.name;
    if (device.task_amount > 1 && device.task_amount != std::floor(device.task_amount))
      broken.push_back(fmt::format(
          "the resource amount {} of heddle.task.resource.{}.amount must be either <= 1.0, or a whole number",
          device.task_amount, name));
    if (device.task_amount > 0 && device.executor_amount == 0)
      broken.push_back(
          fmt::format("no executor resource configs were specified for the following task configs: {} "
                      "(heddle.executor.resource.{}.amount)",
                      name, name));
    else if (device.task_amount > static_cast<double>(device.executor_amount))
      broken.push_back(
          fmt::format("the executor resource: {}, amount: {} needs to be >= the task resource request amount of {}",
                      name, device.executor_amount, device.task_amount));
    if (device.executor_amount == 0) continue;
    if (device.discovery_script.empty() && device.addresses.empty())
      broken.push_back(
          fmt::format("the user is expecting to use resource: {}, but didn't specify a discovery script "
                      "(heddle.executor.resource.{}.discovery_script, or .addresses)",
                      name, name));
    else if (device.discovery_script.empty() && std::ssize(device.addresses) < device.executor_amount)
      broken.push_back(fmt::format("resource: {}, with addresses: {} is less than what the user requested: {}", name,
                                   fmt::join(device.addresses, ","), device.executor_amount));
  }
}

void check_input(const Settings& settings, Broken& broken) {
  const auto input = settings.input();
  if (input.split_bytes_min > input.split_bytes_max)
    broken.push_back(fmt::format("heddle.input.split_bytes_min ({}) exceeds split_bytes_max ({})",
                                 format_bytes(input.split_bytes_min), format_bytes(input.split_bytes_max)));
  const auto shuffle = settings.shuffle();
  if (shuffle.block_bytes * shuffle.merge_width > shuffle.sort_memory_bytes)
    broken.push_back(
        fmt::format("heddle.shuffle.merge_width ({}) blocks of {} do not fit in heddle.shuffle.sort_memory ({})",
                    shuffle.merge_width, format_bytes(shuffle.block_bytes), format_bytes(shuffle.sort_memory_bytes)));
}

}  // namespace

std::vector<std::string> broken_rules(const Settings& settings) {
  Broken broken;
  check_heartbeats(settings, broken);
  check_allocation(settings, broken);
  check_dynamic_allocation(settings, broken);
  check_tasks(settings, broken);
  check_devices(settings, broken);
  for (auto& sentence : misplaced_resources(settings)) broken.push_back(std::move(sentence));
  check_input(settings, broken);
  return broken;
}

Result<Done> validate(const Settings& settings) {
  const auto broken = broken_rules(settings);
  if (broken.empty()) return Done{};
  return Error{Errc::usage, fmt::format("settings contradict each other: {}", fmt::join(broken, "; "))};
}

}  // namespace heddle::config

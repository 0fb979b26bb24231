#include "apps/queues/scheduler_choice.hpp"

#include <fmt/format.h>

#include "config/text/text_file.hpp"
#include "policies/cluster/scheduler/resource_scheduler.hpp"

namespace heddle::apps {

policies::FairSchedulerSettings fair_settings(const config::Settings& settings) {
  const auto cluster = settings.resource_manager();
  const auto section = settings.fair_queues();
  policies::FairSchedulerSettings made;
  made.minimum_allocation = {cluster.allocation_min_mib, cluster.allocation_min_cores};
  made.maximum_allocation = {cluster.allocation_max_mib, cluster.allocation_max_cores};
  made.increment = {section.increment_mib, section.increment_cores};
  made.is_size_based_weight = section.size_based_weight;
  made.assignment.assigns_multiple = section.assign_multiple;
  made.assignment.is_bounded_by_room = section.dynamic_assign;
  made.assignment.max = static_cast<std::int32_t>(section.assign_max);
  made.locality.node_threshold = static_cast<float>(section.node_threshold);
  made.locality.rack_threshold = static_cast<float>(section.rack_threshold);
  if (section.continuous) made.locality.continuous_sleep = section.continuous_sleep;
  made.locality.node_delay_ms = section.node_delay_ms;
  made.locality.rack_delay_ms = section.rack_delay_ms;
  made.reservation.nodes_max = static_cast<float>(section.reservable_nodes);
  made.reservation.increment_multiple = static_cast<float>(section.reservation_multiple);
  const auto preemption = settings.fair_preemption();
  made.preemption.is_enabled = preemption.preemption;
  made.preemption.utilization_threshold = static_cast<float>(preemption.preemption_utilization);
  made.preemption.wait_before_kill = preemption.wait_before_kill;
  made.preemption.wait_before_next_check = preemption.wait_before_next_check;
  made.preemption.caps_minimum_starvation = preemption.fix_cap_starvation;
  made.update_interval = section.update_interval;
  made.container_epoch = cluster.epoch;
  made.placement = {section.may_create_queues, section.is_user_default_queue};
  return made;
}

policies::CapacitySchedulerSettings capacity_settings(const config::Settings& settings) {
  const auto cluster = settings.resource_manager();
  policies::CapacitySchedulerSettings made;
  made.minimum_allocation = {cluster.allocation_min_mib, cluster.allocation_min_cores};
  made.maximum_allocation = {cluster.allocation_max_mib, cluster.allocation_max_cores};
  made.container_epoch = cluster.epoch;
  const auto section = settings.capacity_queues();
  made.application_priority_max = static_cast<std::int32_t>(section.application_priority_max);
  made.preemption.is_enabled = section.preemption;
  made.preemption.interval = section.preemption_interval;
  made.preemption.wait_before_kill = section.preemption_wait;
  made.preemption.part_per_round = static_cast<float>(section.preemption_per_round);
  made.preemption.ignored_over_capacity = static_cast<float>(section.preemption_ignored);
  made.preemption.natural_termination_factor = static_cast<float>(section.preemption_natural);
  return made;
}

namespace {

/// Queues without a queue file: one queue named default with all resources.
config::CapacitySchedulerFile one_capacity_queue() {
  auto file = config::read_capacity_properties({{"yarn.scheduler.capacity.root.queues", "default", 0},
                                                {"yarn.scheduler.capacity.root.default.capacity", "100", 0},
                                                {"yarn.scheduler.capacity.maximum-am-resource-percent", "1", 0}},
                                               "built in");
  HEDDLE_ASSERT(file.has_value(), "the built-in queue is a right one");
  return std::move(*file);
}

ResourceSchedulerPtr shared(policies::ResourceScheduler::Rules rules) {
  return std::make_shared<const policies::ResourceScheduler>(std::move(rules));
}

Result<policies::QueueFile> read_queue_file(const config::Settings& settings) {
  const auto path = settings.resource_manager().queue_file;
  const auto content = config::read_text_file(path);
  if (!content) return content.error();
  return read_queues(settings, path, *content);
}

}  // namespace

Result<policies::QueueFile> read_queues(const config::Settings& settings, const std::string& file,
                                        const std::string& content) {
  const auto scheduler = settings.resource_manager().scheduler;
  if (scheduler == "fair") {
    auto queues = config::read_fair_scheduler_xml(content, file);
    if (!queues) return queues.error();
    return policies::QueueFile{std::move(*queues)};
  }
  if (scheduler == "capacity") {
    auto queues = config::read_capacity_scheduler_xml(content, file);
    if (!queues) return queues.error();
    return policies::QueueFile{std::move(*queues)};
  }
  return Error{Errc::usage, fmt::format("{}: the {} scheduler has no queue file", file, scheduler)};
}

Result<ResourceSchedulerPtr> make_resource_scheduler(const config::Settings& settings, Instant now) {
  const auto section = settings.resource_manager();
  if (section.scheduler == "capacity") {
    if (section.queue_file.empty())
      return shared(policies::CapacityScheduler{capacity_settings(settings), one_capacity_queue(), now});
    auto read = read_queue_file(settings);
    if (!read) return read.error();
    return shared(
        policies::CapacityScheduler{capacity_settings(settings), std::get<config::CapacitySchedulerFile>(*read), now});
  }
  if (section.scheduler == "fair") {
    config::FairSchedulerFile queues;
    if (!section.queue_file.empty()) {
      auto read = read_queue_file(settings);
      if (!read) return read.error();
      queues = std::get<config::FairSchedulerFile>(std::move(*read));
    }
    return shared(policies::FairScheduler{fair_settings(settings), queues, now});
  }
  if (!section.queue_file.empty())
    return Error{
        Errc::usage,
        fmt::format(
            "heddle.resource_manager.queue_file ({}) needs heddle.resource_manager.scheduler = fair or capacity",
            section.queue_file)};
  policies::FifoSchedulerSettings rules;
  rules.minimum_allocation = {section.allocation_min_mib, section.allocation_min_cores};
  rules.maximum_allocation = {section.allocation_max_mib, section.allocation_max_cores};
  rules.container_epoch = section.epoch;
  return shared(policies::FifoScheduler{rules});
}

std::vector<std::string> unread_queue_keys(const policies::ResourceScheduler& scheduler) {
  const auto* capacity = std::get_if<policies::CapacityScheduler>(&scheduler.rules());
  return capacity == nullptr ? std::vector<std::string>{} : capacity->file().unread_keys;
}

Result<std::optional<policies::QueueAccess>> make_queue_access(const config::Settings& settings) {
  const auto section = settings.resource_manager();
  if (!section.access_lists || section.queue_file.empty() || section.scheduler == "fifo")
    return std::optional<policies::QueueAccess>{};
  const auto queues = read_queue_file(settings);
  if (!queues) return queues.error();
  return std::optional{std::visit([](const auto& file) { return policies::QueueAccess{file}; }, *queues)};
}

}  // namespace heddle::apps

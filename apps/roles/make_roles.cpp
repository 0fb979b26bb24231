#include "apps/roles/make_roles.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <utility>

#include "actors/application_master/application_master.hpp"
#include "actors/node_manager/host_start.hpp"
#include "actors/resource_manager/cluster_start.hpp"
#include "actors/yarn_allocator/allocator_start.hpp"
#include "apps/queues/scheduler_choice.hpp"
#include "apps/roles/requested_containers.hpp"
#include "apps/roles/role_settings.hpp"
#include "apps/roles/session_files.hpp"
#include "apps/roles/yarn_container.hpp"
#include "config/table/derived_settings.hpp"
#include "config/text/text_file.hpp"

namespace heddle::apps {
namespace {

/// Number of shuffle ids per Driver. The Driver of the next application attempt starts after them, because files of
/// both can be on one node.
constexpr std::int64_t shuffles_per_driver = 1'000'000'000;

actors::YarnAllocatorStart allocator_start(const LaunchSpec& spec, const ApplicationMasterLaunch& launch,
                                           const config::Settings& settings) {
  const auto application = settings.application();
  actors::YarnAllocatorStart start;
  start.attempt = spec.container.attempt;
  start.resource_manager_address = spec.container.resource_manager_address;
  start.host = spec.container.host;
  start.driver_address = launch.driver_address;
  start.executor = executor_container(application);
  start.executor_cores = static_cast<std::int32_t>(application.executor_cores);
  start.memory_rules = executor_memory(application);
  start.executor.others = executor_others(settings);
  start.device_others = device_others(settings);
  start.settings = spec.settings;
  start.log_directory = spec.log_directory;
  if (is_on_yarn(spec)) {  // its ResourceManager does not announce grants
    start.eager_interval = std::chrono::milliseconds{100};
    start.eager_time = std::chrono::seconds{3};
  }
  for (const auto& [host, rack] : launch.racks) start.racks.set(host, rack);
  const auto exclusion = config::exclusion_rules(settings);
  start.exclusion_timeout = exclusion.timeout;
  start.failed_executors_per_node = static_cast<std::int32_t>(exclusion.application_failed_executors_per_node);
  const auto dynamic = settings.dynamic_allocation();
  start.executors_max =
      static_cast<std::int32_t>(dynamic.enabled ? dynamic.executors_max : application.executor_instances);
  return start;
}

/// On YARN the link to the ResourceManager waits for a silent one, and ends when it gives up.
config::NetworkSettings master_network(const LaunchSpec& spec, const config::Settings& settings) {
  constexpr std::int64_t no_limit = 1'000'000;
  auto network = settings.network();
  if (is_on_yarn(spec)) network.connect_retries = no_limit;
  return network;
}

/// Writes the initial queue file to the event log.
void write_queue_file(const runtime::ActorTools& tools, Instant now, const std::string& file) {
  const auto content = file.empty() ? Result<std::string>{std::string{}} : config::read_text_file(file);
  tools.events->write(now, "queue_file",
                      ports::EventFields{}.add("file", file).add("content", content ? *content : std::string{}));
}

}  // namespace

Result<ResourceManagerActor> make_resource_manager(RoleWorld world, const ResourceManagerLaunch& launch,
                                                   const config::Settings& settings,
                                                   const ResourceManagerPorts& ports) {
  const auto section = resource_manager_settings(settings);
  const auto now = world.tools.clock->now();
  auto scheduler = make_resource_scheduler(settings, now);
  if (!scheduler) return scheduler.error();
  write_queue_file(world.tools, now, section.queue_file);
  auto unread_keys = unread_queue_keys(**scheduler);
  actors::ResourceManagerStart start{launch.cluster_start, build_id(), launch.nodes_expected, std::move(*scheduler)};
  start.read_queues = [&settings](const std::string& file, const std::string& content) {
    return read_queues(settings, file, content);
  };
  start.unread_keys = std::move(unread_keys);
  start.groups = ports.groups;
  start.make_token = ports.make_token;
  auto access = make_queue_access(settings);
  if (!access) return access.error();
  start.access = std::move(*access);
  return actors::spawn_resource_manager(world.system, section, world.tools, start);
}

NodeManagerActor make_node_manager(RoleWorld world, const NodeManagerLaunch& launch, const config::Settings& settings,
                                   const NodeManagerPorts& ports) {
  actors::NodeManagerStart start;
  start.resource_manager_address = launch.resource_manager_address;
  start.host = launch.host;
  start.rack = launch.rack;
  start.slowness_percent = launch.slowness_percent;
  start.build_id = build_id();
  start.program = ports.program;
  start.capacity = launch.resource;
  start.log_bytes_max = settings.task_log().container_bytes_max;
  start.launcher = ports.launcher;
  start.files = ports.files;
  start.publish = ports.publish;
  start.transport_key = ports.transport_key;
  return actors::spawn_node_manager(world.system, settings.node_manager(), world.tools, start);
}

ApplicationMasterActor make_application_master(RoleWorld world, const LaunchSpec& spec,
                                               const config::Settings& settings, const OwnMapReduceMaster& of_job) {
  actors::ApplicationMasterStart master;
  master.attempt = spec.container.attempt;
  master.resource_manager_address = spec.container.resource_manager_address;
  master.token = spec.container.token;
  master.driver_address = of_job.address;
  master.allocator = of_job.master;
  return actors::spawn_application_master(world.system, master_network(spec, settings), world.tools, master);
}

ApplicationMasterActor make_application_master(RoleWorld world, const LaunchSpec& spec,
                                               const config::Settings& settings, const std::optional<OwnDriver>& driver,
                                               const OnMasterLeft& on_left) {
  const AttemptId& attempt = spec.container.attempt;
  auto allocator = allocator_start(spec, std::get<ApplicationMasterLaunch>(spec.role), settings);
  actors::ApplicationMasterStart master;
  if (driver) {
    allocator.driver = driver->driver;
    allocator.driver_address = master.driver_address = driver->address;
    allocator.driver_ends_application = false;
    allocator.first_shuffle = (attempt.attempt - 1) * shuffles_per_driver;
  }
  master.attempt = attempt;
  master.on_left = on_left;
  master.resource_manager_address = spec.container.resource_manager_address;
  master.token = spec.container.token;
  master.allocator =
      actors::spawn_yarn_allocator(world.system, config::allocator_rules(settings), world.tools, allocator);
  return actors::spawn_application_master(world.system, master_network(spec, settings), world.tools, master);
}

std::string shuffle_folder(const LaunchSpec& spec) { return spec.container.directory + "/shuffle"; }

ExecutorActor make_executor(RoleWorld world, const LaunchSpec& spec, const config::Settings& settings,
                            std::vector<DeviceAddresses> devices, const actors::ExecutorPorts& ports,
                            const DriverActor& driver) {
  const auto& launch = std::get<ExecutorLaunch>(spec.role);
  const auto& place = spec.container;
  actors::ExecutorSettings start;
  start.executor = launch.executor;
  start.cores = launch.cores;
  start.devices = std::move(devices);
  start.profile = launch.profile;
  start.host = place.host;
  start.shuffle_place = {place.node, place.node_epoch, place.host, place.shuffle_address, shuffle_folder(spec)};
  start.build_id = build_id();
  start.driver_address = launch.driver_address;
  start.driver = driver;
  start.heartbeat_interval = settings.executor().heartbeat_interval;
  start.register_timeout = settings.executor().register_timeout;
  return actors::spawn_executor(world.system, start, world.tools, ports);
}

}  // namespace heddle::apps

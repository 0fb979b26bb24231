// Each function below is one role's process: build the world, spawn the actor, wait for its end, leave without
// ceremony. A process ends by _exit: its children were killed before, and nobody reads what destructors would tidy up.
#include "apps/roles/role_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "actors/executor/executor.hpp"
#include "actors/node_manager/node_manager.hpp"
#include "actors/resource_manager/resource_manager.hpp"
#include "apps/roles/background_thread.hpp"
#include "apps/roles/group_cache.hpp"
#include "apps/roles/last_words.hpp"
#include "apps/roles/leftover_watch.hpp"
#include "apps/roles/master_process.hpp"
#include "apps/roles/node_files.hpp"
#include "apps/roles/process_world.hpp"
#include "apps/roles/queue_file_watch.hpp"
#include "apps/roles/role_settings.hpp"
#include "apps/roles/role_tools.hpp"
#include "apps/roles/scheduler_choice.hpp"
#include "apps/roles/session_files.hpp"
#include "config/files/settings_text.hpp"
#include "config/text/text_file.hpp"
#include "runtime/system_settings.hpp"
#include "work/commands/process_launcher.hpp"
#include "work/commands/process_tree.hpp"
#include "work/commands/spec_descriptor.hpp"
#include "work/shuffle/output_taker.hpp"
#include "work/shuffle/shuffle_client.hpp"
#include "work/shuffle/shuffle_files.hpp"
#include "work/tasks/slot_task_runner.hpp"

namespace heddle::apps {
namespace {

int fail(const std::string& text) {
  fmt::print(stderr, "heddle: {}\n", text);
  return 70;
}

/// The queues that the scheduler starts with, at the instant at which it starts.
void write_queue_file(const runtime::ActorTools& tools, Instant now, const std::string& file) {
  const auto content = file.empty() ? Result<std::string>{std::string{}} : config::read_text_file(file);
  tools.events->write(now, "queue_file",
                      ports::EventFields{}.add("file", file).add("content", content ? *content : std::string{}));
}

/// Tells the starter where this role listens: one line into the pipe that it reads.
bool announce(const std::string& address, const std::string& ready_pipe) {
  const int pipe = ::open(ready_pipe.c_str(), O_WRONLY | O_CLOEXEC);
  if (pipe < 0) return false;
  const auto line = address + "\n";
  const bool is_written = ::write(pipe, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  ::close(pipe);
  return is_written;
}

int play_resource_manager(const LaunchSpec& spec, const ResourceManagerLaunch& launch,
                          const config::Settings& settings) {
  ProcessWorld world{settings, role_events(spec, settings, "resource_manager")};
  const auto section = resource_manager_settings(settings);
  const auto now = world.clock().now();
  auto scheduler = make_resource_scheduler(settings, now);
  if (!scheduler) return fail(scheduler.error().text);
  write_queue_file(world.tools(), now, section.queue_file);
  auto unread_keys = unread_queue_keys(*scheduler);
  actors::ResourceManagerStart start{launch.cluster_start, build_id(), launch.nodes_expected, std::move(*scheduler)};
  start.read_queues = [&settings](const std::string& file, const std::string& content) {
    return read_queues(settings, file, content);
  };
  start.unread_keys = std::move(unread_keys);
  start.groups_of = [groups = std::make_shared<GroupCache>(groups_of_user)](const std::string& user) {
    return groups->groups_of(user, std::chrono::steady_clock::now());
  };
  start.make_token = [] { return fmt::format("{:016x}{:016x}", random_bits(), random_bits()); };
  auto access = make_queue_access(settings);
  if (!access) return fail(access.error().text);
  start.access = std::move(*access);
  const auto role = actors::spawn_resource_manager(world.system(), section, world.tools(), start);
  std::optional<QueueFileWatch> watch;
  if (!section.queue_file.empty())
    watch.emplace(section.queue_file, section.queue_file_interval, section.queue_file_age,
                  [role](ReloadQueues news) { caf::anon_send(role, std::move(news)); });
  const auto address = runtime::publish_on_loopback(world.system(), role);
  obey_leash(spec, [&world] { world.close_log(); });
  if (address.empty() || !announce(address, launch.ready_pipe))
    return fail("the ResourceManager cannot say where it listens");
  EndOfRole end;
  world.end_with(caf::actor_cast<caf::actor>(role), end, 0);
  const int code = end.wait();
  world.close_log();
  ::_exit(code);
}

int play_node_manager(const LaunchSpec& spec, const NodeManagerLaunch& launch, const config::Settings& settings) {
  // Before any thread is made, so that the one that waits for it below is the only one to get it.
  sigset_t pwr;
  sigemptyset(&pwr);
  sigaddset(&pwr, SIGPWR);
  if (settings.yarn_allocator().decommission) ::pthread_sigmask(SIG_BLOCK, &pwr, nullptr);
  work::become_subreaper();
  ProcessWorld world{settings, role_events(spec, settings, "node_manager." + launch.host)};
  work::ProcessLauncher launcher;
  obey_leash(spec, [&launcher, &world] {
    launcher.stop_all();
    world.close_log();
  });
  auto files = NodeFiles::make(launch.directory, spec.log_directory);
  if (!files) return fail(files.error().text);
  actors::NodeManagerStart start;
  start.resource_manager_address = launch.resource_manager_address;
  start.host = launch.host;
  start.rack = launch.rack;
  start.slowness_percent = launch.slowness_percent;
  start.build_id = build_id();
  start.program = "/proc/self/exe";
  std::error_code ignored;
  if (const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored); !ignored)
    start.program = program.string();
  start.extras = launch.extras;
  start.log_bytes_max = settings.task_log().container_bytes_max;
  start.launcher = &launcher;
  start.files = files->get();
  start.publish = [&world](const NodeManagerActor& role) { return runtime::publish_on_loopback(world.system(), role); };
  auto node = settings.node_manager();
  node.memory_mib = launch.resource.memory_mib;
  node.cores = launch.resource.cores;
  const auto role = actors::spawn_node_manager(world.system(), node, world.tools(), start);
  if (settings.yarn_allocator().decommission)
    std::thread{[role, pwr] {
      for (int signal = 0; ::sigwait(&pwr, &signal) == 0;) caf::anon_send(role, BeginDecommission{});
    }}.detach();
  EndOfRole end;
  world.end_with(caf::actor_cast<caf::actor>(role), end, 0);
  const int code = end.wait();
  launcher.stop_all();
  world.close_log();
  ::_exit(code);
}

int play_executor(const LaunchSpec& spec, const ExecutorLaunch& launch, const config::Settings& settings) {
  work::become_subreaper();
  auto devices = find_devices(settings);
  if (!devices) return fail(devices.error().text);
  ProcessWorld world{settings, std::make_unique<runtime::NoEvents>()};
  const auto& place = spec.container;
  const auto application = place.attempt.application;
  auto slots = runner_settings(settings);
  slots.slots = launch.cores;
  slots.work_directory = place.directory + "/executor-" + to_string(launch.executor);
  if (!spec.log_directory.empty()) slots.log_directory = task_log_folder(settings, spec.log_directory, application);
  slots.shuffle_writer.directory = place.directory + "/shuffle";
  slots.slowness = static_cast<double>(place.slowness_percent) / 100.0;
  auto fetching = fetch_settings(settings, application, place.token);
  fetching.scratch_directory = slots.work_directory;
  fetching.first_shuffle = slots.shuffle_writer.first_shuffle = launch.first_shuffle;
  fetching.node = place.node;
  fetching.node_epoch = place.node_epoch;
  work::ShuffleClient fetch{std::move(fetching)};
  work::SlotTaskRunner runner{slots, work::FunctionRegistry::of_program(), fetch, world.clock()};
  if (auto made = runner.make_threads(); !made) return fail(made.error().text);
  obey_leash(spec, [&runner] { runner.stop(); });
  EndOfRole end;
  actors::ExecutorSettings start;
  start.executor = launch.executor;
  start.cores = slots.slots;
  start.devices = std::move(*devices);
  start.profile = launch.profile;
  start.host = place.host;
  start.shuffle_place = {place.node, place.node_epoch, place.host, place.shuffle_address,
                         slots.shuffle_writer.directory};
  start.build_id = build_id();
  start.driver_address = launch.driver_address;
  start.heartbeat_interval = settings.executor().heartbeat_interval;
  start.register_timeout = settings.executor().register_timeout;
  BackgroundThread background;
  work::OutputTaker taker{
      fetch,
      background,
      {slots.shuffle_writer.directory, slots.shuffle_writer.first_shuffle, to_string(launch.executor), 32}};
  work::ShuffleFiles shuffle_files{background, slots.shuffle_writer.directory, slots.shuffle_writer.first_shuffle};
  const auto role =
      actors::spawn_executor(world.system(), start, world.tools(),
                             {&runner, [&end](const std::string&) { end.say(0); }, &taker, &shuffle_files});
  world.end_with(caf::actor_cast<caf::actor>(role), end, 1);
  const int code = end.wait();
  runner.stop();
  ::_exit(code);
}

}  // namespace

std::optional<int> play_role(int argc, char** argv) {
  if (argc < 3 || std::string_view{argv[1]} != "heddle-role") return std::nullopt;
  const auto spec = work::read_spec_of_arguments({argv + 2, argv + argc});
  if (!spec) return fail(spec.error().text);
  if (const auto* watch = std::get_if<LeftoverWatchLaunch>(&spec->role)) return play_leftover_watch(*spec, *watch);
  ignore_file_size_signal();
  work::own_all_children();
  end_with_a_sentence();
  const auto settings = config::read_settings(spec->settings);
  if (!settings) return fail(settings.error().text);
  if (const auto* launch = std::get_if<ResourceManagerLaunch>(&spec->role))
    return play_resource_manager(*spec, *launch, *settings);
  if (const auto* launch = std::get_if<NodeManagerLaunch>(&spec->role))
    return play_node_manager(*spec, *launch, *settings);
  if (const auto* launch = std::get_if<ExecutorLaunch>(&spec->role)) return play_executor(*spec, *launch, *settings);
  play_application_master(*spec, std::get<ApplicationMasterLaunch>(spec->role), *settings);
}

}  // namespace heddle::apps

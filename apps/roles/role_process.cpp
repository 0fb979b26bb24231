// Each function below is the main function of one role: creates the world, spawns the actor, waits for its end, and
// exits. A process ends with _exit, because its children are killed before and destructors have no useful effect.
#include "apps/roles/role_process.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <memory>
#include <thread>

#include "apps/queues/scheduler_choice.hpp"
#include "apps/roles/application_master_process.hpp"
#include "apps/roles/classic_processes.hpp"
#include "apps/roles/executor_host.hpp"
#include "apps/roles/group_directory.hpp"
#include "apps/roles/last_words.hpp"
#include "apps/roles/leftover_watch.hpp"
#include "apps/roles/make_roles.hpp"
#include "apps/roles/node_files.hpp"
#include "apps/roles/queue_file_watch.hpp"
#include "apps/roles/role_runtime.hpp"
#include "apps/roles/role_settings.hpp"
#include "apps/roles/role_tools.hpp"
#include "apps/roles/session_files.hpp"
#include "apps/roles/yarn_container.hpp"
#include "config/files/settings_text.hpp"
#include "config/text/environment.hpp"
#include "work/commands/fork_server.hpp"
#include "work/commands/process_keeper.hpp"
#include "work/commands/process_launcher.hpp"
#include "work/commands/process_rows.hpp"
#include "work/commands/process_tree.hpp"
#include "work/commands/spec_descriptor.hpp"

namespace heddle::apps {
namespace {

// One function per role of a launch spec; std::visit chooses it. A role without one does not compile.

/// Sends the changes of the queue file to the ResourceManager; none if the settings name no file.
void watch_queue_file(std::optional<QueueFileWatch>& watch, const config::Settings& settings,
                      const ResourceManagerActor& role) {
  const auto section = resource_manager_settings(settings);
  if (!section.queue_file.empty())
    watch.emplace(section.queue_file, section.queue_file_interval, section.queue_file_age,
                  [role](ReloadQueues news) { caf::anon_send(role, std::move(news)); });
}

int play(const LaunchSpec& spec, const ResourceManagerLaunch& launch, const config::Settings& settings) {
  GroupDirectory groups{groups_of_user};
  RoleRuntime world{settings, role_events(spec, settings, "resource_manager"), network_place(spec)};
  ResourceManagerPorts ports;
  ports.groups = &groups;
  const auto made = make_resource_manager({world.system(), world.tools()}, launch, settings, ports);
  if (!made) return fail_role(made.error().text);
  std::optional<QueueFileWatch> watch;
  watch_queue_file(watch, settings, *made);
  const auto address = world.publish(*made);
  exit_with_parent(spec, [&world] { world.close_log(); });
  if (address.empty() || !announce(address, launch.ready_pipe))
    return fail_role("the ResourceManager cannot report its address to the client");
  end_with_role(world, caf::actor_cast<caf::actor>(*made), [&world] { world.close_log(); });
}

/// Blocks SIGPWR, which asks a node to decommission. Called before any thread starts, so that only the thread that
/// waits for it gets it.
sigset_t block_power_signal(bool is_wanted) {
  sigset_t power;
  sigemptyset(&power);
  sigaddset(&power, SIGPWR);
  if (is_wanted) ::pthread_sigmask(SIG_BLOCK, &power, nullptr);
  return power;
}

void decommission_on_signal(const NodeManagerActor& role, sigset_t power) {
  std::thread{[role, power] {
    for (int signal = 0; ::sigwait(&power, &signal) == 0;) caf::anon_send(role, BeginDecommission{});
  }}.detach();
}

void warn_if_memory_is_hidden(const config::Settings& settings, const std::string& host) {
  if (settings.node_manager().check_physical_memory && !work::shows_own_namespace())
    fmt::print(stderr,
               "heddle: node {}: /proc shows another pid namespace, so the memory of containers is not checked; mount "
               "the /proc of this namespace\n",
               host);
}

int play(const LaunchSpec& spec, const NodeManagerLaunch& launch, const config::Settings& settings) {
  const bool is_decommissioned = settings.yarn_allocator().decommission;
  const auto power = block_power_signal(is_decommissioned);
  work::become_subreaper();
  RoleRuntime world{settings, role_events(spec, settings, "node_manager." + launch.host), network_place(spec)};
  work::ProcessLauncher launcher;
  const auto clear_up = [&launcher, &world] {
    launcher.end_all(container_leave_ms);
    world.close_log();
  };
  exit_with_parent(spec, clear_up);
  const auto files = NodeFiles::make(launch.directory, spec.log_directory);
  if (!files) return fail_role(files.error().text);
  warn_if_memory_is_hidden(settings, launch.host);
  const auto publish = [&world](const NodeManagerActor& role) { return world.publish(role); };
  const auto role =
      make_node_manager({world.system(), world.tools()}, launch, settings,
                        {&launcher, files->get(), publish, own_program(), {spec.cluster, spec.cluster_secret}});
  if (is_decommissioned) decommission_on_signal(role, power);
  end_with_role(world, caf::actor_cast<caf::actor>(role), clear_up);
}

/// Serves map outputs itself, unless the spec names a server of the node.
Result<Done> choose_shuffle_server(LaunchSpec& spec, ExecutorHost& home) {
  if (!spec.container.shuffle_address.empty()) return Done{};
  auto address = home.serve_outputs();
  if (!address) return address.error();
  spec.container.shuffle_address = std::move(*address);
  return Done{};
}

int play(const LaunchSpec& given, const ExecutorLaunch& launch, const config::Settings& settings) {
  auto spec = given;
  work::become_subreaper();
  auto devices = find_devices(settings);
  if (!devices) return fail_role(devices.error().text);
  const auto id = to_string(launch.executor);
  RoleRuntime world{settings, role_events(spec, settings, "executor." + id), network_place(spec)};
  ExecutorHost home{spec, settings, world.clock()};
  if (auto made = home.make_threads(); !made) return fail_role(made.error().text);
  if (auto chosen = choose_shuffle_server(spec, home); !chosen) return fail_role(chosen.error().text);
  exit_with_parent(spec, [&home, &world] {
    home.stop();
    world.close_log();
  });
  ExitLatch end;
  const auto role = make_executor({world.system(), world.tools()}, spec, settings, std::move(*devices),
                                  home.ports([&end, &id](const std::string& reason, bool has_failed) {
                                    fmt::print(stderr, "heddle: executor {} ends: {}\n", id, reason);
                                    end.set(has_failed ? 1 : 0);  // 1 counts as a failed executor
                                  }));
  world.end_with(caf::actor_cast<caf::actor>(role), end, 1);
  const int code = end.wait();
  home.stop();
  world.close_log();
  ::_exit(code);
}

int play(const LaunchSpec& spec, const ApplicationMasterLaunch& launch, const config::Settings& settings) {
  play_application_master(spec, launch, settings);
}

int play(const LaunchSpec& spec, const LeftoverWatchLaunch& launch, const config::Settings&) {
  return play_leftover_watch(spec, launch);
}

int play(const LaunchSpec& spec, const JobTrackerLaunch& launch, const config::Settings& settings) {
  return play_job_tracker(spec, launch, settings);
}

int play(const LaunchSpec& spec, const TaskTrackerLaunch& launch, const config::Settings& settings) {
  return play_task_tracker(spec, launch, settings);
}

int play(const LaunchSpec& spec, const TaskChildLaunch&, const config::Settings& settings) {
  return play_task_child(spec, settings);
}

/// The first process of a container on YARN. Its keeper starts the role.
int play_container() {
  const auto spec = read_container_spec();
  if (!spec) return fail_role(spec.error().text);
  ports::LaunchContext role;
  role.arguments = {own_program()};
  role.spec = *spec;
  return work::run_with_keeper(role);
}

}  // namespace

std::optional<int> play_role(int argc, char** argv) {
  if (argc < 3 || std::string_view{argv[1]} != "heddle-role") return std::nullopt;
  if (std::string_view{argv[2]} == "container") return play_container();
  if (std::string_view{argv[2]} == work::fork_server_role && !work::serve_forks(argv)) ::_exit(0);
  const auto spec = work::read_spec_of_arguments({argv + 2, argv + argc});
  if (!spec) return fail_role(spec.error().text);
  // It reads no settings, and watches processes without owning them.
  if (const auto* watch = std::get_if<LeftoverWatchLaunch>(&spec->role)) return play_leftover_watch(*spec, *watch);
  ignore_file_size_signal();
  config::drop_container_variables();
  work::own_all_children();
  install_terminate_handler();
  const auto settings = config::read_settings(spec->settings);
  if (!settings) return fail_role(settings.error().text);
  return std::visit([&](const auto& launch) { return play(*spec, launch, *settings); }, spec->role);
}

}  // namespace heddle::apps

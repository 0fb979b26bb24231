#include "apps/roles/classic_processes.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <caf/typed_event_based_actor.hpp>
#include <filesystem>
#include <memory>

#include "apps/roles/background_thread.hpp"
#include "apps/roles/make_classic_roles.hpp"
#include "apps/roles/node_files.hpp"
#include "apps/roles/role_runtime.hpp"
#include "apps/roles/role_tools.hpp"
#include "apps/roles/session_files.hpp"
#include "apps/roles/task_child_host.hpp"
#include "runtime/system_settings.hpp"
#include "work/commands/process_launcher.hpp"
#include "work/commands/process_tree.hpp"

namespace heddle::apps {
namespace {

/// Numbers of children are unique on one TaskTracker only, so each TaskTracker has a folder for their logs.
std::string child_logs(const LaunchSpec& spec, const TaskTrackerLaunch& launch) {
  return spec.log_directory.empty() ? std::string{}
                                    : fmt::format("{}/task_tracker.{}.children", spec.log_directory, launch.host);
}

}  // namespace

/// Writes the event log of the client's application.
int play_job_tracker(const LaunchSpec& spec, const JobTrackerLaunch& launch, const config::Settings& settings) {
  RoleRuntime world{settings, role_events(spec, settings, driver_log_name(1))};
  BackgroundThread background;
  actors::JobTrackerPorts ports;
  ports.background = &background;
  const auto role = make_job_tracker({world.system(), world.tools()}, launch, settings, ports);
  const auto address = runtime::publish_on_loopback(world.system(), role);
  exit_with_parent(spec, [&world] { world.close_log(); });
  if (address.empty() || !announce(address, launch.ready_pipe))
    return fail_role("the JobTracker cannot report its address to the client");
  end_with_role(world, caf::actor_cast<caf::actor>(role), [&world] { world.close_log(); });
}

int play_task_tracker(const LaunchSpec& spec, const TaskTrackerLaunch& launch, const config::Settings& settings) {
  work::become_subreaper();
  RoleRuntime world{settings, role_events(spec, settings, "task_tracker." + launch.host)};
  work::ProcessLauncher launcher;
  const auto clear_up = [&launcher, &world] {
    launcher.stop_all();
    world.close_log();
  };
  exit_with_parent(spec, clear_up);
  const auto files = NodeFiles::make(launch.directory, child_logs(spec, launch));
  if (!files) return fail_role(files.error().text);
  actors::TaskTrackerPorts ports;
  ports.publish = [&world](const TaskTrackerActor& role) { return runtime::publish_on_loopback(world.system(), role); };
  ports.launcher = &launcher;
  ports.files = files->get();
  const auto role =
      make_task_tracker({world.system(), world.tools()}, spec, settings, own_program(), wall_clock_ms(), ports);
  end_with_role(world, caf::actor_cast<caf::actor>(role), clear_up);
}

int play_task_child(const LaunchSpec& spec, const config::Settings& settings) {
  work::become_subreaper();
  RoleRuntime world{settings, std::make_unique<runtime::NoEvents>()};
  TaskChildHost home{spec, settings, world.clock()};
  if (auto made = home.make_threads(); !made) return fail_role(made.error().text);
  exit_with_parent(spec, [&home] { home.stop(); });
  ExitLatch end;
  const auto role =
      make_task_child({world.system(), world.tools()}, spec, settings, home.ports([&end](const std::string& reason) {
        // Printed into the child's log, because a task child has no event log.
        fmt::print(stderr, "heddle: the task child ends: {}\n", reason);
        end.set(0);
      }));
  world.end_with(caf::actor_cast<caf::actor>(role), end, 1);
  const int code = end.wait();
  home.stop();
  ::_exit(code);
}

}  // namespace heddle::apps

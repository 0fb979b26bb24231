#include "apps/roles/classic_processes.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <caf/typed_event_based_actor.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "apps/job_files/job_submissions.hpp"
#include "apps/roles/background_thread.hpp"
#include "apps/roles/file_systems_of.hpp"
#include "apps/roles/make_classic_roles.hpp"
#include "apps/roles/node_files.hpp"
#include "apps/roles/role_runtime.hpp"
#include "apps/roles/role_settings.hpp"
#include "apps/roles/role_tools.hpp"
#include "apps/roles/session_files.hpp"
#include "apps/roles/task_child_host.hpp"
#include "work/commands/process_launcher.hpp"
#include "work/commands/process_tree.hpp"
#include "work/files/process_owner.hpp"
#include "work/history/job_history_files.hpp"
#include "work/output/output_commit.hpp"

namespace heddle::apps {
namespace {

/// Numbers of children are unique on one TaskTracker only, so each TaskTracker has a folder for their logs.
std::string child_logs(const LaunchSpec& spec, const TaskTrackerLaunch& launch) {
  return spec.log_directory.empty() ? std::string{}
                                    : fmt::format("{}/task_tracker.{}.children", spec.log_directory, launch.host);
}

/// Of the unfinished jobs of an earlier JobTracker, if they run anew. Removes them otherwise.
Result<std::vector<actors::RecoveredJob>> jobs_to_recover(JobSubmissions& store, const config::Settings& settings) {
  if (auto opened = store.open(); !opened) return opened.error();
  const auto jobs = store.list();
  if (!jobs) return jobs.error();
  std::vector<actors::RecoveredJob> recovered;
  for (const auto job : *jobs) {
    if (!settings.job_tracker().recovers_jobs) {
      if (auto removed = store.remove(job); !removed) return removed.error();
      continue;
    }
    auto submission = store.load(job);
    actors::RecoveredJob found;
    if (submission) found.submission = std::move(*submission);
    else found.fault = submission.error().text;
    found.submission.job = job;
    recovered.push_back(std::move(found));
  }
  return recovered;
}

/// Outputs belong to the client, as in task_child_host.cpp.
work::OutputCommitSettings commit_of_outputs(const LaunchSpec& spec, const JobTrackerLaunch& launch,
                                             const config::Settings& settings) {
  auto made = commit_settings(settings, {});
  if (auto client = work::read_owner(launch.owner)) made.owner = std::move(*client);
  made.journal = spec.log_directory;
  return made;
}

/// 0 without an address.
std::uint16_t port_of(const std::string& address) {
  const auto colon = address.rfind(':');
  if (colon == std::string::npos) return 0;
  return static_cast<std::uint16_t>(std::strtoul(address.c_str() + colon + 1, nullptr, 10));
}

/// True for outputs whose commit was decided by an earlier JobTracker: it is completed.
auto recover_outputs_by(work::FileOutputCommit& commit) {
  return [&commit](const std::vector<std::string>& outputs, std::int32_t attempt) -> Result<bool> {
    const auto found = commit.recover(outputs, attempt);
    if (!found) return found.error();
    return *found == ports::CommitState::committed;
  };
}

/// Free bytes of the disk of a folder; -1: unknown.
std::int64_t free_bytes_of(const std::string& folder) {
  std::error_code fault;
  const auto space = std::filesystem::space(folder, fault);
  return fault ? -1 : static_cast<std::int64_t>(space.available);
}

}  // namespace

/// Writes the event log of the client's application.
int play_job_tracker(const LaunchSpec& spec, const JobTrackerLaunch& launch, const config::Settings& settings) {
  RoleRuntime world{settings, role_events(spec, settings, driver_log_name(launch.restarts + 1)), network_place(spec)};
  JobSubmissions store{launch.directory};
  auto recovered = jobs_to_recover(store, settings);
  if (!recovered) return fail_role(recovered.error().text);
  auto files = file_systems_of(settings);
  work::JobHistoryFiles histories;
  work::FileOutputCommit commit{files, commit_of_outputs(spec, launch, settings)};
  BackgroundThread background;
  actors::JobTrackerPorts ports;
  ports.background = &background;
  ports.store = &store;
  ports.history = &histories;
  ports.recover_outputs = recover_outputs_by(commit);
  const auto role = make_job_tracker({world.system(), world.tools()}, launch, settings, ports, std::move(*recovered),
                                     spec.log_directory);
  const auto address = world.publish(role, port_of(launch.address), true);
  exit_with_parent(spec, [&world] { world.close_log(); });
  if (address.empty()) return fail_role("the JobTracker cannot open its port " + launch.address);
  if (!launch.ready_pipe.empty() && !announce(address, launch.ready_pipe))
    return fail_role("the JobTracker cannot report its address to the client");
  end_with_role(world, caf::actor_cast<caf::actor>(role), [&world] { world.close_log(); });
}

int play_task_tracker(const LaunchSpec& spec, const TaskTrackerLaunch& launch, const config::Settings& settings) {
  work::become_subreaper();
  RoleRuntime world{settings, role_events(spec, settings, "task_tracker." + launch.host), network_place(spec)};
  work::ProcessLauncher launcher;
  const auto clear_up = [&launcher, &world] {
    launcher.end_all(container_leave_ms);
    world.close_log();
  };
  exit_with_parent(spec, clear_up);
  const auto files = NodeFiles::make(launch.directory, child_logs(spec, launch));
  if (!files) return fail_role(files.error().text);
  actors::TaskTrackerPorts ports;
  ports.publish = [&world](const TaskTrackerActor& role) { return world.publish(role); };
  ports.launcher = &launcher;
  ports.files = files->get();
  ports.free_bytes = [folder = launch.directory] { return free_bytes_of(folder); };
  ports.transport_key = {spec.cluster, spec.cluster_secret};
  const auto role =
      make_task_tracker({world.system(), world.tools()}, spec, settings, own_program(), wall_clock_ms(), ports);
  end_with_role(world, caf::actor_cast<caf::actor>(role), clear_up);
}

int play_task_child(const LaunchSpec& spec, const config::Settings& settings) {
  work::become_subreaper();
  RoleRuntime world{settings, std::make_unique<runtime::NoEvents>(), network_place(spec)};
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

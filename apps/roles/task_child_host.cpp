#include "apps/roles/task_child_host.hpp"

#include <utility>
#include <variant>

#include "apps/roles/budgeted_merges.hpp"
#include "apps/roles/make_roles.hpp"
#include "apps/roles/map_reduce_settings.hpp"
#include "apps/roles/role_settings.hpp"
#include "apps/roles/scheduled_copies.hpp"
#include "apps/roles/session_files.hpp"
#include "work/files/process_owner.hpp"
#include "work/tasks/function_registry.hpp"

namespace heddle::apps {
namespace {

std::string work_folder(const LaunchSpec& spec) {
  return spec.container.directory + "/child-" + std::to_string(std::get<TaskChildLaunch>(spec.role).child);
}

work::ShuffleClientSettings fetch_of(const LaunchSpec& spec, const config::Settings& settings) {
  const auto& place = spec.container;
  auto made = fetch_settings(settings, place.attempt.application, place.token);
  made.scratch_directory = work_folder(spec);
  limit_copies(settings, made);
  made.order_seed = static_cast<std::uint64_t>(std::get<TaskChildLaunch>(spec.role).child);
  made.node = place.node;
  made.node_epoch = place.node_epoch;
  return made;
}

work::SlotTaskRunnerSettings slot_of(const LaunchSpec& spec, const config::Settings& settings, ports::FileSystem& files,
                                     const ports::Clock& clock, ports::CopyNotices& notices) {
  auto made = runner_settings(settings);
  made.files = &files;
  made.slots = 1;
  made.has_reporter = false;  // the slot reports each end itself; the TaskChild asks for progress
  made.work_directory = work_folder(spec);
  if (!spec.log_directory.empty())
    made.log_directory = task_log_folder(settings, spec.log_directory, spec.container.attempt.application);
  made.shuffle_reader.verifies_files = true;  // damage is a failed copy, as in Hadoop, and not a failed attempt
  made.copy_rules = scheduled_copies(copy_rules(settings), clock, notices);
  made.merge_rules = budgeted_merges(memory_of_reduce(settings));
  made.shuffle_writer.directory = shuffle_folder(spec);
  made.slowness = static_cast<double>(spec.container.slowness_percent) / 100.0;
  return made;
}

/// Outputs belong to the client, because the job ends with it, regardless of the child that works on them.
work::OutputCommitSettings commit_of(const LaunchSpec& spec, const config::Settings& settings) {
  auto made = commit_settings(settings, spec.container.attempt.application);
  if (auto client = work::read_owner(std::get<TaskChildLaunch>(spec.role).owner)) made.owner = std::move(*client);
  made.journal = spec.log_directory;
  return made;
}

}  // namespace

TaskChildHost::TaskChildHost(const LaunchSpec& spec, const config::Settings& settings, const ports::Clock& clock)
    : files_(file_systems_of(settings, PathRules::local, {}, [this](const std::string& text) { waits_.report(text); })),
      fetch_{fetch_of(spec, settings)},
      runner_{slot_of(spec, settings, files_, clock, notices_), work::FunctionRegistry::of_program(), fetch_, clock},
      commit_{files_, commit_of(spec, settings)} {
  // The wait has a limit of its own, after which the attempt fails with the reason.
  waits_.set_listener([this](const std::string&) { runner_.add_sign(); });
}

actors::TaskChildPorts TaskChildHost::ports(std::function<void(const std::string& reason)> on_end) {
  return {&runner_, &commit_, &background_, &notices_, std::move(on_end)};
}

}  // namespace heddle::apps

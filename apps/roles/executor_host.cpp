#include "apps/roles/executor_host.hpp"

#include <utility>

#include "apps/roles/make_roles.hpp"
#include "apps/roles/role_settings.hpp"
#include "apps/roles/role_tools.hpp"
#include "apps/roles/session_files.hpp"
#include "work/tasks/function_registry.hpp"

namespace heddle::apps {
namespace {

std::string work_folder(const LaunchSpec& spec) {
  return spec.container.directory + "/executor-" + to_string(std::get<ExecutorLaunch>(spec.role).executor);
}

work::ShuffleClientSettings fetch_of(const LaunchSpec& spec, const config::Settings& settings) {
  const auto& place = spec.container;
  auto made = fetch_settings(settings, place.attempt.application, place.token);
  made.scratch_directory = work_folder(spec);
  made.first_shuffle = std::get<ExecutorLaunch>(spec.role).first_shuffle;
  made.node = place.node;
  made.node_epoch = place.node_epoch;
  return made;
}

work::SlotTaskRunnerSettings slots_of(const LaunchSpec& spec, const config::Settings& settings,
                                      ports::FileSystem& files) {
  const auto& launch = std::get<ExecutorLaunch>(spec.role);
  auto made = runner_settings(settings);
  made.files = &files;
  made.slots = launch.cores;
  made.work_directory = work_folder(spec);
  if (!spec.log_directory.empty())
    made.log_directory = task_log_folder(settings, spec.log_directory, spec.container.attempt.application);
  if (is_in_container_of_hadoop(spec) && settings.task_log().directory.empty()) {
    made.log_directory = spec.log_directory;
    made.log_place = work::LogPlace::container_folder;
  }
  made.shuffle_writer.directory = shuffle_folder(spec);
  made.shuffle_writer.first_shuffle = launch.first_shuffle;
  made.slowness = static_cast<double>(spec.container.slowness_percent) / 100.0;
  return made;
}

}  // namespace

ExecutorHost::ExecutorHost(const LaunchSpec& spec, const config::Settings& settings, const ports::Clock& clock)
    : spec_{spec},
      files_(file_systems_of(settings, PathRules::local, {}, [this](const std::string& text) { waits_.report(text); })),
      fetch_{fetch_of(spec, settings)},
      runner_{slots_of(spec, settings, files_), work::FunctionRegistry::of_program(), fetch_, clock},
      migrator_{fetch_,
                background_,
                {shuffle_folder(spec), std::get<ExecutorLaunch>(spec.role).first_shuffle,
                 to_string(std::get<ExecutorLaunch>(spec.role).executor), 32}},
      shuffle_files_{background_, shuffle_folder(spec), std::get<ExecutorLaunch>(spec.role).first_shuffle} {
  waits_.set_listener([this](const std::string& text) { runner_.report_wait(text); });
}

actors::ExecutorPorts ExecutorHost::ports(std::function<void(const std::string& reason, bool has_failed)> on_end) {
  return {&runner_, std::move(on_end), &migrator_, &shuffle_files_};
}

Result<std::string> ExecutorHost::serve_outputs() {
  const auto& place = spec_.container;
  work::ShuffleServerSettings settings;
  settings.bind_address = place.host;
  auto started = work::ShuffleServer::start(settings);
  if (!started) return started.error();
  server_ = std::move(*started);
  server_->add_application(place.attempt.application, place.token, shuffle_folder(spec_));
  return server_->address();
}

}  // namespace heddle::apps

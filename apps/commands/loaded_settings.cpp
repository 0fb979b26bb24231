#include "apps/commands/loaded_settings.hpp"

#include <utility>

#include "apps/session/session_request.hpp"
#include "config/text/environment.hpp"

namespace heddle::apps {

namespace {

/// As a session on the cluster of the topology has them.
Result<config::LoadedSettings> load_settings_of_topology(const JobOptions& options) {
  SessionRequest request;
  request.master = options.master;
  request.topology = options.topology;
  request.assignments = options.assignments;
  auto prepared = prepare_session(request);
  if (!prepared) return prepared.error();
  return config::LoadedSettings{std::move(prepared->options.settings), std::move(prepared->warnings), {}};
}

}  // namespace

Result<config::LoadedSettings> load_settings_of(const JobOptions& options) {
  if (!options.topology.empty()) return load_settings_of_topology(options);
  config::SettingsRequest request;
  request.assignments = options.assignments;
  request.master = options.master;
  auto folder = current_folder();
  if (!folder) return folder.error();
  request.working_folder = std::move(*folder);
  request.environment = config::read_environment();
  return config::load_settings(request);
}

}  // namespace heddle::apps

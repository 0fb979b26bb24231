#include "apps/commands/loaded_settings.hpp"

#include <utility>

#include "apps/session/session_request.hpp"
#include "config/text/environment.hpp"

namespace heddle::apps {

Result<config::LoadedSettings> load_settings_of(const JobOptions& options) {
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

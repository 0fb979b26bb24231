// `heddle config`: lists settings, explains one, or prints the values in effect.
#pragma once

#include <string>

#include "apps/cli/options.hpp"
#include "config/files/settings_sources.hpp"
#include "model/result.hpp"

namespace heddle::apps {

/// Returns the text for stdout. Only --effective reads `loaded`. An unknown key is a not_found error that lists
/// matching keys, or else suggests the nearest one.
Result<std::string> answer_config(const ConfigOptions& options, const config::LoadedSettings& loaded);

}  // namespace heddle::apps

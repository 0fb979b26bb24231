// `heddle config`: what settings exist, what one means, what counts here.
#pragma once

#include <string>

#include "apps/cli/options.hpp"
#include "config/files/settings_sources.hpp"
#include "model/result.hpp"

namespace heddle::apps {

/// The text for stdout. `loaded` is read for --effective alone. An unknown key is not_found, with the nearest known
/// one.
Result<std::string> answer_config(const ConfigOptions& options, const config::LoadedSettings& loaded);

}  // namespace heddle::apps

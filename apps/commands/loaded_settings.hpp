// Settings of a verb that starts no session.
#pragma once

#include "apps/cli/options.hpp"
#include "config/files/settings_sources.hpp"
#include "model/result.hpp"

namespace heddle::apps {

/// Reads all sources of settings, with --set, --master and --topology of the options.
[[nodiscard]] Result<config::LoadedSettings> load_settings_of(const JobOptions& options);

}  // namespace heddle::apps

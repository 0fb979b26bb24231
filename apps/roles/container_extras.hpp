// What containers are asked for beside memory and cores, of the kinds that the cluster counts (docs/decisions/0027).
#pragma once

#include <string>

#include "config/table/settings.hpp"
#include "model/extra_resource.hpp"

namespace heddle::apps {

/// Of an executor of the default profile: what the settings name for its container, and its devices.
[[nodiscard]] ExtraResources executor_extras(const config::Settings& settings);
/// Of executors of a stage's own size: their devices alone.
[[nodiscard]] ExtraResources device_extras(const config::Settings& settings);
/// Of the master container, which in cluster mode holds the Driver.
[[nodiscard]] ExtraResources master_extras(const config::Settings& settings, bool holds_driver);

/// "2 of yarn.io/gpu, 1 of license"
[[nodiscard]] std::string in_words(const ExtraResources& extras);

}  // namespace heddle::apps

// Extra resources (other than memory and cores) of container requests, limited to the kinds that the cluster counts
// (docs/decisions/0027).
#pragma once

#include <string>

#include "config/table/settings.hpp"
#include "model/extra_resource.hpp"

namespace heddle::apps {

/// Extra resources of an executor of the default profile: those in the settings, and its devices.
[[nodiscard]] ExtraResources executor_extras(const config::Settings& settings);
/// Extra resources of executors of a stage's profile: only devices.
[[nodiscard]] ExtraResources device_extras(const config::Settings& settings);
/// Extra resources of the master container, which contains the Driver in cluster mode.
[[nodiscard]] ExtraResources master_extras(const config::Settings& settings, bool holds_driver);

/// Formats as "2 of yarn.io/gpu, 1 of license".
[[nodiscard]] std::string extras_text(const ExtraResources& extras);

}  // namespace heddle::apps

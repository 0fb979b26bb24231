// Resource types besides memory and cores of container requests, limited to those that the cluster counts
// (docs/decisions/0027).
#pragma once

#include "config/table/settings.hpp"
#include "model/resources.hpp"

namespace heddle::apps {

/// Of an executor of the default profile: the types in the settings, and its devices.
[[nodiscard]] ResourceAmounts executor_others(const config::Settings& settings);
/// Of executors of a stage's profile: only devices.
[[nodiscard]] ResourceAmounts device_others(const config::Settings& settings);
/// Of the master container, which contains the Driver in cluster mode.
[[nodiscard]] ResourceAmounts master_others(const config::Settings& settings, bool holds_driver);

}  // namespace heddle::apps

// Rules that join several settings, each with the sentence that a user reads when it is broken.
#pragma once

#include <string>
#include <vector>

#include "config/table/settings.hpp"
#include "model/result.hpp"

namespace heddle::config {

/// One sentence per broken rule, with the values; empty: the settings agree with each other.
[[nodiscard]] std::vector<std::string> broken_rules(const Settings& settings);

/// Done, or all broken rules as one usage error.
Result<Done> validate(const Settings& settings);

}  // namespace heddle::config

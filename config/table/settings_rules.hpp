// Rules over several settings, each with an error text.
#pragma once

#include <string>
#include <vector>

#include "config/table/settings.hpp"
#include "model/result.hpp"

namespace heddle::config {

/// One sentence per broken rule, with the values.
[[nodiscard]] std::vector<std::string> broken_rules(const Settings& settings);

/// Done, or Errc::usage with all broken rules.
Result<Done> validate(const Settings& settings);

}  // namespace heddle::config

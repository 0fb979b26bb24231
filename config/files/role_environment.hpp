// What a role's process is told by whoever started it, through HEDDLE_… variables.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/table/settings.hpp"
#include "model/ids.hpp"
#include "model/result.hpp"

namespace heddle::config {

/// A variable of this process; empty if it is not set.
[[nodiscard]] std::string role_variable(const char* name);
/// From here on this process alone reads what its role was told (its secret above all): commands that it starts do not
/// inherit it. Called while there is one thread.
void hide_role_variables();
/// The same as a number; `otherwise` if it is not set or none.
[[nodiscard]] std::int64_t role_number(const char* name, std::int64_t otherwise);
/// The application that HEDDLE_CLUSTER_START and HEDDLE_APPLICATION_NUMBER name.
[[nodiscard]] ApplicationId role_application();

/// Racks of hosts as one variable, and back. A line per host.
[[nodiscard]] std::string write_racks(const std::map<std::string, std::string>& racks);
[[nodiscard]] std::map<std::string, std::string> read_racks(std::string_view text);

/// Settings as one variable, and back. A line per changed setting; derived ones begin with '~' and stay derived.
[[nodiscard]] std::string write_settings(const Settings& settings);
[[nodiscard]] Result<Settings> read_settings(std::string_view text);

}  // namespace heddle::config

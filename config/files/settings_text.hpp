// Serialises the changed settings for role processes.
#pragma once

#include <string>
#include <string_view>

#include "config/table/settings.hpp"
#include "model/result.hpp"

namespace heddle::config {

/// Writes and reads one line KEY=VALUE per changed setting. A line of a derived setting starts with ~, and it is read
/// as derived again. Reading fails with Errc::usage for an unknown key or a wrong value.
[[nodiscard]] std::string write_settings(const Settings& settings);
[[nodiscard]] Result<Settings> read_settings(std::string_view text);

}  // namespace heddle::config

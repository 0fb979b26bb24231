// The changed settings as one text, for the processes of other roles.
#pragma once

#include <string>
#include <string_view>

#include "config/table/settings.hpp"
#include "model/result.hpp"

namespace heddle::config {

/// Settings as a text, and back. A line per changed setting; derived ones begin with '~' and stay derived.
[[nodiscard]] std::string write_settings(const Settings& settings);
[[nodiscard]] Result<Settings> read_settings(std::string_view text);

}  // namespace heddle::config

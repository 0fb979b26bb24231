// Properties of MapReduce that heddle knows and does not honour: what it does instead.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::config {

/// None: not such a property. Empty: heddle does what the value requires. Otherwise a notice for the user, without
/// location.
[[nodiscard]] std::optional<std::string> notice_of_unhonoured(std::string_view key, std::string_view value);

}  // namespace heddle::config

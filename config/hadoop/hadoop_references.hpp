// References in values of Hadoop's configuration:
//   ${name}              value of another property
//   ${env.NAME}          environment variable
//   ${env.NAME-text}     the variable, or `text` if it is not set
//   ${env.NAME:-text}    the variable, or `text` if it is not set or empty
// As in Hadoop's Configuration, an unknown reference stays as it is, and so does a value that refers to itself.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/table/setting_entry.hpp"
#include "model/result.hpp"

namespace heddle::config {

/// Value of a name; empty if it has none.
using NameLookup = std::function<std::optional<std::string>(const std::string& name)>;

/// Replaces all references in `value`. Errc::usage if more than 20 replacements are needed.
[[nodiscard]] Result<std::string> expand_references(const std::string& value, const NameLookup& property,
                                                    const NameLookup& variable);

/// Expands each value with the other entries and the environment; the last one of equal keys is used. Errors name the
/// file and line of the entry.
[[nodiscard]] Result<Done> expand_entries(std::vector<SettingEntry>& entries);
/// The same for a map.
[[nodiscard]] Result<Done> expand_configuration(std::map<std::string, std::string, std::less<>>& configuration);

}  // namespace heddle::config

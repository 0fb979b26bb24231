// References within the values of Hadoop's configuration: ${name} stands for another property, ${env.NAME} for a
// variable of the environment, ${env.NAME:-word} and ${env.NAME-word} for the word where the variable is not set (or,
// with a colon, empty). After Hadoop's Configuration: what is not known stays as it is, and so does a value that comes
// round to itself.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/table/setting_entry.hpp"
#include "model/result.hpp"

namespace heddle::config {

/// What a name stands for, if anything.
using NameLookup = std::function<std::optional<std::string>(const std::string& name)>;

/// A usage error after 20 replacements.
[[nodiscard]] Result<std::string> expand_references(const std::string& value, const NameLookup& property,
                                                    const NameLookup& variable);

/// Expands every value by the others and by the process's environment; of two with the same key the later one is
/// referred to. Errors name the place of the entry.
[[nodiscard]] Result<Done> expand_entries(std::vector<SettingEntry>& entries);
/// The same for a configuration that is a map already.
[[nodiscard]] Result<Done> expand_configuration(std::map<std::string, std::string, std::less<>>& configuration);

}  // namespace heddle::config

// Names of Hadoop's counters for people, as its job histories have them. Source: Hadoop's resource bundles.
#pragma once

#include <string_view>

namespace heddle::history {

/// Name of a counter group of Hadoop, or the group itself. Hadoop has the spaces at the end.
[[nodiscard]] std::string_view shown_group(std::string_view group);
/// Name of a counter in a group, or the counter itself if the group or the counter is not Hadoop's.
[[nodiscard]] std::string_view shown_counter(std::string_view group, std::string_view counter);

}  // namespace heddle::history

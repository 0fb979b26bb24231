// Settings of a job as a configuration file of Hadoop: job_<start>_<number>_conf.xml.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heddle::work {

/// Each key once, with its last value, in the order of the keys. Left out: keys with a word for secrets,
/// such as "password". Symbols that XML cannot have become U+FFFD.
[[nodiscard]] std::string settings_xml(const std::vector<std::pair<std::string, std::string>>& settings);

}  // namespace heddle::work

// A setting as a file names it: not yet known to exist, with the place for an error.
#pragma once

#include <string>

namespace heddle::config {

struct SettingEntry {
  std::string key;
  std::string value;
  std::string place;  // "job.toml:3:1"
  bool operator==(const SettingEntry&) const = default;
};

}  // namespace heddle::config

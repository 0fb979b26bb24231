// A setting as written in a file, not yet checked, with its location for error texts.
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

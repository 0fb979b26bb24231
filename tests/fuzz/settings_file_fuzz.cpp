#include "config/files/settings_sources.hpp"
#include "tests/fuzz/fuzz_target.hpp"

HEDDLE_FUZZ_TARGET(settings_file) {
  const auto read = heddle::config::parse_settings_file("heddle.toml", input);
  if (!read) HEDDLE_ASSERT(read.error().text.find("heddle.toml") != std::string::npos, read.error().text);
}

#include "config/files/topology_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

HEDDLE_FUZZ_TARGET(topology_file) {
  const auto read = heddle::config::parse_topology_file("topology.toml", input);
  if (!read) HEDDLE_ASSERT(read.error().text.find("topology.toml") != std::string::npos, read.error().text);
}

// Where a job runs: what --master names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/result.hpp"

namespace heddle::apps {

/// local[N], local[N,F], local[*]: one process with N slots and F tries per task.
/// local-cluster[n,c,m]: n NodeManagers for executors of c cores and m MiB, each role a process.
struct Master {
  enum class Kind : std::uint8_t { local, local_cluster };
  Kind kind = Kind::local;
  std::int32_t slots = 1;
  std::int32_t tries = 1;
  std::int32_t nodes = 1;
  std::int32_t cores = 1;
  std::int64_t memory_mib = 1024;
};

/// Reads the text of --master; `machine_cores` is what * stands for. A usage error says what can be written.
[[nodiscard]] Result<Master> parse_master(std::string_view text, std::int32_t machine_cores);

}  // namespace heddle::apps

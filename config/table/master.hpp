// --master: where a job runs, and what that says about its settings (product page 2).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/table/settings.hpp"
#include "model/result.hpp"

namespace heddle::config {

enum class MasterKind : std::uint8_t { local, local_cluster };

struct Master {
  MasterKind kind = MasterKind::local;
  std::int32_t slots = 1;       // local: task slots
  std::int32_t tries = 1;       // local: attempts of one task
  std::int32_t nodes = 0;       // local_cluster: NodeManagers, as many executors
  std::int32_t cores = 0;       // of one executor
  std::int64_t memory_mib = 0;  // of one executor
  bool is_of_topology =
      false;  // nobody named it: sizes are those of the topology's first host, unless settings say otherwise
  bool has_tries = false;  // local[N,F]: F was named
  bool operator==(const Master&) const = default;
};

/// `local`, `local[N]`, `local[*]` (all `processors`), `local[N,F]`, `local[*,F]`, `local-cluster[n,c,m]`. Other
/// masters are refused with a sentence, as not available in this version.
Result<Master> parse_master(std::string_view text, std::int32_t processors);

/// Sets what the master says about sizes and tries over every file; what it merely suggests (number of executors,
/// minimum allocation, overhead, no waiting for a ratio of executors) counts below them all. Set before --set, which
/// wins over both. heddle.task.max_failures of the job file counts with local[N], which names no number of tries.
Result<Done> apply_master(Settings& settings, const Master& master);

}  // namespace heddle::config

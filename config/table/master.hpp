// The master URL (--master): where a job runs, and the settings that it implies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/table/settings.hpp"
#include "model/result.hpp"

namespace heddle::config {

enum class MasterKind : std::uint8_t { local, local_cluster, yarn };

struct MasterUrl {
  MasterKind kind = MasterKind::local;
  std::int32_t slots = 1;       // local: task slots
  std::int32_t tries = 1;       // local: maximum attempts of one task
  std::int32_t nodes = 0;       // local_cluster: number of NodeManagers and of executors
  std::int32_t cores = 0;       // of one executor
  std::int64_t memory_mib = 0;  // of one executor
  bool is_of_topology = false;  // from a topology: sizes of its first host, which settings may override
  bool has_tries = false;       // local[N,F]: F is given
  bool operator==(const MasterUrl&) const = default;
};

/// The master URLs that a command can use, for errors.
enum class MasterForms : std::uint8_t { all, local_cluster };
[[nodiscard]] std::string_view to_string(MasterForms forms);

/// Parses `local`, `local[N]`, `local[*]` (N = `processors`), `local[N,F]`, `local[*,F]`, `local-cluster[n,c,m]` and
/// `yarn`. Fails with Errc::usage for any other text.
Result<MasterUrl> parse_master(std::string_view text, std::int32_t processors, MasterForms offered = MasterForms::all);

/// Applies the settings that the master URL implies. Sizes and task attempts override all files. Number of executors,
/// minimum allocation, overhead and the wait for executors are defaults, which files override. Call it before --set is
/// applied, which overrides both. With local[N] (without F), heddle.task.max_failures of the job file is kept. `yarn`
/// has defaults only.
Result<Done> apply_master(Settings& settings, const MasterUrl& master);

}  // namespace heddle::config

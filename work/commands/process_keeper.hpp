// Runs a process for a foreign NodeManager, which signals only the process group that it started. Three processes:
//   first    started by the NodeManager; ends last, with the exit code of the kept process
//   keeper   in a session of its own; starts the kept process, and kills it with all its descendants
//   kept     the role
// First and keeper share a pipe. If the first process gets SIGTERM, or is killed, the keeper ends the tree. If the
// keeper is killed, the first process ends it. Each is an ancestor of the kept process, so the NodeManager's
// measurement of memory, which follows parents, includes all.
#pragma once

#include <cstdint>

#include "ports/process_launcher.hpp"

namespace heddle::work {

/// Exit code if the process cannot be started.
inline constexpr int not_started_exit_code = 126;

/// Time between SIGTERM and the kill of the tree: a NodeManager kills its process group 250 ms after SIGTERM.
inline constexpr std::int64_t keeper_grace_ms = 200;

/// Runs the process and returns its exit code: 128 + n if signal n killed it. SIGTERM, SIGINT and SIGHUP close the
/// parent watch of the process; `grace_ms` later its whole tree is killed. Forks: call it before any thread starts.
[[nodiscard]] int run_with_keeper(const ports::LaunchContext& context, std::int64_t grace_ms = keeper_grace_ms);

}  // namespace heddle::work

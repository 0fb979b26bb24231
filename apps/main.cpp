// The heddle program. Runs a verb of the command line, or, if heddle started this process as a role of a cluster, that
// role.
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>

#include "apps/commands/commands.hpp"
#include "apps/roles/role_process.hpp"

namespace {

/// glibc reserves 64 MiB of address space for the heap of each thread. Under a limit (ulimit -v) a process has used it
/// up with a few threads, and lacks memory for its connections later. Threads share heaps then: one for each 512 MiB.
void bound_heaps() {
  constexpr rlim_t heap_share = 512UL << 20;
  constexpr rlim_t heaps_max = 64;
  rlimit space{};
  if (::getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) return;
  ::mallopt(M_ARENA_MAX, static_cast<int>(std::clamp<rlim_t>(space.rlim_cur / heap_share, 1, heaps_max)));
}

}  // namespace

int main(int argc, char** argv) {
  bound_heaps();
  if (const auto code = heddle::apps::play_role(argc, argv)) return *code;
  return heddle::apps::run_command_line(argc, argv);
}

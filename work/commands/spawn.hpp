// Starts one process in its own session, with default signals and the given descriptors and environment; nothing else
// is inherited. Reaps it, and keeps the set of children that were started here.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/result.hpp"

namespace heddle::work {

/// Environment of this process with changes, in the form that exec needs.
class EnvironmentBlock {
public:
  explicit EnvironmentBlock(const std::vector<std::pair<std::string, std::string>>& changes);
  EnvironmentBlock(const EnvironmentBlock&) = delete;
  EnvironmentBlock& operator=(const EnvironmentBlock&) = delete;
  [[nodiscard]] char* const* pointers() const { return pointers_.data(); }
  /// Value of PATH in this environment.
  [[nodiscard]] std::string_view path() const { return path_; }

private:
  std::vector<std::string> own_;
  std::vector<char*> pointers_;
  std::string_view path_;
};

struct SpawnRequest {
  const std::vector<std::string>* arguments = nullptr;  // with a slash: a path; otherwise searched in PATH
  const EnvironmentBlock* environment = nullptr;
  std::string working_directory;  // empty: inherited; otherwise also the first folder of the search
  int standard_input = -1;        // -1: inherited
  int standard_output = -1;
  int standard_error = -1;
  int inherited = -1;          // the child gets it as inherited_descriptor
  int spec = -1;               // the child gets it as spec_descriptor; must be larger than that
  bool no_input = false;       // stdin is /dev/null
  bool closes_others = false;  // close all other descriptors, also without close-on-exec
};

constexpr int inherited_descriptor = 3;
constexpr int spec_descriptor = 4;

/// Starts the process. Errors: not_found, refused (not executable, or arguments too long), io (no processes or memory
/// left).
[[nodiscard]] Result<pid_t> spawn_process(const SpawnRequest& request);

/// A child that another process forked for this one (fork_server.hpp): from now on as if it had been started here.
void add_child(pid_t pid);

/// Exit status of a child; exit_code is 128 + n for signal n.
struct ChildExit {
  std::int32_t exit_code = 0;
  std::int32_t signal = 0;
};

/// Reaps a child of spawn_process; nothing while it runs. An Error if the exit status is lost: another part of the
/// program reaped the child, or SIGCHLD is ignored. `pidfd` can be -1.
[[nodiscard]] Result<std::optional<ChildExit>> reap_child(pid_t pid, int pidfd);

/// Kills a child of spawn_process and its group, and waits until it is reaped.
void kill_child(pid_t pid);

/// True from spawn_process until reap_child or kill_child.
[[nodiscard]] bool is_own_child(pid_t pid);

/// A reaped child of spawn_process. It led a session: while that has members, the kernel does not reuse its pid.
struct ReapedChild {
  pid_t pid = 0;
  std::uint64_t at = 0;  // clock ticks since boot, as in /proc/PID/stat
};

/// The last 64 reaped children.
[[nodiscard]] std::vector<ReapedChild> last_reaped_children();

/// True while the first thread of this process is in posix_spawn: the child may exist and not be registered yet.
[[nodiscard]] bool is_first_thread_spawning();

/// Finds the file for `name` in `directory`, then in the folders of `path`. Empty if there is none.
[[nodiscard]] std::string find_program(std::string_view name, std::string_view directory, std::string_view path);

}  // namespace heddle::work

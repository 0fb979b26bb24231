// Starts one process: in a session of its own, with clean signals, given descriptors and environment, nothing else
// inherited. Reaps it, and knows which children of this process were started here.
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

/// Our environment with some variables replaced or added, ready for exec.
class EnvironmentBlock {
public:
  explicit EnvironmentBlock(const std::vector<std::pair<std::string, std::string>>& changes);
  EnvironmentBlock(const EnvironmentBlock&) = delete;
  EnvironmentBlock& operator=(const EnvironmentBlock&) = delete;
  [[nodiscard]] char* const* pointers() const { return pointers_.data(); }
  /// Value of PATH in it.
  [[nodiscard]] std::string_view path() const { return path_; }

private:
  std::vector<std::string> own_;
  std::vector<char*> pointers_;
  std::string_view path_;
};

struct SpawnRequest {
  const std::vector<std::string>* arguments = nullptr;  // arguments[0]: with a slash as it stands, otherwise looked up
  const EnvironmentBlock* environment = nullptr;
  std::string working_directory;  // empty: ours; otherwise also the first place of the look-up
  int standard_input = -1;        // -1: inherited
  int standard_output = -1;
  int standard_error = -1;
  int inherited = -1;          // becomes inherited_descriptor
  int spec = -1;               // becomes spec_descriptor; its own number is above that
  bool no_input = false;       // stdin is /dev/null
  bool closes_others = false;  // whatever else is open here, marked or not
};

constexpr int inherited_descriptor = 3;
constexpr int spec_descriptor = 4;

/// not_found, refused (no right to execute it) or io (no processes, no memory), each with a sentence.
[[nodiscard]] Result<pid_t> spawn_process(const SpawnRequest& request);

/// How a child ended. exit_code is 128 + n for signal n.
struct ChildEnd {
  std::int32_t exit_code = 0;
  std::int32_t signal = 0;
};

/// Reaps a child of spawn_process that has ended; nothing while it runs. An Error where its exit status is lost:
/// another part of the program reaped it, or made the kernel drop it by ignoring SIGCHLD. `pidfd` may be -1.
[[nodiscard]] Result<std::optional<ChildEnd>> reap_child(pid_t pid, int pidfd);

/// Kills a child of spawn_process and its group, and waits until it is reaped.
void kill_child(pid_t pid);

/// True from spawn_process until the child is reaped here.
[[nodiscard]] bool is_own_child(pid_t pid);

/// A child of spawn_process that was reaped. It led a session: while that has members, no other process gets its
/// number.
struct ReapedChild {
  pid_t pid = 0;
  std::uint64_t at = 0;  // clock ticks since the machine started, as /proc/PID/stat counts
};

/// The last 64.
[[nodiscard]] std::vector<ReapedChild> last_reaped_children();

/// True while this process's first thread starts a child: the child may exist and not be known yet.
[[nodiscard]] bool is_first_thread_spawning();

/// The file that `name` means: in `directory`, then along `path`. Empty if there is none.
[[nodiscard]] std::string find_program(std::string_view name, std::string_view directory, std::string_view path);

}  // namespace heddle::work

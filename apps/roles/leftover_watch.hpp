// A small process that outlives this one by a moment: where this one was killed, it kills what was started here and
// removes the working folder, which nobody else would do.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>

#include "model/launch_spec.hpp"
#include "work/files/file_handle.hpp"

namespace heddle::apps {

/// Lets watches start, as `PROGRAM heddle-role watch`. For a program whose main function asks play_role first: any
/// other would do its own work a second time.
void allow_leftover_watches();

class LeftoverWatch {
public:
  /// What was started here has `patience` to leave before it is killed. Nothing where watches are not allowed, or none
  /// can be started: a session works without.
  [[nodiscard]] static std::unique_ptr<LeftoverWatch> start(const std::string& folder,
                                                            std::chrono::milliseconds patience);
  /// Ends the watch; it does nothing.
  ~LeftoverWatch();
  LeftoverWatch(const LeftoverWatch&) = delete;
  LeftoverWatch& operator=(const LeftoverWatch&) = delete;

private:
  LeftoverWatch(pid_t pid, work::FileHandle parent_watch) : pid_{pid}, parent_watch_{std::move(parent_watch)} {}
  pid_t pid_;
  work::FileHandle parent_watch_;  // write end: closed by the kernel when this process is gone
};

/// As long as a parent watch gives roles, and a moment.
inline constexpr std::chrono::milliseconds role_patience{1700};

/// What such a process does; answers its exit code.
[[nodiscard]] int play_leftover_watch(const LaunchSpec& spec, const LeftoverWatchLaunch& launch);

}  // namespace heddle::apps

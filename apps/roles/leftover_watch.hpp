// A small watch process: if this process is killed, it kills all processes started here and removes the working folder.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>

#include "model/launch_spec.hpp"
#include "work/files/file_handle.hpp"

namespace heddle::apps {

/// Allows to start watch processes, as `PROGRAM heddle-role watch`. Only for programs whose main function calls
/// play_role first; another program would run its own main a second time.
void allow_leftover_watches();

class LeftoverWatch {
public:
  /// Starts the watch. It kills remaining processes `patience` after the end of this process. Returns null if watches
  /// are not allowed or cannot be started; a session works without one.
  [[nodiscard]] static std::unique_ptr<LeftoverWatch> start(const std::string& folder,
                                                            std::chrono::milliseconds patience);
  /// Ends the watch process without any other effect.
  ~LeftoverWatch();
  LeftoverWatch(const LeftoverWatch&) = delete;
  LeftoverWatch& operator=(const LeftoverWatch&) = delete;

private:
  LeftoverWatch(pid_t pid, work::FileHandle parent_watch) : pid_{pid}, parent_watch_{std::move(parent_watch)} {}
  pid_t pid_;
  work::FileHandle parent_watch_;  // write end: the kernel closes it when this process ends
};

/// Slightly longer than the time that a parent watch gives a role for its cleanup.
inline constexpr std::chrono::milliseconds role_patience{1700};

/// Main function of the watch process; returns its exit code.
[[nodiscard]] int play_leftover_watch(const LaunchSpec& spec, const LeftoverWatchLaunch& launch);

}  // namespace heddle::apps

// Handles Ctrl-C and other termination signals: the first one cancels, the second one kills.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace heddle::apps {

/// Installs handlers that count SIGINT, SIGTERM, SIGHUP and SIGQUIT; ignored SIGHUP and SIGQUIT stay ignored (nohup).
/// At the second signal, kills all processes started here, removes the working folders, and exits with code 130,
/// whatever the program is doing. All SIGHUPs count as one, because a closing terminal can send several.
void watch_interrupts();
/// Returns true after the first signal.
[[nodiscard]] bool is_interrupted();
/// Calls `call` on another thread after each signal, until the result is destroyed. `call` must not block: the same
/// thread kills at the second signal. Null before watch_interrupts(), or if it could not install the handlers.
[[nodiscard]] std::shared_ptr<void> on_interrupt(std::function<void()> call);
/// Message after the first signal: which one it was, and which signal kills this process.
[[nodiscard]] std::string interrupt_hint();
/// Call before a normal exit: after a second signal it does not return, so that the process ends with that signal's
/// exit code.
void wait_if_interrupted_twice();

}  // namespace heddle::apps

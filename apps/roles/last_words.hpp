// Ends a process with an error message instead of an abort if the system has no threads or memory left.
#pragma once

namespace heddle::apps {

/// Installs a terminate handler: for an uncaught std::system_error or std::bad_alloc it prints a message on stderr,
/// kills all processes started here, removes the working folders, and exits with code 70. Other exceptions still abort.
/// Only for programs of heddle. `before_end` is called before the exit; it must not allocate.
void install_terminate_handler(void (*before_end)() = nullptr);

}  // namespace heddle::apps

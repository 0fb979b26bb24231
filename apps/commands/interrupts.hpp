// Ctrl-C: the first asks for an orderly end, the second ends at once.
#pragma once

namespace heddle::apps {

/// Counts SIGINT and SIGTERM from now on, instead of dying of the first.
void watch_interrupts();
/// True from the first on. At the second it does not return: everything that this process started is killed, exit code 130.
[[nodiscard]] bool is_interrupted();

}  // namespace heddle::apps

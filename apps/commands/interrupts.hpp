// Ctrl-C: the first asks for an orderly end, the second ends at once.
#pragma once

namespace heddle::apps {

/// From now on SIGINT and SIGTERM are counted instead of ending this process. At the second one, whatever it is doing,
/// everything that it started is killed, its working folders are removed, and it ends with code 130.
void watch_interrupts();
/// True from the first on.
[[nodiscard]] bool is_interrupted();
/// Called before this process ends by itself: after a second interrupt it does not return, and the end is that one's.
void let_second_interrupt_end();

}  // namespace heddle::apps

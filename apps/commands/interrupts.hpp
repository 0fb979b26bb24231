// Ctrl-C and other signals that end programs: the first asks for an orderly end, the second ends at once.
#pragma once

#include <string>

namespace heddle::apps {

/// From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT are counted instead of ending this process; SIGHUP and SIGQUIT stay
/// ignored where they were (nohup). At the second one, whatever it is doing, everything that it started is killed, its
/// working folders are removed, and it ends with code 130. A terminal that closes may send SIGHUP
/// several times: they count once.
void watch_interrupts();
/// True from the first on.
[[nodiscard]] bool is_interrupted();
/// What to tell the user after the first: what came, and what would end this process at once.
[[nodiscard]] std::string interrupt_hint();
/// Called before this process ends by itself: after a second interrupt it does not return, and the end is that one's.
void let_second_interrupt_end();

}  // namespace heddle::apps

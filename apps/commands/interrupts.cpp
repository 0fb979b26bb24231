#include "apps/commands/interrupts.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "work/process_tree.hpp"

namespace heddle::apps {
namespace {

constexpr int exit_interrupted = 130;
std::atomic<int> interrupts{0};  // lock-free: a signal handler may touch nothing else

void count_interrupt(int) { interrupts.fetch_add(1); }

}  // namespace

void watch_interrupts() {
  static_assert(std::atomic<int>::is_always_lock_free);
  work::become_subreaper();
  struct sigaction action {};
  action.sa_handler = count_interrupt;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

bool is_interrupted() {
  const int count = interrupts.load();
  if (count >= 2) {
    work::kill_tree(::getpid(), {});
    ::_exit(exit_interrupted);
  }
  return count > 0;
}

}  // namespace heddle::apps

#include "apps/commands/interrupts.hpp"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "apps/output/document_output.hpp"
#include "apps/roles/session_files.hpp"
#include "work/commands/process_tree.hpp"

namespace heddle::apps {
namespace {

constexpr int exit_interrupted = 130;
std::atomic<int> interrupts{0};  // lock-free, because a signal handler uses it
std::atomic<int> signal_came{-1};
std::atomic<int> first_signal{0};

void count_interrupt(int signal) {
  const int reason = errno;
  int none = 0;
  const bool is_first = first_signal.compare_exchange_strong(none, signal);
  const bool is_repeated = !is_first && signal == SIGHUP && first_signal.load() == SIGHUP;
  if (!is_repeated && interrupts.fetch_add(1) < 2) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto put = ::write(signal_came.load(), &one, sizeof one);
  }
  errno = reason;
}

/// Functions to call after a signal.
struct Listeners {
  std::mutex mutex;
  std::map<std::int64_t, std::function<void()>> calls;
  std::int64_t next = 0;
};

Listeners& listeners() {
  static auto& all = *new Listeners;  // never destroyed, because the thread below runs until the process has ended
  return all;
}

void notify_listeners() {
  auto& all = listeners();
  const std::lock_guard lock{all.mutex};
  for (const auto& [number, call] : all.calls) call();
}

/// Thread that handles signals, because other threads may be busy or blocked.
void run_signals() {
  while (interrupts.load() < 2) {
    std::uint64_t count = 0;
    if (::read(signal_came.load(), &count, sizeof count) == sizeof count && interrupts.load() < 2) notify_listeners();
  }
  print_sudden_document(SuddenEnd::interrupted);
  work::kill_tree(::getpid(), {});
  WorkingFolder::remove_all();
  ::_exit(exit_interrupted);
}

}  // namespace

void watch_interrupts() {
  static_assert(std::atomic<int>::is_always_lock_free);
  if (signal_came.load() >= 0) return;
  work::become_subreaper();
  signal_came = ::eventfd(0, EFD_CLOEXEC);
  // no descriptor left: Ctrl-C ends this process, and parent watches end the others
  if (signal_came.load() < 0) return;
  std::thread{run_signals}.detach();
  struct sigaction action {};
  action.sa_handler = count_interrupt;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  for (const int signal : {SIGHUP, SIGQUIT}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
  ::signal(SIGPIPE, SIG_IGN);
}

bool is_interrupted() { return interrupts.load() > 0; }

std::shared_ptr<void> on_interrupt(std::function<void()> call) {
  if (signal_came.load() < 0) return nullptr;
  auto& all = listeners();
  const std::lock_guard lock{all.mutex};
  const auto number = all.next++;
  all.calls.emplace(number, std::move(call));
  return {&all, [number](Listeners* of) {
            const std::lock_guard one{of->mutex};
            of->calls.erase(number);
          }};
}

std::string interrupt_hint() {
  switch (first_signal.load()) {
    case SIGTERM: return "cancelling after SIGTERM; a second SIGTERM kills at once";
    case SIGHUP: return "cancelling after SIGHUP; SIGTERM kills at once";
    case SIGQUIT: return "cancelling after SIGQUIT; a second SIGQUIT kills at once";
    default: return "cancelling; press Ctrl-C again to kill at once";
  }
}

void wait_if_interrupted_twice() {
  while (interrupts.load() > 1) ::pause();
}

}  // namespace heddle::apps

#include "work/commands/parent_watch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <exception>
#include <mutex>
#include <utility>

#include "work/commands/process_tree.hpp"

namespace heddle::work {
namespace {

/// Returns true when the write end is closed, false when `wake` is readable. Ignores bytes in the pipe.
bool wait_for_end(int parent_watch, int wake) {
  pollfd polled[2] = {{parent_watch, POLLIN, 0}, {wake, POLLIN, 0}};
  while (true) {
    if (::poll(polled, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return true;
    }
    if (polled[1].revents != 0) return false;
    if (polled[0].revents == 0) continue;
    char dropped[256];
    const ssize_t got = ::read(parent_watch, dropped, sizeof dropped);
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) return true;
  }
}

}  // namespace

Result<ParentWatchPipe> make_parent_watch() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return Error{Errc::io, std::string{"cannot create the pipe to a parent process: "} + std::strerror(errno)};
  return ParentWatchPipe{ends[0], ends[1]};
}

ParentWatch::ParentWatch(int read_descriptor, std::function<void()> on_end)
    : parent_watch_{read_descriptor}, wake_{::eventfd(0, EFD_CLOEXEC)} {
  ::fcntl(parent_watch_, F_SETFD, FD_CLOEXEC);
  thread_ = std::thread{[parent_watch = parent_watch_, wake = wake_, call = std::move(on_end)] {
    if (wait_for_end(parent_watch, wake)) call();
  }};
}

ParentWatch::~ParentWatch() {
  const std::uint64_t one = 1;
  if (::write(wake_, &one, sizeof one) < 0) std::terminate();
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
  ::close(wake_);
  ::close(parent_watch_);
}

void end_with_parent(int read_descriptor, std::function<void()> on_end) {
  // leaves half of the two seconds to kill remaining processes
  constexpr auto patience = std::chrono::milliseconds{1500};
  ::fcntl(read_descriptor, F_SETFD, FD_CLOEXEC);
  std::thread{[read_descriptor, patience, call = std::move(on_end)] {
    wait_for_end(read_descriptor, -1);
    // Shared with the cleanup thread, which can outlive this function: static, so valid until _exit.
    static std::mutex mutex;
    static std::condition_variable cleared;
    static bool is_cleared = false;
    std::thread{[call] {
      if (call) call();
      const std::lock_guard lock{mutex};
      is_cleared = true;
      cleared.notify_one();
    }}.detach();
    {
      std::unique_lock lock{mutex};
      cleared.wait_for(lock, patience, [] { return is_cleared; });
    }
    kill_tree(::getpid(), {});
    ::_exit(129);
  }}.detach();
}

}  // namespace heddle::work

#include "apps/roles/last_words.hpp"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "apps/roles/role_runtime.hpp"
#include "apps/roles/session_files.hpp"
#include "work/commands/process_tree.hpp"

namespace heddle::apps {
namespace {

constexpr int exit_without_resources = 70;
std::atomic<void (*)()> call_before_end{nullptr};
/// Freed before the cleanup, which allocates.
std::atomic<char*> reserve{nullptr};
constexpr std::size_t reserve_bytes = 512 << 10;

void print(std::string_view text) {
  [[maybe_unused]] const auto put = ::write(STDERR_FILENO, text.data(), text.size());
}

/// Does not allocate: memory may be exhausted.
void print_reason(std::string_view reason) {
  print("heddle: the system has no more threads, memory or files for this process: ");
  print(reason);
  print("; raise its limits (ulimit -a shows them), or use fewer task slots, nodes and cores\n");
}

/// Prints the message; returns false for any other exception, which is a defect and must abort.
bool print_lack_of_resources() {
  const auto fault = std::current_exception();
  // A thread could not be started, and terminate was called during stack unwinding.
  if (!fault && std::uncaught_exceptions() > 0) {
    print_reason("a thread cannot be started");
    return true;
  }
  if (!fault) return false;
  try {
    std::rethrow_exception(fault);
  } catch (const std::filesystem::filesystem_error& error) {
    print("heddle: ");
    print(error.what());
    print("\n");
  } catch (const NoNetwork& error) { print_reason(error.what()); } catch (const std::system_error& error) {
    print_reason(error.what());
  } catch (const std::bad_alloc&) { print_reason("no memory"); } catch (...) {
    return false;
  }
  return true;
}

/// An exception that leaves a terminate handler aborts the process. Without memory any step can throw one.
template <class Step>
void attempt(Step step) {
  try {
    step();
  } catch (...) { print("heddle: a step of the cleanup failed\n"); }
}

/// Memory that one thread lacks, others lack too. They wait here until the cleanup by the first one ends the process.
[[noreturn]] void wait_for_end() {
  constexpr int cleanup_ms_max = 10'000;
  ::poll(nullptr, 0, cleanup_ms_max);
  ::_exit(exit_without_resources);
}

[[noreturn]] void on_terminate() {
  static std::atomic<pid_t> ending_thread{0};
  const pid_t self = ::gettid();
  pid_t nobody = 0;
  if (!ending_thread.compare_exchange_strong(nobody, self)) {
    if (nobody != self) wait_for_end();
    ::_exit(exit_without_resources);  // failed again during the cleanup
  }
  if (!print_lack_of_resources()) std::abort();
  delete[] reserve.exchange(nullptr);
  if (const auto call = call_before_end.load()) attempt(call);
  attempt([] { work::kill_tree(::getpid(), {}); });
  attempt([] { WorkingFolder::remove_all(); });
  ::_exit(exit_without_resources);
}

}  // namespace

void install_terminate_handler(void (*before_end)()) {
  call_before_end = before_end;
  delete[] reserve.exchange(new (std::nothrow) char[reserve_bytes]);
  std::set_terminate(on_terminate);
}

}  // namespace heddle::apps

// spawn COUNT: posix_spawn and waitpid of `true` in two threads; checks exit codes.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

#include "tests/benchmarks/bare/bare.hpp"

namespace heddle::bare {
namespace {

bool run_true(int count) {
  char path[] = "/bin/true";
  char* arguments[] = {path, nullptr};
  for (int i = 0; i < count; ++i) {
    pid_t process = 0;
    int status = 0;
    if (::posix_spawn(&process, path, nullptr, nullptr, arguments, environ) != 0) return false;
    if (::waitpid(process, &status, 0) != process || status != 0) return false;
  }
  return true;
}

}  // namespace

int spawn(const Words& words) {
  const int count = std::stoi(words[0]);
  const Stopwatch watch;
  bool is_other_right = false;
  std::thread other{[&] { is_other_right = run_true(count / 2); }};
  const bool is_right = run_true(count - count / 2);
  other.join();
  if (!is_right || !is_other_right) throw std::runtime_error{"true did not run or did not end with 0"};
  print_figure("spawn", count / watch.seconds(), "processes/s");
  return 0;
}

}  // namespace heddle::bare

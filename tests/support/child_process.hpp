// Runs code in a child process, for code that aborts its process.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <functional>
#include <string>

namespace heddle::tests {

struct ChildEnd {
  int signal = 0;     // that ended the child; 0: it exited
  int exit_code = 0;  // 0 too if `act` returned
  std::string error;  // its standard error
};

/// Call it in a test without other threads: the child has a copy of the calling thread only.
inline ChildEnd run_in_child(const std::function<void()>& act) {
  int ends[2] = {};
  BOOST_REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    std::signal(SIGABRT, SIG_DFL);  // Boost.Test handles it otherwise
    ::dup2(ends[1], STDERR_FILENO);
    act();
    ::_exit(0);
  }
  ::close(ends[1]);
  ChildEnd end;
  char part[512];
  for (ssize_t got = ::read(ends[0], part, sizeof part); got > 0; got = ::read(ends[0], part, sizeof part))
    end.error.append(part, static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  return end;
}

}  // namespace heddle::tests

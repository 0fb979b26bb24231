// Goal: the wait for a ResourceManager ends with its line, its exit, a timeout, or a cancellation.
// Method: a pipe in a folder of the test, which writes to it.
#include "apps/session/ready_pipe.hpp"

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <thread>

#include "tests/support/scratch_folder.hpp"

namespace heddle::apps {
namespace ready_pipe_test {
namespace {

using namespace std::chrono_literals;

struct Pipe {
  work::ScratchFolder folder;
  std::string path = folder.file("ready");
  Result<ReadyPipe> made = ReadyPipe::make(path);
  ReadyPipe& pipe = *made;
};

BOOST_AUTO_TEST_CASE(the_written_line_is_read) {
  Pipe made;
  std::ofstream{made.path} << "127.0.0.1:" << std::flush << "4711\n";
  BOOST_TEST(made.pipe.read_line(10s, {}).value() == "127.0.0.1:4711");
}

BOOST_AUTO_TEST_CASE(an_early_exit_is_an_error_with_its_text) {
  Pipe made;
  ReadyPipe::report_early_exit(made.path, "was killed by signal 9");
  const auto line = made.pipe.read_line(10s, {});
  BOOST_REQUIRE(!line);
  BOOST_TEST((line.error() == Error{Errc::unreachable, "the ResourceManager was killed by signal 9"}));
}

BOOST_AUTO_TEST_CASE(a_cancellation_ends_the_wait_before_its_deadline) {
  Pipe made;
  int looks = 0;
  const auto line = made.pipe.read_line(1h, [&looks] { return ++looks == 3; });
  BOOST_REQUIRE(!line);
  BOOST_TEST((line.error().code == Errc::cancelled));
}

// A signal interrupts poll and read; the deadline must not change.
BOOST_AUTO_TEST_CASE(signals_do_not_extend_the_deadline) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) {};
  ::sigaction(SIGUSR2, &action, &before);
  Pipe made;
  std::atomic<bool> is_over{false};
  std::atomic<int> signals{0};
  std::thread interrupts{[&is_over, &signals, waiting = ::pthread_self()] {
    while (!is_over && signals < 1'000'000) {
      ::pthread_kill(waiting, SIGUSR2);
      ++signals;
      std::this_thread::yield();
    }
  }};
  const auto line = made.pipe.read_line(200ms, {});
  is_over = true;
  interrupts.join();
  ::sigaction(SIGUSR2, &before, nullptr);
  BOOST_REQUIRE(!line);
  BOOST_TEST((line.error().code == Errc::timed_out));
  BOOST_TEST(signals < 1'000'000);
}

}  // namespace
}  // namespace ready_pipe_test
}  // namespace heddle::apps

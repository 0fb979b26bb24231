// Goal: a process without memory or threads ends with a sentence and code 70, never by an abort, and other exceptions
// abort. Method: child processes that throw where nothing catches.
#include "apps/roles/last_words.hpp"

#include <poll.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <new>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "apps/roles/role_runtime.hpp"
#include "tests/support/child_process.hpp"

namespace last_words_test {
namespace {

using heddle::apps::install_terminate_handler;

template <class Fault>
void raise() {
  throw Fault{};
}

/// Ends the child.
template <class Fault>
void throw_uncaught() noexcept {
  raise<Fault>();
}

struct Defect : std::logic_error {
  Defect() : std::logic_error{"a defect"} {}
};

struct NoThreadForNetwork : heddle::apps::NoNetwork {
  NoThreadForNetwork() : NoNetwork{"cannot start a thread of the network"} {}
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_lack_of_memory_ends_with_a_sentence) {
  const auto end = heddle::tests::run_in_child([] {
    install_terminate_handler();
    throw_uncaught<std::bad_alloc>();
  });
  BOOST_TEST(end.signal == 0);
  BOOST_TEST(end.exit_code == 70);
  BOOST_TEST(end.error.find("no more threads, memory or files for this process: no memory") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_network_that_cannot_start_ends_with_a_sentence) {
  const auto end = heddle::tests::run_in_child([] {
    install_terminate_handler();
    throw_uncaught<NoThreadForNetwork>();
  });
  BOOST_TEST(end.exit_code == 70);
  BOOST_TEST(end.error.find("cannot start a thread of the network") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_cleanup_that_fails_does_not_abort) {
  const auto end = heddle::tests::run_in_child([] {
    install_terminate_handler([] { throw std::bad_alloc{}; });
    throw_uncaught<std::bad_alloc>();
  });
  BOOST_TEST(end.signal == 0);
  BOOST_TEST(end.exit_code == 70);
}

BOOST_AUTO_TEST_CASE(a_second_thread_without_memory_does_not_cut_the_cleanup_short) {
  const auto end = heddle::tests::run_in_child([] {
    install_terminate_handler([] {
      std::thread{throw_uncaught<std::bad_alloc>}.detach();
      ::poll(nullptr, 0, 200);  // far longer than the thread takes to fail
      constexpr std::string_view text = "cleaned up\n";
      [[maybe_unused]] const auto put = ::write(STDERR_FILENO, text.data(), text.size());
    });
    throw_uncaught<std::bad_alloc>();
  });
  BOOST_TEST(end.exit_code == 70);
  BOOST_TEST(end.error.find("cleaned up") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(another_exception_aborts) {
  const auto end = heddle::tests::run_in_child([] {
    install_terminate_handler();
    throw_uncaught<Defect>();
  });
  BOOST_TEST(end.signal == SIGABRT);
}

}  // namespace last_words_test

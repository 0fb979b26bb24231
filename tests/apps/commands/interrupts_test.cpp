// Goal: a waiting thread learns of a signal without looking for it. Method: real signals to this process.
#include "apps/commands/interrupts.hpp"

#include <signal.h>

#include <boost/test/unit_test.hpp>
#include <future>
#include <thread>

namespace heddle::apps {
namespace interrupts_test {
namespace {

using namespace std::chrono_literals;

/// One case, because the signals of a process are counted once.
BOOST_AUTO_TEST_CASE(a_signal_calls_the_registered_functions_on_another_thread) {
  BOOST_TEST(!on_interrupt([] {}));  // there is no thread yet
  ::signal(SIGHUP, SIG_DFL);
  watch_interrupts();
  std::promise<std::thread::id> called;
  int calls_after_removal = 0;
  const auto registered = on_interrupt([&called] { called.set_value(std::this_thread::get_id()); });
  auto removed = on_interrupt([&calls_after_removal] { ++calls_after_removal; });
  BOOST_REQUIRE(registered);
  removed.reset();
  BOOST_TEST(!is_interrupted());
  BOOST_REQUIRE(::raise(SIGHUP) == 0);
  BOOST_REQUIRE(::raise(SIGHUP) == 0);  // counts as one with the first
  auto thread = called.get_future();
  BOOST_REQUIRE((thread.wait_for(30s) == std::future_status::ready));
  BOOST_TEST((thread.get() != std::this_thread::get_id()));
  BOOST_TEST(is_interrupted());
  BOOST_TEST(calls_after_removal == 0);
}

}  // namespace
}  // namespace interrupts_test
}  // namespace heddle::apps

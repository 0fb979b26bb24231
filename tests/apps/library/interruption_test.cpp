// Goal: the user's function is called on its own thread only, and its answer ends waits on all threads.
// Method: two threads, of which one has the function.
#include "apps/library/interruption.hpp"

#include <boost/test/unit_test.hpp>
#include <thread>

namespace heddle {
namespace interruption_test {
namespace {

bool is_set_elsewhere(Interruption& interruption) {
  bool is_set = false;
  std::thread{[&] { is_set = interruption.is_set(); }}.join();
  return is_set;
}

BOOST_AUTO_TEST_CASE(other_threads_learn_of_a_cancellation_that_the_own_thread_has_seen) {
  Interruption interruption;
  int polls = 0;
  bool wants = false;
  const std::function<bool()> is_cancelled = [&] {
    ++polls;
    return wants;
  };
  const Interruption::Scope scope{interruption, is_cancelled};
  BOOST_TEST(!interruption.is_set());
  wants = true;
  BOOST_TEST(!is_set_elsewhere(interruption));
  BOOST_TEST(polls == 1);
  BOOST_TEST(interruption.poll());
  BOOST_TEST(is_set_elsewhere(interruption));
  BOOST_TEST(interruption.is_set());
  BOOST_TEST(polls == 2);
}

BOOST_AUTO_TEST_CASE(a_cancellation_ends_with_the_next_job_and_a_close_never) {
  Interruption interruption;
  const std::function<bool()> always = [] { return true; };
  const std::function<bool()> none;
  {
    const Interruption::Scope scope{interruption, always};
    BOOST_TEST(interruption.poll());
  }
  BOOST_TEST(is_set_elsewhere(interruption));
  BOOST_TEST(interruption.was_cancelled());
  const Interruption::Scope next{interruption, none};
  BOOST_TEST(!interruption.is_set());
  BOOST_TEST(!interruption.was_cancelled());
  interruption.close();
  BOOST_TEST(interruption.is_set());
  BOOST_TEST(is_set_elsewhere(interruption));
  BOOST_TEST(!interruption.poll());
}

}  // namespace
}  // namespace interruption_test
}  // namespace heddle

// Goal: a callback that throws does not end the process or the thread. Method: functions that the test posts.
#include "interop/hadoop/rpc_thread.hpp"

#include <boost/test/unit_test.hpp>
#include <future>
#include <stdexcept>

namespace heddle::interop {
namespace rpc_thread_test {
namespace {

BOOST_AUTO_TEST_CASE(an_exception_of_a_callback_does_not_end_the_rpc_thread) {
  std::promise<bool> ran;
  RpcThread thread;
  thread.post([] { throw std::runtime_error{"no thread for a look-up"}; });
  thread.post([&] { ran.set_value(thread.is_current()); });
  BOOST_TEST(ran.get_future().get());
}

}  // namespace
}  // namespace rpc_thread_test
}  // namespace heddle::interop

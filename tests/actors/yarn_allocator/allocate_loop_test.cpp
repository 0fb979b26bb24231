// Goal: at most one request is unanswered, and requests have the right distance. Method: plain calls.
#include "actors/yarn_allocator/allocate_loop.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

namespace heddle::actors {
namespace allocate_loop_test {
namespace {

using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(an_early_request_waits_for_the_pending_answer) {
  AllocateLoop loop{{3000ms, 200ms, 0ms}};
  BOOST_TEST(!loop.request_soon(Instant{}).has_value());
  loop.begin();
  BOOST_TEST((loop.request_soon(Instant{}) == Duration{0}));
  loop.on_sent(Instant{});
  BOOST_TEST(!loop.requests_again());
  BOOST_TEST(!loop.request_soon(Instant{}).has_value());
  BOOST_TEST(loop.requests_again());
  BOOST_TEST(!loop.on_answer(0));
  BOOST_TEST(loop.on_answer(1));
  BOOST_TEST(!loop.on_answer(2));
  BOOST_TEST(loop.response_id() == 1);
  BOOST_TEST((loop.request_soon(Instant{1ms}) == Duration{0}));
  loop.end();
  BOOST_TEST(loop.is_over());
  BOOST_TEST(!loop.request_soon(Instant{2ms}).has_value());
}

BOOST_AUTO_TEST_CASE(requests_are_at_least_the_spacing_apart) {
  AllocateLoop loop{{3000ms, 200ms, 500ms}};
  loop.begin();
  BOOST_TEST((loop.request_soon(Instant{1s}) == Duration{0}));
  loop.on_sent(Instant{1s});
  BOOST_TEST(loop.on_answer(1));
  BOOST_TEST((loop.request_soon(Instant{1200ms}) == Duration{300ms}));
  BOOST_TEST((loop.request_soon(Instant{1700ms}) == Duration{0}));
  BOOST_TEST((loop.sleep(true) == Duration{500ms}));
}

BOOST_AUTO_TEST_CASE(the_interval_doubles_while_requests_are_pending) {
  AllocateLoop loop{{3000ms, 200ms, 0ms}};
  for (const Duration expected : {200ms, 400ms, 800ms, 1600ms, 3000ms, 3000ms})
    BOOST_TEST((loop.sleep(true) == expected));
  loop.shorten_sleep();
  BOOST_TEST((loop.sleep(true) == Duration{200ms}));
  BOOST_TEST((loop.sleep(false) == Duration{3000ms}));
  BOOST_TEST((loop.sleep(true) == Duration{200ms}));
}

BOOST_AUTO_TEST_CASE(an_answer_resets_the_count_of_unanswered_requests) {
  AllocateLoop loop{{3000ms, 200ms, 0ms}};
  loop.begin();
  loop.on_sent(Instant{});
  BOOST_TEST(loop.on_unanswered() == 1);
  BOOST_TEST(loop.on_unanswered() == 2);
  BOOST_TEST(loop.on_answer(1));
  BOOST_TEST(loop.on_unanswered() == 1);
}

}  // namespace
}  // namespace allocate_loop_test
}  // namespace heddle::actors

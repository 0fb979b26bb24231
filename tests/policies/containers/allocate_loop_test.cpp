// Goal: at most one request is unanswered, and requests have the right distance. Method: plain calls; random ones.
#include "policies/containers/allocate_loop.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "model/random_stream.hpp"
#include "policies/containers/response_id.hpp"

namespace heddle::policies {
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
  loop.hurry(Instant{});
  BOOST_TEST((loop.sleep(true) == Duration{200ms}));
  BOOST_TEST((loop.sleep(false) == Duration{3000ms}));
  BOOST_TEST((loop.sleep(true) == Duration{200ms}));
}

BOOST_AUTO_TEST_CASE(after_a_change_of_totals_requests_follow_fast_for_a_time) {
  AllocateLoop loop{{3000ms, 200ms, 0ms, 100ms, 250ms}};
  loop.begin();
  loop.hurry(Instant{1s});
  std::int32_t id = 0;
  const auto sleep_after = [&](Instant sent, bool has_pending) {
    loop.on_sent(sent);
    BOOST_TEST(loop.on_answer(++id));
    return loop.sleep(has_pending);
  };
  BOOST_TEST((sleep_after(Instant{1s}, true) == Duration{100ms}));
  BOOST_TEST((sleep_after(Instant{1100ms}, false) == Duration{3000ms}));
  BOOST_TEST((sleep_after(Instant{1200ms}, true) == Duration{100ms}));
  BOOST_TEST((sleep_after(Instant{1250ms}, true) == Duration{200ms}));
  BOOST_TEST((sleep_after(Instant{1450ms}, true) == Duration{400ms}));
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

BOOST_AUTO_TEST_CASE(after_a_lost_registration_response_ids_start_again) {
  AllocateLoop loop{{3000ms, 200ms, 0ms}};
  loop.begin();
  loop.on_sent(Instant{});
  BOOST_TEST(loop.on_answer(1));
  loop.on_sent(Instant{});
  loop.register_again();
  BOOST_TEST(!loop.on_answer(2));
  BOOST_TEST(!loop.request_soon(Instant{}).has_value());
  loop.begin();
  BOOST_TEST(loop.response_id() == 0);
  loop.on_sent(Instant{});
  BOOST_TEST(loop.on_answer(1));
}

BOOST_AUTO_TEST_CASE(the_response_id_after_the_largest_is_zero) {
  BOOST_TEST(next_response_id(0) == 1);
  BOOST_TEST(next_response_id(std::numeric_limits<std::int32_t>::max()) == 0);
}

BOOST_AUTO_TEST_CASE(random_requests_keep_their_distance_and_the_order_of_response_ids) {
  RandomStream random{12};
  for (int run = 0; run < 200; ++run) {
    const Duration spacing = std::chrono::milliseconds{random.below(400)};
    AllocateLoop loop{{1000ms, 200ms, spacing}};
    loop.begin();
    Instant now{};
    std::optional<Instant> sent_at;
    std::int32_t answers = 0;
    for (int step = 0; step < 50; ++step) {
      now += std::chrono::milliseconds{random.below(300)};
      if (loop.phase() == AllocateLoop::Phase::unanswered) {
        BOOST_TEST(!loop.request_soon(now).has_value());
        BOOST_TEST(!loop.on_answer(answers));
        if (!random.chance(1, 2)) continue;
        BOOST_TEST(loop.on_answer(++answers));
        const Duration sleep = loop.sleep(random.chance(1, 2));
        BOOST_TEST((sleep >= std::max(spacing, Duration{200ms}) && sleep <= 1000ms));
      } else {
        const auto wait = loop.request_soon(now);
        BOOST_REQUIRE(wait.has_value());
        now += *wait;
        if (sent_at) BOOST_TEST((now - *sent_at >= spacing));
        sent_at = now;
        loop.on_sent(now);
      }
      BOOST_TEST(loop.response_id() == answers);
    }
  }
}

}  // namespace
}  // namespace allocate_loop_test
}  // namespace heddle::policies

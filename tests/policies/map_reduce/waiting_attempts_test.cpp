// Goal: attempts wait in order of insertion, also if others are removed. Method: a short example; then random attempts
// compared with a plain list.
#include "policies/map_reduce/waiting_attempts.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>

namespace heddle::policies {
namespace waiting_attempts_test {
namespace {

AttemptRequest request(std::int32_t index, const std::string& host = "h") {
  return {{false, index, 0}, {host}, {}, MapReducePriority::map, {}};
}

BOOST_AUTO_TEST_SUITE(waiting_attempts)

BOOST_AUTO_TEST_CASE(a_request_that_comes_again_keeps_its_place_and_says_the_new_things) {
  WaitingAttempts waiting;
  BOOST_TEST(waiting.first() == nullptr);
  waiting.put(request(1, "a"));
  waiting.put(request(2));
  waiting.put(request(1, "b"));
  BOOST_TEST(waiting.size() == 2);
  BOOST_TEST(waiting.first()->hosts.front() == "b");
  BOOST_TEST(!waiting.take({true, 1, 0}));
}

BOOST_AUTO_TEST_CASE(it_is_a_list_from_which_any_attempt_can_be_taken) {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    std::mt19937 random{seed};
    WaitingAttempts waiting;
    std::vector<std::int32_t> expected;
    for (int step = 0; step < 200; ++step) {
      const auto index = static_cast<std::int32_t>(random() % 20);
      const auto at = std::find(expected.begin(), expected.end(), index);
      if (random() % 2 == 0) {
        waiting.put(request(index));
        if (at == expected.end()) expected.push_back(index);
      } else {
        BOOST_REQUIRE(waiting.take({false, index, 0}).has_value() == (at != expected.end()));
        if (at != expected.end()) expected.erase(at);
      }
      BOOST_REQUIRE(static_cast<std::size_t>(waiting.size()) == expected.size());
      std::vector<std::int32_t> order;
      for (const auto& [place, each] : waiting.in_order()) order.push_back(each.attempt.index);
      BOOST_REQUIRE((order == expected));
      BOOST_REQUIRE((waiting.find({false, index, 0}) != nullptr) ==
                    (std::find(order.begin(), order.end(), index) != order.end()));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace waiting_attempts_test
}  // namespace heddle::policies

// Goal: a container is stopped for its memory in two successive measurements above the limit, or one above twice it.
#include "policies/containers/memory_limit.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace memory_limit_test {

BOOST_AUTO_TEST_CASE(memory_above_the_limit_counts_the_second_time_and_above_twice_the_limit_at_once) {
  BOOST_TEST(!exceeds_memory_limit(0, 100, true));
  BOOST_TEST(!exceeds_memory_limit(100, 100, true));
  BOOST_TEST(!exceeds_memory_limit(101, 100, false));
  BOOST_TEST(exceeds_memory_limit(101, 100, true));
  BOOST_TEST(!exceeds_memory_limit(200, 100, false));
  BOOST_TEST(exceeds_memory_limit(201, 100, false));
}

BOOST_AUTO_TEST_CASE(more_memory_and_an_earlier_excess_never_save_a_container) {
  RandomStream random{1};
  for (int turn = 0; turn < 10'000; ++turn) {
    const auto limit = static_cast<std::int64_t>(1 + random.below(1 << 20));
    const auto used = static_cast<std::int64_t>(random.below(3 << 20));
    const bool is_stopped = exceeds_memory_limit(used, limit, false);
    BOOST_TEST_REQUIRE((!is_stopped || used > limit));
    BOOST_TEST_REQUIRE((!is_stopped || exceeds_memory_limit(used + 1, limit, false)));
    BOOST_TEST_REQUIRE((!is_stopped || exceeds_memory_limit(used, limit, true)));
  }
}

}  // namespace memory_limit_test
}  // namespace heddle::policies

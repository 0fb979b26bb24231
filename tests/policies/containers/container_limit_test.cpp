// Goal: a container that no node can hold is refused with an error message that has the amounts. Method: sizes and
// resources below, at and above one limit; random ones compared with a subtraction.
#include "policies/containers/container_limit.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace container_limit_test {
namespace {

std::string why(const Resource& needed, const std::optional<ResourceAmounts>& most) {
  return why_too_large("an executor", needed, {{1024, 2, most.value_or(ResourceAmounts{})}, most.has_value()});
}

BOOST_AUTO_TEST_CASE(what_is_as_large_as_the_largest_container_can_be_had) {
  BOOST_TEST(why({1024, 2, {{"gpu", 2}, {"fpga", 0}}}, ResourceAmounts{{"gpu", 2}}) == "");
  BOOST_TEST(why({1, 1}, ResourceAmounts{}) == "");
}

BOOST_AUTO_TEST_CASE(what_is_larger_is_refused_with_both_numbers) {
  BOOST_TEST(why({1025, 2}, {}) ==
             "an executor needs 1025 MiB and 2 cores, but the largest container here has 1024 MiB and 2 cores");
  BOOST_TEST(why({1, 1, {{"fpga", 1}, {"gpu", 3}}}, ResourceAmounts{{"fpga", 1}, {"gpu", 2}}) ==
             "an executor needs 3 of gpu, but the largest container here has 2");
  BOOST_TEST(why({1, 1, {{"gpu", 3}}}, ResourceAmounts{}) ==
             "an executor needs 3 of gpu, but the largest container here has 0");
}

BOOST_AUTO_TEST_CASE(while_nodes_may_come_no_kind_is_too_much) { BOOST_TEST(why({1, 1, {{"gpu", 3}}}, {}) == ""); }

BOOST_AUTO_TEST_CASE(of_random_containers_those_are_refused_that_leave_less_than_nothing) {
  RandomStream random{31};
  for (int run = 0; run < 2000; ++run) {
    Resource needed{1 + static_cast<std::int64_t>(random.below(2048)), 1 + static_cast<std::int32_t>(random.below(4))};
    ResourceAmounts most;
    bool is_too_much = needed.memory_mib > 1024 || needed.cores > 2;
    for (const std::string name : {"fpga", "gpu", "licence"}) {
      const auto wanted = static_cast<std::int64_t>(random.below(3));
      const auto there = static_cast<std::int64_t>(random.below(3));
      needed.others.set(name, wanted);
      most.set(name, there);
      is_too_much = is_too_much || wanted > there;
    }
    BOOST_TEST(why(needed, most).empty() != is_too_much);
  }
}

}  // namespace
}  // namespace container_limit_test
}  // namespace heddle::policies

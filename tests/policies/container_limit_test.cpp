// Goal: a container that no node can have is refused with the numbers, and nothing else is.
// Method: sizes and kinds below, at and above one limit.
#include "policies/container_limit.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::policies {
namespace {

std::string why(const Resource& needed, const ExtraResources& extras, const std::optional<ExtraResources>& most) {
  return why_too_large("an executor", needed, extras, {{1024, 2}, most});
}

BOOST_AUTO_TEST_CASE(what_is_as_large_as_the_largest_container_can_be_had) {
  BOOST_TEST(why({1024, 2}, {{"gpu", 2}, {"fpga", 0}}, ExtraResources{{"gpu", 2}}) == "");
  BOOST_TEST(why({1, 1}, {}, ExtraResources{}) == "");
}

BOOST_AUTO_TEST_CASE(what_is_larger_is_refused_with_both_numbers) {
  BOOST_TEST(why({1025, 2}, {}, {}) == "an executor needs 1025 MiB and 2 cores, but the largest container here has 1024 MiB and 2 cores");
  BOOST_TEST(why({1, 1}, {{"fpga", 1}, {"gpu", 3}}, ExtraResources{{"fpga", 1}, {"gpu", 2}}) ==
             "an executor needs 3 of gpu, but the largest container here has 2");
  BOOST_TEST(why({1, 1}, {{"gpu", 3}}, ExtraResources{}) == "an executor needs 3 of gpu, but the largest container here has 0");
}

BOOST_AUTO_TEST_CASE(while_nodes_may_come_no_kind_is_too_much) { BOOST_TEST(why({1, 1}, {{"gpu", 3}}, {}) == ""); }

}  // namespace
}  // namespace heddle::policies

// Goal: a reported end is found by its container, its node and its application until it is taken.
#include "actors/resource_manager/reported_ends.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::actors {
namespace reported_ends_test {

BOOST_AUTO_TEST_CASE(an_end_is_found_by_all_it_concerns_until_it_is_taken) {
  const ApplicationId first{1000, 1};
  const ApplicationId second{1000, 2};
  ReportedEnds ends;
  ends.add({ContainerId{7}, {1, "a"}}, NodeId{3}, first);
  ends.add({ContainerId{8}, {0, "b"}}, NodeId{4}, first);
  BOOST_TEST(ends.size() == 2U);
  BOOST_TEST(ends.has(ContainerId{7}));
  BOOST_TEST(!ends.has(ContainerId{9}));
  BOOST_TEST(ends.has_of(NodeId{4}));
  BOOST_TEST(!ends.has_of(NodeId{5}));
  BOOST_TEST(ends.has_of(first));
  BOOST_TEST(!ends.has_of(second));
  const auto taken = ends.take();
  BOOST_REQUIRE(taken.size() == 2U);
  BOOST_TEST(taken[0].end.diagnostics == "a");
  BOOST_TEST(taken[1].end.diagnostics == "b");
  BOOST_TEST(ends.size() == 0U);
  BOOST_TEST(!ends.has_of(NodeId{3}));
}

}  // namespace reported_ends_test
}  // namespace heddle::actors

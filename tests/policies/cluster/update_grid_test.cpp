// Goal: instants stay on the grid after skipped ones. Method: a table of steps.
#include "policies/cluster/update_grid.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::policies {
namespace update_grid_test {
namespace {

Instant at(std::int64_t ms) { return Instant{std::chrono::milliseconds{ms}}; }

BOOST_AUTO_TEST_CASE(instants_without_a_change_are_skipped) {
  UpdateGrid grid{at(0), std::chrono::milliseconds{500}};
  BOOST_TEST((grid.next_due() == at(500)));
  BOOST_TEST(!grid.is_due(at(499)));
  BOOST_TEST(grid.is_due(at(500)));
  grid.on_computed(at(510), false);
  BOOST_TEST(!grid.next_due().has_value());
  BOOST_TEST(!grid.is_due(at(5000)));
  grid.mark_changed(at(2300));
  BOOST_TEST((grid.next_due() == at(2500)));
  BOOST_TEST((grid.pop_skipped() == at(2000)));
  BOOST_TEST(!grid.pop_skipped().has_value());
  grid.on_computed(at(2500), true);
  BOOST_TEST((grid.next_due() == at(3000)));
}

BOOST_AUTO_TEST_CASE(a_change_at_an_instant_counts_for_that_instant) {
  UpdateGrid grid{at(0), std::chrono::milliseconds{500}};
  grid.on_computed(at(500), false);
  grid.mark_changed(at(1000));
  BOOST_TEST((grid.next_due() == at(1000)));
  BOOST_TEST(!grid.pop_skipped().has_value());
  grid.on_computed(at(1000), false);
  grid.mark_changed(at(2500));
  BOOST_TEST((grid.next_due() == at(2500)));
  BOOST_TEST((grid.pop_skipped() == at(2000)));
}

BOOST_AUTO_TEST_CASE(a_grid_without_interval_is_never_due) {
  UpdateGrid grid{at(0), std::nullopt};
  grid.mark_changed(at(100));
  BOOST_TEST(!grid.next_due().has_value());
  BOOST_TEST(!grid.is_due(at(1000)));
}

}  // namespace
}  // namespace update_grid_test
}  // namespace heddle::policies

// Goal: a grant is found by container and by occupant, and a slow start is found once. Method: plain calls.
#include "policies/containers/grant_table.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::policies {
namespace grant_table_test {

BOOST_AUTO_TEST_CASE(a_grant_is_found_by_container_and_by_occupant_until_it_is_removed) {
  GrantTable<ExecutorId> table;
  for (const std::int64_t id : {1, 2}) {
    GrantedContainer container;
    container.container = ContainerId{id};
    table.add(container);
  }
  BOOST_TEST((table.find_occupant(ExecutorId{5}) == nullptr));
  table.set_occupant(ContainerId{2}, ExecutorId{5});
  table.check_invariants();
  BOOST_TEST((table.find_occupant(ExecutorId{5}) == table.find(ContainerId{2})));
  table.remove(ContainerId{2});
  table.remove(ContainerId{2});
  BOOST_TEST((table.find_occupant(ExecutorId{5}) == nullptr));
  BOOST_TEST(table.rows().size() == 1U);
  table.check_invariants();
}

BOOST_AUTO_TEST_CASE(only_an_awaited_start_is_slow_and_only_once) {
  using namespace std::chrono_literals;
  GrantTable<ExecutorId> table;
  for (const std::int64_t id : {1, 2, 3}) {
    GrantedContainer container;
    container.container = ContainerId{id};
    table.add(container);
    table.await_start(ContainerId{id}, Instant{10s});
  }
  table.stop_awaiting(ContainerId{1});
  table.remove(ContainerId{3});
  BOOST_TEST(!table.take_slow_start(Instant{9s}).has_value());
  BOOST_TEST((table.take_slow_start(Instant{10s}) == ContainerId{2}));
  BOOST_TEST(!table.take_slow_start(Instant{10s}).has_value());
}

}  // namespace grant_table_test
}  // namespace heddle::policies

// Goal: a grant is found by container and by executor, and launches that wait for an unreachable node are returned.
#include "actors/yarn_allocator/grant_table.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::actors {
namespace grant_table_test {

BOOST_AUTO_TEST_CASE(a_grant_is_found_by_container_and_by_executor_until_it_is_removed) {
  GrantTable table;
  for (const std::int64_t id : {1, 2}) {
    GrantedContainer container;
    container.container = ContainerId{id};
    table.add(container);
  }
  BOOST_TEST((table.find_executor(ExecutorId{5}) == nullptr));
  table.set_executor(ContainerId{2}, ExecutorId{5});
  table.check_invariants();
  BOOST_TEST((table.find_executor(ExecutorId{5}) == table.find(ContainerId{2})));
  table.remove(ContainerId{2});
  table.remove(ContainerId{2});
  BOOST_TEST((table.find_executor(ExecutorId{5}) == nullptr));
  BOOST_TEST(table.rows().size() == 1U);
  table.check_invariants();
}

BOOST_AUTO_TEST_CASE(a_dropped_connection_returns_the_launches_that_waited_for_it) {
  GrantTable table;
  BOOST_TEST(table.drop_connection("a:1").empty());
  table.connection("a:1").waiting.push_back({ExecutorId{1}, ContainerId{1}, "a", ProfileId{0}, {1024, 1}});
  BOOST_TEST(table.has_connection("a:1"));
  BOOST_TEST(!table.is_connected("a:1"));
  const auto waiting = table.drop_connection("a:1");
  BOOST_TEST_REQUIRE(waiting.size() == 1U);
  BOOST_TEST(waiting[0].executor.value == 1);
  BOOST_TEST(!table.has_connection("a:1"));
  table.connection("a:1").is_connected = true;
  BOOST_TEST(table.is_connected("a:1"));
}

}  // namespace grant_table_test
}  // namespace heddle::actors

// Goal: containers are found by id and by process, and a refused container does not start later.
#include "actors/node_manager/container_table.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::actors {
namespace container_table_test {
namespace {

const ApplicationId first{1000, 1};
const ApplicationId second{1000, 2};

Container container(std::int64_t id, std::int64_t process, const ApplicationId& application) {
  Container made;
  made.id = ContainerId{id};
  made.process = process;
  made.attempt = {application, 1};
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(containers_are_found_by_id_and_by_process_until_they_are_removed) {
  ContainerTable table;
  table.add(container(1, 100, first));
  table.add(container(2, 200, second));
  BOOST_TEST(table.find_process(200)->id.value == 2);
  BOOST_TEST(table.holds_any_of(first));
  table.remove(ContainerId{1});
  table.remove(ContainerId{1});
  BOOST_TEST((table.find(ContainerId{1}) == nullptr && table.find_process(100) == nullptr));
  BOOST_TEST(!table.holds_any_of(first));
  BOOST_TEST((table.ids() == std::vector{ContainerId{2}}));
  table.check_invariants();
}

BOOST_AUTO_TEST_CASE(only_the_newest_refusals_are_kept) {
  ContainerTable table;
  constexpr std::int64_t remembered = 65'536;
  for (std::int64_t id = 0; id <= remembered; ++id) table.refuse(ContainerId{id});
  table.refuse(ContainerId{1});  // known already: counts once
  BOOST_TEST(!table.is_refused(ContainerId{0}));
  BOOST_TEST(table.is_refused(ContainerId{1}));
  BOOST_TEST(table.is_refused(ContainerId{remembered}));
  table.refuse(second);
  BOOST_TEST((table.is_refused(second) && !table.is_refused(first)));
}

}  // namespace container_table_test
}  // namespace heddle::actors

// Goal: only the current attempt of a live application is found, a new attempt starts without old state, and ended
// applications are removed in order.
#include "actors/resource_manager/application_table.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::actors {
namespace application_table_test {

BOOST_AUTO_TEST_CASE(a_new_attempt_keeps_only_the_updated_nodes_of_the_former_attempt) {
  ApplicationTable table{1000};
  Application& application = table.add({}, false);
  application.begin_attempt(Instant{});
  application.enter(ApplicationPhase::launched);
  application.enter(ApplicationPhase::running);
  application.answers.id = 7;
  application.ends.push_back({ContainerId{1}, {}});
  application.updated_nodes[NodeId{1}] = {NodeId{1}, "a", NodeCondition::lost};
  BOOST_TEST((table.find_attempt({application.id, 1}) == &application));
  application.begin_attempt(Instant{std::chrono::seconds{5}});
  BOOST_TEST((table.find_attempt({application.id, 1}) == nullptr));
  BOOST_TEST((table.find_attempt({application.id, 2}) == &application));
  BOOST_TEST(application.answers.id == -1);
  BOOST_TEST(application.ends.empty());
  BOOST_TEST(application.updated_nodes.size() == 1U);
  application.enter(ApplicationPhase::ended);
  BOOST_TEST((table.find_attempt({application.id, 2}) == nullptr));
  table.check_invariants();
}

BOOST_AUTO_TEST_CASE(the_oldest_ended_applications_without_containers_are_removed) {
  ApplicationTable table{1000};
  std::vector<ApplicationId> ids;
  for (int i = 0; i < 4; ++i) ids.push_back(table.add({}, false).id);
  for (const std::size_t ended : {0U, 1U, 3U}) table.find(ids[ended])->enter(ApplicationPhase::ended);
  table.find(ids[0])->containers.insert(ContainerId{9});
  BOOST_TEST((table.forget_ended(3) == std::vector{ids[1]}));
  BOOST_TEST((table.find(ids[0]) != nullptr));
  BOOST_TEST((table.find(ids[1]) == nullptr));
  table.forget_ended(0);
  BOOST_TEST((table.find(ids[2]) != nullptr));
  BOOST_TEST(table.rows().size() == 2U);
}

BOOST_AUTO_TEST_CASE(an_application_is_due_at_its_earliest_deadline) {
  using namespace std::chrono_literals;
  ApplicationTable table{1000, 60s};
  Application& application = table.add({}, false);
  application.begin_attempt(Instant{});
  table.schedule(application);
  BOOST_TEST(!table.next_due().has_value());  // no client is connected that could be told why it waits
  application.enter(ApplicationPhase::launched);
  application.last_heard = Instant{10s};
  table.schedule(application);
  BOOST_TEST((table.next_due() == Instant{70s}));
  application.waits.containers_since = Instant{20s};
  table.schedule(application);
  BOOST_TEST((table.next_due() == Instant{25s}));
  BOOST_TEST((table.take_due(Instant{25s}) == &application));
  application.waits.containers_since.reset();
  table.schedule(application);
  application.last_heard = Instant{30s};  // a message of the master does not update its deadline
  BOOST_TEST((table.take_due(Instant{70s}) == nullptr));
  BOOST_TEST((table.next_due() == Instant{90s}));
  application.leave_by = Instant{40s};
  application.enter(ApplicationPhase::ended);
  table.schedule(application);
  BOOST_TEST((table.next_due() == Instant{40s}));
  table.forget(application.id);
  BOOST_TEST(!table.next_due().has_value());
}

}  // namespace application_table_test
}  // namespace heddle::actors

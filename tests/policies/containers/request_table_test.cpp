// Hosts, racks and exclusions in the calls of an allocator: the numbered cases of the YARN specification. Calls are
// taken from the table one by one; a failed call is repeated.
#include "policies/containers/request_table.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/fair_world.hpp"

namespace heddle::policies {
namespace request_table_test {
namespace {

constexpr ProfileId standard{0};

/// "additions,removals" of the next call.
std::string exclusions(const RequestTable& table, const ResourceNameTable& places) {
  RequestTable copy = table;
  const AllocateCall call = copy.take_call(places);
  return std::to_string(call.exclude.size()) + "," + std::to_string(call.include.size());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(request_table)

// C-Y-150.
BOOST_AUTO_TEST_CASE(exclusions_are_said_as_differences) {
  ResourceNameTable places{RackTable{}};
  RequestTable table;
  table.exclude({{"n1", "n2"}, {}});
  BOOST_TEST(exclusions(table, places) == "2,0");
  table.exclude({{"n1", "n3"}, {}});
  BOOST_TEST(exclusions(table, places) == "3,0");
  table.exclude({{}, {"n2", "n3"}});
  BOOST_TEST(exclusions(table, places) == "1,2");
  table.exclude({{"n2"}, {}});
  BOOST_TEST(exclusions(table, places) == "2,1");
}

// C-Y-151: the only node is excluded, then included. A failed call keeps its content and the changes since then.
BOOST_AUTO_TEST_CASE(exclusions_keep_containers_away_and_survive_a_failed_call) {
  ResourceNameTable places{RackTable{}};
  RequestTable table;
  FairWorld world;
  const NodeId node = world.node(4096, 4);
  const auto app = world.submit(1024, 1, "queue1", 2);
  world.update();
  const auto tell = [&] {
    const AllocateCall call = table.take_call(places);
    (void)world.fair.allocate(world.now, FairWorld::attempt(app), {{}, {}, call.exclude, call.include}, world.effects);
    table.on_answer(1);
    world.beat(node, 2);
    return world.containers(app);
  };
  table.exclude({{"n1"}, {}});
  BOOST_TEST(tell() == 0U);
  table.exclude({{}, {"n1"}});
  BOOST_TEST(tell() == 2U);
  table.exclude({{"n2"}, {}});
  (void)table.take_call(places);
  table.exclude({{"n3"}, {}});
  table.on_call_failed(places);
  BOOST_TEST(exclusions(table, places) == "2,0");
}

// C-Y-149: a request names one host. Its rack is added, and removed with the request.
BOOST_AUTO_TEST_CASE(a_request_for_a_host_is_met_by_its_rack) {
  RackTable racks;
  racks.set("h1", "/rack1");
  ResourceNameTable places{racks};
  RequestTable table;
  table.set_resource(standard, {1024, 2});
  const ResourceNameId host = places.host("h1");
  const ResourceNameId rack = places.rack_of(host);
  std::vector<RequestsChanged> changes;
  table.add_local(standard, {0, {host}, {{1, 1}}}, places, changes);
  RequestTable copy = table;
  BOOST_TEST(copy.take(standard, rack).has_value());
  BOOST_TEST(!copy.take(standard, rack).has_value());
  BOOST_TEST(table.take(standard, host).has_value());
  BOOST_TEST(!table.take(standard, rack).has_value());
  BOOST_TEST(table.pending(standard) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace request_table_test
}  // namespace heddle::policies

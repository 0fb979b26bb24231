// Goal: each registration of a node has its own id, and its containers are removed with it.
#include "actors/resource_manager/node_table.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::actors {
namespace node_table_test {
namespace {

RegisterNode node_at(const std::string& address, Resource capacity) {
  RegisterNode message;
  message.host = address.substr(0, address.find(':'));
  message.address = address;
  message.capacity = capacity;
  return message;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_node_that_registers_again_has_a_new_id_and_epoch) {
  NodeTable table;
  const NodeId before = table.add(node_at("a:1", {1024, 4}), Instant{}).id;
  table.remove(before);
  const Node& again = table.add(node_at("a:1", {1024, 4}), Instant{});
  BOOST_TEST((again.id != before));
  BOOST_TEST((table.find(before) == nullptr));
  BOOST_TEST((table.find(again.id, Epoch{before.value}) == nullptr));
  BOOST_TEST((table.find_address("a:1") == &again));
}

BOOST_AUTO_TEST_CASE(nodes_of_a_restarted_cluster_have_other_epochs) {
  NodeTable before{1000};
  NodeTable after{2000};
  const Node& old = before.add(node_at("a:1", {1024, 4}), Instant{});
  const Node& now = after.add(node_at("a:1", {1024, 4}), Instant{});
  BOOST_TEST((old.epoch != now.epoch));
  BOOST_TEST((after.find(old.id, old.epoch) == nullptr));
}

BOOST_AUTO_TEST_CASE(containers_are_on_one_node_and_are_removed_with_it) {
  NodeTable table;
  const NodeId a = table.add(node_at("a:1", {4096, 2}), Instant{}).id;
  const NodeId b = table.add(node_at("b:1", {1024, 8}), Instant{}).id;
  BOOST_TEST((table.largest() == Resource{4096, 8}));
  for (const std::int64_t id : {1, 2, 3}) {
    PlacedContainer where;
    where.node = id == 3 ? b : a;
    table.place(ContainerId{id}, where);
  }
  table.forget(ContainerId{1});
  table.forget(ContainerId{1});
  BOOST_TEST(table.find(a)->containers.size() == 1U);
  table.check_invariants();
  table.remove(a);
  BOOST_TEST((table.find_container(ContainerId{2}) == nullptr));
  BOOST_TEST((table.find_container(ContainerId{3}) != nullptr));
  table.check_invariants();
}

BOOST_AUTO_TEST_CASE(a_heartbeat_delays_the_deadline_of_its_node_only) {
  using namespace std::chrono_literals;
  NodeTable table{0, {10s, 60s}};
  const NodeId spoke = table.add(node_at("a:1", {1024, 4}), Instant{}).id;
  const NodeId silent = table.add(node_at("b:1", {1024, 4}), Instant{}).id;
  BOOST_TEST((table.next_due() == Instant{10s}));
  table.find(spoke)->last_seen = Instant{4s};
  BOOST_TEST(table.take_silent(Instant{9s}).empty());
  BOOST_TEST((table.take_silent(Instant{10s}) == std::vector{silent}));
  table.remove(silent);
  BOOST_TEST((table.next_due() == Instant{14s}));
  BOOST_TEST((table.take_silent(Instant{14s}) == std::vector{spoke}));
  table.remove(spoke);
  BOOST_TEST(!table.next_due().has_value());
}

BOOST_AUTO_TEST_CASE(the_running_containers_of_a_node_ascend_until_they_end) {
  NodeTable table;
  const NodeId id = table.add(node_at("a:1", {8192, 4}), Instant{}).id;
  for (const std::int64_t number : {1, 2, 3, 4}) {
    PlacedContainer where;
    where.node = id;
    table.place(ContainerId{number}, where);
  }
  for (const std::int64_t number : {3, 1, 4}) table.mark_running(ContainerId{number});
  BOOST_TEST((table.find(id)->running == std::vector{ContainerId{1}, ContainerId{3}, ContainerId{4}}));
  table.forget(ContainerId{3});
  table.forget(ContainerId{2});
  BOOST_TEST((table.find(id)->running == std::vector{ContainerId{1}, ContainerId{4}}));
  table.check_invariants();
}

BOOST_AUTO_TEST_CASE(a_granted_container_that_no_heartbeat_lists_is_unused_unless_it_is_a_master) {
  using namespace std::chrono_literals;
  NodeTable table{0, {1000s, 60s}};
  const NodeId node = table.add(node_at("a:1", {8192, 4}), Instant{}).id;
  for (const std::int64_t number : {1, 2, 3, 4}) {
    PlacedContainer placed;
    placed.node = node;
    placed.granted_at = Instant{5s};
    placed.is_master = number == 4;
    table.place(ContainerId{number}, placed);
  }
  table.mark_running(ContainerId{1});
  table.forget(ContainerId{2});
  BOOST_TEST(table.take_unused(Instant{64s}).empty());
  BOOST_TEST((table.take_unused(Instant{65s}) == std::vector{ContainerId{3}}));
  BOOST_TEST(table.take_unused(Instant{1000s}).empty());
}

}  // namespace node_table_test
}  // namespace heddle::actors

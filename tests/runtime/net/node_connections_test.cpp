// Goal: values that wait for a node are returned once, in order, and only the first one opens a connection. Method:
// plain calls.
#include "runtime/net/node_connections.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::runtime {
namespace node_connections_test {

using Waiting = std::vector<int>;

BOOST_AUTO_TEST_CASE(only_the_first_waiting_value_opens_the_connection) {
  NodeConnections<int> nodes;
  BOOST_TEST(nodes.wait_for("a:1", 1));
  BOOST_TEST(!nodes.wait_for("a:1", 2));
  BOOST_TEST(nodes.wait_for("b:1", 3));
  BOOST_TEST(!nodes.is_open("a:1"));
  BOOST_TEST((nodes.open("a:1") == Waiting{1, 2}));
  BOOST_TEST(nodes.is_open("a:1"));
  BOOST_TEST(!nodes.is_open("b:1"));
  BOOST_TEST(nodes.open("a:1").empty());
}

BOOST_AUTO_TEST_CASE(a_dropped_connection_returns_what_waited_for_it_and_can_be_opened_again) {
  NodeConnections<int> nodes;
  BOOST_TEST(nodes.drop("a:1").empty());
  BOOST_TEST(nodes.wait_for("a:1", 1));
  BOOST_TEST((nodes.drop("a:1") == Waiting{1}));
  BOOST_TEST(nodes.wait_for("a:1", 2));
  BOOST_TEST((nodes.open("a:1") == Waiting{2}));
  BOOST_TEST(nodes.drop("a:1").empty());
  BOOST_TEST(!nodes.is_open("a:1"));
}

}  // namespace node_connections_test
}  // namespace heddle::runtime

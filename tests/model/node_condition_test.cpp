// Goal: containers continue on exactly the nodes that Hadoop counts as usable. Method: every condition.
#include "model/node_condition.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle {
namespace node_condition_test {

BOOST_AUTO_TEST_CASE(a_running_and_a_decommissioning_node_are_usable) {
  BOOST_TEST(is_usable(NodeCondition::running));
  BOOST_TEST(is_usable(NodeCondition::decommissioning));
  for (const auto condition : {NodeCondition::unhealthy, NodeCondition::lost, NodeCondition::decommissioned})
    BOOST_TEST(!is_usable(condition));
}

}  // namespace node_condition_test
}  // namespace heddle

// Goal: the text of a container's end names the reason, how the process ended, and the folder of its logs.
// Method: a table.
#include "model/container_end.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle {
namespace container_end_test {
namespace {

BOOST_AUTO_TEST_CASE(an_end_is_described_by_reason_process_and_log_folder) {
  const std::pair<ContainerEnd, std::string> table[]{
      {{-100, "its node was lost"}, "its node was lost"},
      {{1, "", ProcessEnd{1, 0}, "/logs/7"}, "its process ended with code 1; its logs are in /logs/7"},
      {{137, "", ProcessEnd{137, 9}, "/logs/7"}, "killed by signal 9; its logs are in /logs/7"},
      {{-104, "it held 600 MiB of 512 MiB granted", ProcessEnd{143, 15}, "/logs/7"},
       "it held 600 MiB of 512 MiB granted (killed by signal 15); its logs are in /logs/7"}};
  for (const auto& [end, text] : table) BOOST_TEST(describe(end) == text);
}

BOOST_AUTO_TEST_CASE(a_driver_that_cannot_be_reached_is_named_with_the_node_and_what_helps) {
  BOOST_TEST(describe_unreachable_driver("laptop:7000", "node3") ==
             "the Driver at laptop:7000 cannot be reached from node node3; in client mode set heddle.driver.host or "
             "heddle.driver.bind_address to an address that the node can reach, or use --deploy-mode cluster");
}

}  // namespace
}  // namespace container_end_test
}  // namespace heddle

// Goal: capacity-scheduler.xml is parsed as in Hadoop, and a wrong file gives file, line, key and the expected value.
// Method: tables of whole files and of single wrong properties.
#include "config/hadoop/capacity_scheduler_xml.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::config {
namespace capacity_scheduler_xml_test {
namespace {

std::string property(const std::string& key, const std::string& value) {
  return "<property><name>yarn.scheduler.capacity." + key + "</name><value>" + value + "</value></property>\n";
}

std::string file_of(const std::string& properties) { return "<configuration>\n" + properties + "</configuration>"; }

const std::string two_queues =
    property("root.queues", "a, b") + property("root.a.capacity", "30") + property("root.b.capacity", "70");

void check_refused(const std::string& properties, const std::string& expected) {
  const auto read = read_capacity_scheduler_xml(file_of(properties), "queues.xml");
  BOOST_TEST_REQUIRE(!read.has_value(), "refused: " + expected);
  BOOST_TEST(read.error().text.find(expected) != std::string::npos, read.error().text + " has " + expected);
}

BOOST_AUTO_TEST_CASE(reads_the_tree_with_its_capacities_and_limits) {
  const auto read = read_capacity_scheduler_xml(
      file_of(two_queues + property("root.a.maximum-capacity", "50") + property("root.b.queues", "x,y") +
              property("root.b.x.capacity", "1w") + property("root.b.y.capacity", "3w") +
              property("root.b.y.ordering-policy", "fair") + property("root.b.y.user-limit-factor", "2.5") +
              property("root.b.disable_preemption", "true") + property("root.user-settings.ann.weight", "2") +
              property("node-locality-delay", "7")),
      "queues.xml");
  BOOST_TEST_REQUIRE(read.has_value());
  BOOST_TEST_REQUIRE(read->queues.size() == 5U);
  BOOST_TEST(read->queues[1].name == "root.a");
  BOOST_TEST(read->queues[1].capacity.number == 30.0F);
  BOOST_TEST(read->queues[1].maximum_capacity.number == 50.0F);
  BOOST_TEST((read->queues[3].capacity.kind == ConfiguredCapacity::Kind::weight));
  BOOST_TEST((read->queues[4].order == ApplicationOrder::fair));
  BOOST_TEST(read->queues[4].user_limit_factor == 2.5F);
  BOOST_TEST(!read->queues[4].is_preemptable);
  BOOST_TEST(read->queues[4].weight_of("ann") == 2.0F);
  BOOST_TEST(read->node_locality_delay == 7);
  BOOST_TEST(read->unread_keys.empty());
}

BOOST_AUTO_TEST_CASE(parents_order_their_children_as_their_own_parent_does_unless_told) {
  const std::string queues = two_queues + property("root.a.queues", "x") + property("root.a.x.capacity", "100") +
                             property("root.a.x.queues", "p") + property("root.a.x.p.capacity", "100") +
                             property("root.b.queues", "y") + property("root.b.y.capacity", "100");
  const auto read =
      read_capacity_scheduler_xml(file_of(queues + property("root.ordering-policy", "priority-utilization") +
                                          property("root.b.ordering-policy", "utilization")),
                                  "queues.xml");
  BOOST_TEST_REQUIRE(read.has_value());
  for (const CapacityQueueSettings& queue : read->queues)
    if (queue.is_parent) BOOST_TEST(queue.respects_priority == (queue.name != "root.b"), queue.name);
}

BOOST_AUTO_TEST_CASE(reads_amounts_with_units) {
  const auto read = read_capacity_scheduler_xml(
      file_of(property("root.queues", "a") + property("root.a.capacity", "[memory=2G, vcores=3]") +
              property("root.a.maximum-capacity", "[memory=4096,vcores=6]")),
      "queues.xml");
  BOOST_TEST_REQUIRE(read.has_value());
  BOOST_TEST((read->queues[1].capacity.amount == Resource{2048, 3}));
  BOOST_TEST((read->queues[1].maximum_capacity.amount == Resource{4096, 6}));
}

// CS-1, CS-9
BOOST_AUTO_TEST_CASE(refuses_what_is_wrong_with_file_line_key_and_reason) {
  check_refused("", "yarn.scheduler.capacity.root.queues: must name at least one queue");
  check_refused(property("root.queues", "a,b") + property("root.a.capacity", "30") + property("root.b.capacity", "60"),
                "must sum to 100");
  check_refused(property("root.queues", "a") + property("root.a.capacity", "many"),
                "queues.xml:3: yarn.scheduler.capacity.root.a.capacity: ");
  check_refused(property("root.queues", "a"), "lists root.a, which has no yarn.scheduler.capacity.root.a.capacity");
  check_refused(property("root.queues", "a,a") + property("root.a.capacity", "50"), "lists \"a\" twice");
  check_refused(two_queues + property("root.a.maximum-capacity", "20"), "must not be below the capacity");
  check_refused(two_queues + property("root.a.ordering-policy", "fiar"), "did you mean \"fair\"?");
  check_refused(two_queues + property("root.a.state", "RUNING"), "did you mean \"RUNNING\"?");
  check_refused(two_queues + property("node-locality-delay", "soon"), "must be a number");
  check_refused(property("root.queues", "a,b") + property("root.a.capacity", "1w") + property("root.b.capacity", "60"),
                "same kind");
  check_refused(property("root.queues", "a") + property("root.a.capacity", "[memry=3]"), "did you mean \"memory\"?");
  BOOST_TEST(read_capacity_scheduler_xml("<configuration>\n<property>", "q.xml")
                 .error()
                 .text.starts_with("q.xml:2: not well-formed"));
}

BOOST_AUTO_TEST_CASE(lists_keys_that_nothing_reads_with_the_nearest_one) {
  const auto read =
      read_capacity_scheduler_xml(file_of(two_queues + property("root.a.user-limit-facter", "2") +
                                          property("node-locality-dely", "2") + property("root.c.capacity", "2")),
                                  "queues.xml");
  BOOST_TEST_REQUIRE(read.has_value());
  BOOST_TEST_REQUIRE(read->unread_keys.size() == 3U);
  BOOST_TEST(read->unread_keys[0].find("did you mean \"node-locality-delay\"?") != std::string::npos,
             read->unread_keys[0]);
  BOOST_TEST(read->unread_keys[1].find("did you mean \"user-limit-factor\"?") != std::string::npos,
             read->unread_keys[1]);
  BOOST_TEST(read->unread_keys[2].find("queues.xml:7: yarn.scheduler.capacity.root.c.capacity") != std::string::npos,
             read->unread_keys[2]);
}

BOOST_AUTO_TEST_CASE(mappings_name_queues_for_users_and_groups) {
  const auto read = read_capacity_scheduler_xml(
      file_of(two_queues + property("queue-mappings", "u:ann:a, g:ops:b, u:%user:%primary_group")), "q");
  BOOST_TEST_REQUIRE(read.has_value());
  BOOST_TEST_REQUIRE(read->mappings.size() == 3U);
  BOOST_TEST(read->mappings[0].queue_for("ann", {}) == "a");
  BOOST_TEST(read->mappings[0].queue_for("bob", {}) == "");
  BOOST_TEST(read->mappings[1].queue_for("bob", {"dev", "ops"}) == "b");
  BOOST_TEST(read->mappings[2].queue_for("bob", {"dev"}) == "dev");
  check_refused(two_queues + property("queue-mappings", "x:ann:a"), "must be a list of u:USER:QUEUE");
}

}  // namespace
}  // namespace capacity_scheduler_xml_test
}  // namespace heddle::config

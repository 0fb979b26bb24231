// Goal: other resources than memory and cores: grants, waits that name the holders, refusals. Method: fake client,
// nodes, master and allocator around one ResourceManager with FIFO rules, virtual time; each log is replayed.
#include <boost/test/unit_test.hpp>

#include "tests/actors/resource_manager/cluster_world.hpp"

namespace heddle::actors {
namespace resource_manager_other_resources_test {
namespace {

const ResourceAmounts one_gpu{{"yarn.io/gpu", 1}};

struct GpuWorld : ClusterWorld {
  explicit GpuWorld(std::int64_t gpus, std::int32_t nodes_expected = 0) : ClusterWorld{nodes_expected} {
    add_node(node, "a", 65536, {{"yarn.io/gpu", gpus}});
    submit();
    say(master, cluster, RegisterApplicationMaster{attempt, "master:1", "", known_token});
  }
};

BOOST_AUTO_TEST_CASE(a_container_waits_for_a_gpu_and_the_client_learns_who_holds_it) {
  GpuWorld world{2};
  const auto first = world.ask(0, 3, one_gpu);
  BOOST_REQUIRE(first.allocated.size() == 2U);
  for (const GrantedContainer& granted : first.allocated) BOOST_TEST((granted.resource.others == one_gpu));
  world.advance(6s);
  BOOST_TEST(world.client.last<Notice>().text ==
             "a container waits in default: No node has yarn.io/gpu=1 left, which the next container needs: held by "
             "application_1000_0001 "
             "(2).");
  BOOST_TEST(world.allocator.count<AllocationAvailable>() == 0);
  world.end(world.node, first.allocated.at(0).container, 0);
  const auto second = world.ask(1, 0);
  BOOST_TEST(second.completed.size() == 1U);
  BOOST_TEST(second.allocated.size() == 1U);
  world.advance(3s);
  BOOST_TEST(world.client.count<Notice>() == 1);
}

BOOST_AUTO_TEST_CASE(a_request_without_gpus_does_not_wait_for_one) {
  GpuWorld world{0};
  const auto answer = world.ask(0, 2);
  BOOST_REQUIRE(answer.allocated.size() == 2U);
  BOOST_TEST(answer.allocated.at(0).resource.others.empty());
  world.advance(9s);  // its node sends no heartbeat and is lost after 10 s
  BOOST_TEST(world.client.count<Notice>() == 0);
}

BOOST_AUTO_TEST_CASE(a_missing_kind_of_resource_may_come_with_a_later_node) {
  GpuWorld world{0};
  BOOST_TEST(world.ask(0, 1, one_gpu).allocated.empty());
  world.advance(6s);
  BOOST_TEST(world.client.last<Notice>().text.find("No node has yarn.io/gpu=1, which the next container needs.") !=
             std::string::npos);
  auto& later = world.peer("node:2");
  const NodeId added = world.add_node(later, "b", 4096, one_gpu);
  const auto answer = world.ask(1, 0);
  BOOST_REQUIRE(answer.allocated.size() == 1U);
  BOOST_TEST(answer.allocated.at(0).node.value == added.value);
}

BOOST_AUTO_TEST_CASE(a_lost_node_removes_its_gpus) {
  GpuWorld world{2};
  BOOST_REQUIRE(world.ask(0, 2, one_gpu).allocated.size() == 2U);
  auto& other = world.peer("node:2");
  world.add_node(other, "a", 65536, one_gpu);  // the same NodeManager registers again
  BOOST_TEST(world.events().count("node_lost") == 1);
}

BOOST_AUTO_TEST_CASE(after_all_nodes_have_registered_a_master_that_fits_on_none_is_refused_with_the_amounts) {
  for (const std::int32_t nodes_expected : {0, 1}) {
    ClusterWorld world{nodes_expected};
    world.add_node(world.node, "a", 4096, one_gpu);
    SubmitApplication wanted{"words", "default", "me", {512, 1, {{"yarn.io/gpu", 2}}}, 2, {"", "/state", {}}};
    world.say(world.client, world.cluster, wanted);
    BOOST_TEST(world.client.count<ApplicationAccepted>() == (nodes_expected == 0 ? 1 : 0));
    if (nodes_expected == 1)
      BOOST_TEST(world.client.last<ApplicationRefused>().text ==
                 "the master container needs 2 of yarn.io/gpu, but the largest container here has 1");
    else world.advance(6s);
    if (nodes_expected == 0)
      BOOST_TEST(world.client.last<Notice>().text.find("No node has yarn.io/gpu=2") != std::string::npos);
    wanted.master.others = one_gpu;
    world.say(world.client, world.cluster, wanted);
    if (nodes_expected == 0) continue;
    BOOST_REQUIRE(world.node.count<StartContainer>() == 1);
    BOOST_TEST((world.node.last<StartContainer>().resource.others == one_gpu));
  }
}

BOOST_AUTO_TEST_CASE(a_master_gets_the_largest_amount_per_kind_after_all_nodes_have_registered) {
  GpuWorld open{2};
  BOOST_TEST(!open.master.last<RegisteredApplicationMaster>().limits_others);
  GpuWorld closed{2, 1};
  BOOST_TEST(closed.master.last<RegisteredApplicationMaster>().limits_others);
  BOOST_TEST((closed.master.last<RegisteredApplicationMaster>().maximum.others == ResourceAmounts{{"yarn.io/gpu", 2}}));
}

}  // namespace
}  // namespace resource_manager_other_resources_test
}  // namespace heddle::actors

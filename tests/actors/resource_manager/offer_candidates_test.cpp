// Goal: a change checks only nodes that may have free resources, and offers the same nodes as a scan of all nodes.
// Method: checks are counted in a nearly full cluster; then random free resources against a plain table.
#include "actors/resource_manager/offer_candidates.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "model/random_stream.hpp"

namespace heddle::actors {
namespace offer_candidates_test {
namespace {

struct PlainNodes {
  std::vector<int> room;
  std::vector<std::int64_t> offered;
  int wanted = 0;
  std::int64_t checks = 0;
  OfferCandidates nodes;

  explicit PlainNodes(std::size_t count, int each) : room(count, each) {
    for (std::size_t id = 0; id < count; ++id) nodes.add(NodeId{static_cast<std::int64_t>(id)});
  }
  [[nodiscard]] int& room_of(NodeId node) { return room[static_cast<std::size_t>(node.value)]; }
  bool offer(NodeId node) {
    offered.push_back(node.value);
    if (wanted == 0) return false;
    --wanted;
    --room_of(node);
    return true;
  }
  void offer_candidates() {
    nodes.offer_all(
        [this](NodeId node) {
          ++checks;
          return room_of(node) > 0;
        },
        [this](NodeId node) { return offer(node); });
  }
  void offer_all() {
    for (bool is_changed = true; is_changed;) {
      is_changed = false;
      for (std::size_t id = 0; id < room.size(); ++id)
        if (room[id] > 0 && offer(NodeId{static_cast<std::int64_t>(id)})) is_changed = true;
    }
  }
};

BOOST_AUTO_TEST_CASE(a_container_end_in_a_full_cluster_of_ten_thousand_nodes_checks_one_node) {
  PlainNodes cluster{10'000, 0};
  cluster.offer_candidates();
  BOOST_TEST(cluster.checks == 10'000);
  cluster.checks = 0;
  for (int end = 0; end < 100; ++end) {
    const NodeId node{end * 97};
    ++cluster.room_of(node);
    ++cluster.wanted;
    cluster.nodes.add(node);
    cluster.offer_candidates();
  }
  BOOST_TEST(cluster.checks == 200);  // once with free resources, once without
  BOOST_TEST(cluster.nodes.size() == 0U);
}

BOOST_AUTO_TEST_CASE(candidates_are_offered_in_the_order_of_a_scan_of_all_nodes) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomStream random{seed};
    PlainNodes roomy{20, 1};
    PlainNodes all{20, 1};
    for (int step = 0; step < 100; ++step) {
      const auto node = static_cast<std::size_t>(random.below(20));
      const auto wanted = static_cast<int>(random.below(4));
      for (PlainNodes* each : {&roomy, &all}) {
        ++each->room[node];
        each->wanted += wanted;
      }
      roomy.nodes.add(NodeId{static_cast<std::int64_t>(node)});
      roomy.offer_candidates();
      all.offer_all();
      BOOST_REQUIRE(roomy.offered == all.offered);
      BOOST_REQUIRE(roomy.room == all.room);
    }
  }
}

}  // namespace
}  // namespace offer_candidates_test
}  // namespace heddle::actors

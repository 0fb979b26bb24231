// Goal: containers are requested on the hosts of waiting tasks, with Spark's arithmetic, at a cost that depends on the
// hosts only. Method: the numbered cases of the specification as a table; random inputs compared with a literal copy of
// Spark's loop; one large input.
#include "policies/containers/container_placement.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>

#include "model/java_number.hpp"
#include "model/random_stream.hpp"

namespace container_placement_test {

using namespace heddle;
using namespace heddle::policies;

namespace {

struct Row {
  const char* id;
  std::int32_t containers;
  std::int32_t tasks;
  std::int32_t tasks_per_executor;
  std::vector<HostHint> hints;
  std::vector<std::vector<ResourceNameId>> pending;
  std::int32_t free;
  std::vector<PlacementGroup> groups;  // count, number of hosts
};

PlacementInput input_of(const Row& row) {
  PlacementInput input{row.containers, row.tasks, row.tasks_per_executor, row.hints, {}};
  for (const auto& hosts : row.pending) input.pending.push_back({1, hosts});
  return input;
}

std::vector<HostHint> four_hosts(std::int32_t containers) {
  return {{1, 30, containers}, {2, 30, containers}, {3, 20, containers}, {4, 10, containers}};
}

/// Spark's own loop: one entry at a time, counting down every host.
std::vector<std::vector<ResourceNameId>> walk(const PlacementInput& input) {
  std::int32_t all = 0;
  for (const auto& hint : input.hints) all += hint.tasks;
  const double executors = std::ceil(input.locality_tasks / static_cast<double>(input.tasks_per_executor));
  std::map<ResourceNameId, std::int32_t> needs;
  std::int32_t wanted = 0;
  std::int32_t most = 0;
  for (const auto& hint : input.hints) {
    needs[hint.host] = std::max(0, java::to_int(std::ceil(hint.tasks * executors / all - (hint.containers + 0.0))));
    wanted += needs[hint.host];
    most = std::max(most, needs[hint.host]);
  }
  const std::int32_t free = std::max(0, input.containers - wanted);
  std::vector<std::vector<ResourceNameId>> entries(static_cast<std::size_t>(free));
  const std::int32_t aware = input.containers - free;
  for (auto& need : needs)
    need.second = aware == 0 ? 0 : java::to_int(std::ceil(static_cast<double>(need.second) * aware / most));
  for (std::int32_t i = 0; i < aware; ++i) {
    std::vector<ResourceNameId> hosts;
    for (auto& need : needs)
      if (need.second-- > 0) hosts.push_back(need.first);
    entries.push_back(hosts);
  }
  return entries;
}

std::vector<std::vector<ResourceNameId>> expanded(const Placement& placement) {
  std::vector<std::vector<ResourceNameId>> entries(static_cast<std::size_t>(placement.free));
  for (const auto& group : placement.groups) {
    std::vector<ResourceNameId> hosts(placement.hosts.begin(), placement.hosts.begin() + group.hosts);
    std::sort(hosts.begin(), hosts.end());
    for (std::int32_t i = 0; i < group.count; ++i) entries.push_back(hosts);
  }
  return entries;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(container_placement)

BOOST_AUTO_TEST_CASE(places_as_the_numbered_cases_say) {
  const std::vector<Row> rows{
      {"C-PL-01", 3, 15, 5, {{3, 15, 0}, {4, 15, 0}, {5, 10, 0}}, {}, 0, {{2, 3}, {1, 2}}},
      {"C-PL-02", 3, 15, 5, {{1, 15, 2}, {2, 15, 1}, {3, 10, 0}}, {}, 1, {{2, 2}}},
      {"C-PL-03", 1, 15, 5, {{1, 15, 2}, {2, 15, 1}, {3, 10, 0}}, {}, 0, {{1, 2}}},
      {"C-PL-04", 3, 15, 5, {{1, 15, 2}, {2, 15, 2}, {3, 10, 1}}, {}, 3, {}},
      {"C-PL-05", 1, 0, 5, {}, {}, 1, {}},
      {"C-PL-06", 1, 15, 5, {{1, 15, 2}, {2, 15, 1}, {3, 10, 0}}, {{2, 3}, {1, 4}}, 0, {{1, 1}}},
      {"C-PL-08", 5, 8, 2, {{1, 8, 0}, {2, 4, 0}}, {{1, 2}, {1}}, 2, {{2, 2}, {1, 1}}},
      {"C-PL-09", 2, 4, 1, {{1, 4, 0}}, {{1}}, 0, {{2, 1}}},
      {"C-PL-10", 4, 4, 1, {{1, 4, 0}, {2, 4, 0}, {3, 4, 0}}, {}, 0, {{4, 3}}},
      {"C-PL-11", 3, 3, 1, {{1, 1, 0}, {2, 1, 0}, {3, 1, 0}}, {}, 0, {{3, 3}}},
      {"C-PL-12", 6, 3, 1, {{1, 1, 0}, {2, 1, 0}, {3, 1, 0}}, {}, 3, {{3, 3}}},
      {"C-PL-13", 2, 3, 1, {{1, 1, 0}, {2, 1, 0}, {3, 1, 0}}, {}, 0, {{2, 3}}},
      {"C-PL-14", 18, 30, 2, four_hosts(0), {}, 2, {{7, 4}, {6, 3}, {3, 2}}},
      {"C-PL-15", 16, 30, 2, four_hosts(0), {}, 0, {{7, 4}, {6, 3}, {3, 2}}},
      {"C-PL-16", 15, 30, 2, four_hosts(0), {}, 0, {{6, 4}, {6, 3}, {3, 2}}},
      {"C-PL-17", 10, 30, 2, four_hosts(0), {}, 0, {{4, 4}, {4, 3}, {2, 2}}},
      {"C-PL-18", 12, 30, 2, four_hosts(1), {}, 0, {{3, 4}, {6, 3}, {3, 2}}},
      {"C-PL-19", 11, 30, 2, four_hosts(1), {}, 0, {{3, 4}, {6, 3}, {2, 2}}},
      {"C-PL-20", 18, 30, 2, four_hosts(1), {}, 6, {{3, 4}, {6, 3}, {3, 2}}},
      {"C-PL-21", 10, 30, 2, four_hosts(1), {}, 0, {{3, 4}, {5, 3}, {2, 2}}},
      {"C-PL-22", 10, 30, 2, four_hosts(5), {}, 10, {}},
      {"C-PL-23", 1, 30, 2, four_hosts(0), {}, 0, {{1, 4}}},
      {"C-PL-24", 0, 30, 2, four_hosts(0), {}, 0, {}},
  };
  for (const auto& row : rows) {
    const auto placement = place_containers(input_of(row));
    BOOST_TEST_INFO(row.id);
    BOOST_TEST(placement.free == row.free);
    BOOST_TEST_INFO(row.id);
    BOOST_TEST((placement.groups == row.groups));
  }
}

BOOST_AUTO_TEST_CASE(equals_a_walk_that_counts_every_host_down) {
  RandomStream random{7};
  for (int round = 0; round < 500; ++round) {
    PlacementInput input;
    input.containers = static_cast<std::int32_t>(random.below(40));
    input.locality_tasks = static_cast<std::int32_t>(random.below(80));
    input.tasks_per_executor = 1 + static_cast<std::int32_t>(random.below(5));
    for (ResourceNameId host = 0; host < static_cast<ResourceNameId>(random.below(9)); ++host)
      input.hints.push_back(
          {host, 1 + static_cast<std::int32_t>(random.below(20)), static_cast<std::int32_t>(random.below(3))});
    BOOST_TEST_INFO("round " << round);
    BOOST_TEST((expanded(place_containers(input)) == walk(input)));
  }
}

// C-PL-07: the numbers of SPARK-18750, entry by entry as in Spark's loop.
BOOST_AUTO_TEST_CASE(places_four_thousand_containers_as_the_original_does) {
  PlacementInput input{4096, 32768, 1, {}, {}};
  for (ResourceNameId host = 1; host <= 128; ++host)
    input.hints.push_back({host, 32768 % host, host <= 64 ? host - 1 : 0});
  const auto entries = expanded(place_containers(input));
  BOOST_TEST(entries.size() == 4096U);
  BOOST_TEST((entries == walk(input)));
}

// The size of the result depends on the hosts only.
BOOST_AUTO_TEST_CASE(describes_ten_thousand_containers_by_their_hosts) {
  PlacementInput input{10000, 40000, 4, {}, {}};
  for (ResourceNameId host = 0; host < 5000; ++host) input.hints.push_back({host, 1 + host % 17, host % 3});
  const auto placement = place_containers(input);
  std::int32_t described = placement.free;
  std::int32_t hosts = static_cast<std::int32_t>(placement.hosts.size()) + 1;
  for (const auto& group : placement.groups) {
    BOOST_TEST(group.hosts < hosts);
    hosts = group.hosts;
    described += group.count;
  }
  BOOST_TEST(described == input.containers);
}

// heddle.fix.exact_placement (PL-7): three hosts need 7/3 of 7 executors each; each runs one already, and each expects
// 1/3 of a pending request.
BOOST_AUTO_TEST_CASE(whole_needs_are_not_rounded_up_if_mended) {
  for (const bool mended : {false, true}) {
    const Row row{"", 10, 7, 1, {{1, 1, 1}, {2, 1, 0}, {3, 1, 0}}, {{1, 2, 3}}, 0, {}};
    PlacementInput input = input_of(row);
    input.is_exact = mended;
    BOOST_TEST(place_containers(input).free == (mended ? 5 : 4));
  }
}

// heddle.fix.exact_placement (PL-7): without shared pending requests both computations are equal.
BOOST_AUTO_TEST_CASE(exact_needs_are_never_above_those_in_doubles) {
  RandomStream random{11};
  for (int round = 0; round < 500; ++round) {
    PlacementInput input{
        static_cast<std::int32_t>(random.below(60)), static_cast<std::int32_t>(random.below(90)), 1, {}, {}};
    for (ResourceNameId host = 0; host < static_cast<ResourceNameId>(random.below(9)); ++host)
      input.hints.push_back(
          {host, 1 + static_cast<std::int32_t>(random.below(20)), static_cast<std::int32_t>(random.below(3))});
    std::int32_t free[2] = {0, 0};
    for (const bool mended : {false, true}) {
      input.is_exact = mended;
      free[mended ? 1 : 0] = place_containers(input).free;
    }
    BOOST_TEST(free[1] >= free[0]);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace container_placement_test

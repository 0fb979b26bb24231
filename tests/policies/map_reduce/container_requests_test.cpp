// Requests that a container matches, and asks per resource name: the numbered cases of the YARN specification, then
// random requests compared with a plain list.
#include "policies/map_reduce/container_requests.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace container_requests_test {
namespace {

using Groups = std::vector<ContainerRequests::Group>;

RackTable racks() {
  RackTable table;
  table.set("h1", "/rack1");
  table.set("h2", "/rack1");
  table.set("h3", "/rack3");
  return table;
}

/// "name:relaxed" of all changed asks, sorted by name.
std::string said(ContainerRequests& requests) {
  std::string line;
  for (const RequestAsk& ask : requests.pop_asks())
    line += ask.name + ":" + std::to_string(ask.count) + (ask.relax_locality ? "" : "!") + " ";
  return line;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(container_requests)

// C-Y-143.
BOOST_AUTO_TEST_CASE(the_racks_of_hosts_are_asked_too) {
  ContainerRequests requests{racks()};
  BOOST_REQUIRE(requests.add({1, {1024, 1}, {"h1", "h2"}, {"/rack2"}, true}));
  BOOST_TEST(said(requests) == "*:1 /rack1:1 /rack2:1 h1:1 h2:1 ");
}

// C-Y-144: "!" marks a name with strict locality.
BOOST_AUTO_TEST_CASE(only_named_places_will_do_where_locality_is_not_relaxed) {
  ContainerRequests requests{racks()};
  BOOST_REQUIRE(requests.add({1, {1024, 1}, {"h1", "h2"}, {}, false}));
  BOOST_TEST(said(requests) == "*:1! /rack1:1! h1:1 h2:1 ");
  BOOST_REQUIRE(requests.add({2, {1024, 1}, {"h1", "h2"}, {"/rack1", "/rack2"}, false}));
  BOOST_TEST(said(requests) == "*:1! /rack1:1 /rack2:1 h1:1 h2:1 ");
  BOOST_REQUIRE(requests.add({2, {1024, 1}, {"h1", "h2"}, {"/rack1", "/rack2"}, false}));
  BOOST_TEST(said(requests) == "*:2! /rack1:2 /rack2:2 h1:2 h2:2 ");
}

// C-Y-145: at "*" of one priority, and at a rack that one request names and another only implies.
BOOST_AUTO_TEST_CASE(one_priority_says_one_thing_of_a_place) {
  ContainerRequests requests{racks()};
  BOOST_REQUIRE(requests.add({1, {1024, 1}, {"h1"}, {}, false}));
  BOOST_TEST(!requests.add({1, {1024, 1}, {"h3"}, {}, true}));
  BOOST_TEST(!requests.add({1, {1024, 1}, {}, {"/rack1"}, false}));
  BOOST_TEST(requests.add({2, {1024, 1}, {"h3"}, {}, true}).has_value());
  BOOST_TEST(requests.add({1, {2048, 1}, {"h3"}, {}, false}).has_value());
  BOOST_TEST(requests.size() == 3U);
  requests.check_invariants();
}

// C-Y-146.
BOOST_AUTO_TEST_CASE(what_was_removed_contradicts_nothing) {
  ContainerRequests requests{racks()};
  const auto former = requests.add({1, {1024, 1}, {"h1"}, {}, false});
  BOOST_TEST(!requests.add({1, {1024, 1}, {"h1"}, {}, true}));
  requests.remove(*former);
  BOOST_TEST(requests.add({1, {1024, 1}, {"h1"}, {}, true}).has_value());
  BOOST_TEST(said(requests) == "*:1 /rack1:1 h1:1 ");
}

// C-Y-147: priority 1 is p, 2 is q.
BOOST_AUTO_TEST_CASE(a_container_answers_requests_of_its_size_or_else_all_that_fit) {
  ContainerRequests requests{racks()};
  for (const Resource& size : std::vector<Resource>{{1024, 2}, {1024, 1}, {1000, 2}, {2000, 1}, {1000, 3}, {2000, 1}})
    BOOST_REQUIRE(requests.add({1, size, {"h1"}, {}, true}));
  BOOST_REQUIRE(requests.add({2, {2000, 1}, {"h1"}, {}, false}));
  BOOST_TEST((requests.matching(1, "h1", {1024, 2}) == Groups{{1}}));
  requests.remove(1);
  BOOST_TEST((requests.matching(1, "h1", {2000, 1}) == Groups{{4, 6}}));
  BOOST_TEST((requests.matching(1, "h1", {4000, 4}) == Groups{{4, 6}, {2}, {5}, {3}}));
  BOOST_TEST((requests.matching(1, "h1", {1024, 2}) == Groups{{2}, {3}}));
  BOOST_TEST(requests.matching(1, "h1", {512, 4}).empty());
  BOOST_TEST(requests.matching(2, "*", {2000, 1}).empty());
  BOOST_TEST((requests.matching(2, "h1", {2000, 1}) == Groups{{7}}));
}

// C-Y-148: two requests with host and rack, and one for any node with another priority.
BOOST_AUTO_TEST_CASE(requests_stand_under_each_of_their_names_and_leave_them_all) {
  ContainerRequests requests{racks()};
  const auto first = requests.add({1, {1024, 2}, {"h1"}, {"/rack1"}, true});
  const auto second = requests.add({1, {1024, 2}, {"h1"}, {"/rack1"}, true});
  const auto third = requests.add({2, {1024, 2}, {}, {}, true});
  BOOST_TEST((requests.matching(1, "*", {1024, 2}) == Groups{{*first, *second}}));
  BOOST_TEST((requests.matching(2, "*", {1024, 2}) == Groups{{*third}}));
  BOOST_TEST(requests.matching(2, "/rack1", {1024, 2}).empty());
  for (const auto& each : {first, second, third}) requests.remove(*each);
  BOOST_TEST(requests.size() == 0U);
  for (const char* name : {"*", "/rack1", "h1"}) BOOST_TEST(requests.count_at(1, name, {1024, 2}) == 0);
  requests.check_invariants();
}

// C-Y-153: label x then a at the same priority; "x && y".
BOOST_AUTO_TEST_CASE(the_last_label_of_a_size_stands_and_only_at_any) {
  ContainerRequests requests{racks()};
  const auto labelled = [](const std::string& label) {
    return ContainerRequest{1, {1024, 1}, {"h1"}, {}, true, label};
  };
  const auto labels = [&] {
    std::map<std::string, std::string> told;
    for (const RequestAsk& ask : requests.pop_asks()) told[ask.name] = ask.node_label;
    return told;
  };
  using Labels = std::map<std::string, std::string>;
  BOOST_REQUIRE(requests.add(labelled("x")).has_value());
  BOOST_TEST((labels() == Labels{{"*", "x"}, {"/rack1", ""}, {"h1", ""}}));
  BOOST_REQUIRE(requests.add(labelled("x")).has_value());
  BOOST_REQUIRE(requests.add(labelled("a")).has_value());
  BOOST_TEST((labels() == Labels{{"*", "a"}, {"/rack1", ""}, {"h1", ""}}));
  for (const char* several : {"x && y", "x || y", "x&&y"}) {
    const auto refused = requests.add(labelled(several));
    BOOST_REQUIRE(!refused.has_value());
    BOOST_TEST(refused.error().text.find("Cannot specify more than one node label in a single node label expression") ==
               0U);
  }
  BOOST_TEST(requests.size() == 3U);
  BOOST_TEST(labels().empty());
  requests.check_invariants();
}

BOOST_AUTO_TEST_CASE(random_requests_answer_as_a_plain_list_does) {
  const std::vector<std::string> hosts{"h1", "h2", "h3"};
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    RandomStream random{seed};
    ContainerRequests requests{racks()};
    std::map<std::int64_t, ContainerRequest> plain;
    for (int step = 0; step < 120; ++step) {
      if (!plain.empty() && random.chance(1, 3)) {
        const auto gone = std::next(plain.begin(), static_cast<std::ptrdiff_t>(random.below(plain.size())));
        requests.remove(gone->first);
        plain.erase(gone);
      } else {
        ContainerRequest one{static_cast<std::int32_t>(random.below(2)),
                             {1024 * static_cast<std::int64_t>(1 + random.below(3)), 1},
                             {hosts[random.below(3)]},
                             {},
                             random.chance(1, 2)};
        const bool contradicts = std::any_of(plain.begin(), plain.end(), [&](const auto& row) {
          return row.second.priority == one.priority && row.second.relax_locality != one.relax_locality;
        });
        const auto number = requests.add(one);
        BOOST_REQUIRE(number.has_value() == !contradicts);
        if (number) plain.emplace(*number, one);
      }
      requests.check_invariants();
      const Resource offered{1024 * static_cast<std::int64_t>(1 + random.below(4)), 1};
      std::vector<std::int64_t> exact, fitting, answered;
      for (const auto& [number, one] : plain) {
        if (one.priority != 0 || one.hosts.front() != "h1") continue;
        if (one.capability == offered) exact.push_back(number);
        if (fits_in(one.capability, offered)) fitting.push_back(number);
      }
      for (const auto& group : requests.matching(0, "h1", offered))
        answered.insert(answered.end(), group.begin(), group.end());
      std::sort(answered.begin(), answered.end());
      BOOST_REQUIRE((answered == (exact.empty() ? fitting : exact)));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace container_requests_test
}  // namespace heddle::policies

// Goal: nodes with too many failures are excluded for a time, and old failures expire. Method: the numbered cases of
// the specification, step by step, with times as numbers.
#include "policies/containers/node_health.hpp"

#include <boost/test/unit_test.hpp>

namespace node_health_test {

using namespace heddle;
using namespace heddle::policies;
using std::chrono::milliseconds;

namespace {

using Names = std::vector<std::string>;

NodeHealthSettings short_exclusion() {
  NodeHealthSettings settings;
  settings.exclude_on_launch_failure = true;
  settings.exclusion_timeout = milliseconds{100};
  return settings;
}

Instant at(std::int64_t ms) { return Instant{milliseconds{ms}}; }

void check_change(const std::optional<ExclusionChanged>& change, const Names& added, const Names& removed) {
  BOOST_REQUIRE(change.has_value());
  BOOST_TEST(change->added == added, boost::test_tools::per_element());
  BOOST_TEST(change->removed == removed, boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(node_health)

BOOST_AUTO_TEST_CASE(its_own_exclusion_expires) {  // C-NH-01
  NodeHealth health{short_exclusion()};
  BOOST_TEST(!health.on_failure(at(0), "host").has_value());
  BOOST_TEST(!health.on_failure(at(0), "host").has_value());
  check_change(health.on_failure(at(0), "host"), {"host"}, {});
  BOOST_TEST(!health.on_failure(at(0), "host").has_value());
  BOOST_TEST(health.failures(at(0)) == 3);
  check_change(health.on_scheduler_exclusion(at(100), {}), {}, {"host"});
}

BOOST_AUTO_TEST_CASE(the_schedulers_exclusion_does_not_expire) {  // C-NH-02
  NodeHealth health{short_exclusion()};
  check_change(health.on_scheduler_exclusion(at(0), {"h1", "h2"}), {"h1", "h2"}, {});
  BOOST_TEST(!health.on_scheduler_exclusion(at(200), {"h1", "h2"}).has_value());
}

BOOST_AUTO_TEST_CASE(static_scheduler_and_own_exclusions_add_up) {  // C-NH-03, C-NH-04
  auto settings = short_exclusion();
  settings.excluded_nodes = {"i1", "i2"};
  NodeHealth health{settings};
  check_change(health.on_start(at(0)), {"i1", "i2"}, {});
  for (int i = 0; i < 2; ++i) BOOST_TEST(!health.on_failure(at(0), "h1").has_value());
  check_change(health.on_failure(at(0), "h1"), {"h1"}, {});
  check_change(health.on_scheduler_exclusion(at(0), {"h2", "h3"}), {"h2", "h3"}, {});
  check_change(health.on_scheduler_exclusion(at(10), {"h3", "h4"}), {"h4"}, {"h2"});
}

BOOST_AUTO_TEST_CASE(knows_when_no_node_is_left) {  // C-NH-05
  NodeHealth health{short_exclusion()};
  BOOST_TEST(!health.all_excluded());
  health.on_cluster_nodes(4);
  static_cast<void>(health.on_scheduler_exclusion(at(0), {"h1", "h2", "h3"}));
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(!health.all_excluded());
    static_cast<void>(health.on_failure(at(60), "h4"));
  }
  BOOST_TEST(health.all_excluded());
}

BOOST_AUTO_TEST_CASE(failures_expire_only_with_a_validity) {  // C-FT-01, C-FT-02
  for (const bool expires : {true, false}) {
    auto settings = short_exclusion();
    settings.failures_per_node_max = 100;
    if (expires) settings.failure_validity = milliseconds{100};
    NodeHealth health{settings};
    for (std::int64_t i = 0; i < 4; ++i) {
      static_cast<void>(health.on_failure(at(10 * i), i % 2 == 0 ? "h1" : "h2"));
      BOOST_TEST(health.failures(at(10 * i)) == i + 1);
    }
    BOOST_TEST(health.failures_on(at(101), "h1") == (expires ? 1 : 2));
    BOOST_TEST(health.failures(at(101)) == (expires ? 3 : 4));
    BOOST_TEST(health.failures(at(231)) == (expires ? 0 : 4));
  }
}

BOOST_AUTO_TEST_CASE(a_failure_without_host_counts_for_the_application_alone) {
  NodeHealth health{short_exclusion()};
  for (int i = 0; i < 5; ++i) BOOST_TEST(!health.on_failure(at(0), std::nullopt).has_value());
  BOOST_TEST(health.failures(at(0)) == 5);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace node_health_test

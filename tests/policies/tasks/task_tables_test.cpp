// Goal: the tables of the task scheduler agree with slow and plain versions of themselves. Method: known values of
// Spark, then random histories compared with a model.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "model/java_text.hpp"
#include "model/random_stream.hpp"
#include "policies/tasks/application_health.hpp"
#include "policies/tasks/duration_median.hpp"
#include "policies/tasks/pending_tasks.hpp"
#include "policies/tasks/types/name_hash_table.hpp"

namespace task_tables_test {

using namespace heddle;
using namespace heddle::policies;

namespace {

constexpr Duration hour = std::chrono::hours{1};
constexpr HostId host_a{0};
Instant at(Duration since) { return Instant{since}; }

/// A set in which `count` tasks failed on an executor.
TaskSetExclusion failures(Instant now, HostId host, std::int32_t executor, std::int32_t count) {
  TaskSetExclusion set{ExclusionSettings{}};
  for (std::int32_t index = 0; index < count; ++index) set.on_failure(now, host, executor, index);
  return set;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(task_tables)

BOOST_AUTO_TEST_CASE(a_walk_meets_every_name_once_and_begins_with_the_first) {
  RandomStream random{5};
  NameHashTable table;
  std::vector<int> present(400, 0);
  for (int i = 0; i < 5000; ++i) {
    const auto entry = static_cast<std::int32_t>(random.below(present.size()));
    if (random.chance(1, 2)) {
      if (!table.contains(entry)) table.add(entry, java::string_hash("host" + std::to_string(entry)));
      present[static_cast<std::size_t>(entry)] = 1;
    } else if (!table.empty()) {
      present[static_cast<std::size_t>(table.first())] = 0;
      table.remove_first();
    }
    std::vector<int> met(present.size(), 0);
    std::int32_t first = -1;
    table.any([&](std::int32_t one) {
      if (first < 0) first = one;
      ++met[static_cast<std::size_t>(one)];
      return false;
    });
    BOOST_REQUIRE(met == present);
    if (first >= 0) BOOST_REQUIRE_EQUAL(first, table.first());
  }
}

BOOST_AUTO_TEST_CASE(the_median_is_the_upper_middle_of_the_sorted_values) {  // C-SPE-15
  RandomStream random{3};
  DurationMedian median;
  std::vector<std::int64_t> values;
  for (int i = 0; i < 500; ++i) {
    values.push_back(static_cast<std::int64_t>(random.below(40)));
    median.add(values.back());
    std::sort(values.begin(), values.end());
    BOOST_REQUIRE_EQUAL(median.median(), values[values.size() / 2]);
  }
}

BOOST_AUTO_TEST_CASE(a_pending_list_is_a_stack_over_what_it_was_filled_with) {
  const std::vector<std::int32_t> store{3, 5, 9};
  PendingList list;
  list.put({1, 3});
  list.put({0, 1});
  list.push(7);
  std::vector<std::int32_t> order;
  for (; !list.empty(); list.pop()) order.push_back(list.top(store));
  BOOST_TEST(order == (std::vector<std::int32_t>{7, 3, 5, 9}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_task_that_failed_often_on_a_host_avoids_all_of_it) {  // C-EXC-02
  ExclusionSettings settings;
  settings.task_attempts_per_executor = 2;
  settings.task_attempts_per_node = 3;
  settings.stage_failed_executors_per_node = 3;
  TaskSetExclusion set{settings};
  set.on_failure(at(hour), host_a, 1, 0);
  set.on_failure(at(hour), host_a, 1, 0);
  BOOST_TEST(set.excludes(1, 0));
  BOOST_TEST(!set.excludes(host_a, 0));
  BOOST_TEST(!set.excludes(1));
  set.on_failure(at(hour), host_a, 2, 0);
  BOOST_TEST(set.excludes(host_a, 0));
  set.on_failure(at(hour), host_a, 1, 1);
  BOOST_TEST(set.excludes(1));
  set.on_failure(at(hour), host_a, 2, 2);
  BOOST_TEST(set.excludes(2));
  set.on_failure(at(hour), host_a, 3, 3);
  BOOST_TEST(!set.excludes(host_a));
  set.on_failure(at(hour), host_a, 3, 4);
  BOOST_TEST(set.excludes(host_a));
}

BOOST_AUTO_TEST_CASE(exclusion_of_the_application_ends_after_its_time) {  // C-HT-04, C-HT-05
  ApplicationHealth health{ExclusionSettings{}, false};
  TaskSchedulerEffects effects;
  health.on_set_succeeded(at({}), failures(at({}), host_a, 1, 4), effects);
  health.on_executor_removed(1);
  BOOST_TEST(health.is_excluded(1));
  BOOST_TEST(!health.is_excluded(host_a));
  health.on_set_succeeded(at(hour / 2), failures(at(hour / 2), host_a, 2, 4), effects);
  BOOST_TEST(health.is_excluded(host_a));
  health.expire(at(hour + Duration{1}));
  BOOST_TEST(!health.is_excluded(1));
  BOOST_TEST(health.is_excluded(2));
  BOOST_TEST(health.is_excluded(host_a));
  health.expire(at(hour * 3 / 2));
  BOOST_TEST(health.is_excluded(2));  // excluded at the expiry, not after it
  health.expire(at(hour * 3 / 2 + Duration{1}));
  BOOST_TEST(!health.excludes_anything());
  health.on_set_succeeded(at(hour * 2), failures(at(hour * 2), host_a, 1, 1), effects);
  BOOST_TEST(!health.is_excluded(1));
}

BOOST_AUTO_TEST_CASE(failures_far_apart_do_not_add_up) {  // C-HT-06, C-HT-07
  ApplicationHealth health{ExclusionSettings{}, false};
  TaskSchedulerEffects effects;
  health.on_set_succeeded(at({}), failures(at({}), host_a, 1, 1), effects);
  health.on_set_succeeded(at(hour + Duration{1}), failures(at(hour + Duration{1}), host_a, 1, 1), effects);
  BOOST_TEST(!health.is_excluded(1));
  health.on_set_succeeded(at(hour * 2), failures(at(hour * 2), host_a, 1, 1), effects);
  BOOST_TEST(health.is_excluded(1));
}

// C-HT-12, C-HT-14, C-TSF-18
BOOST_AUTO_TEST_CASE(excluded_places_are_killed_when_that_is_asked_for) {
  for (const bool kill : {false, true})
    for (const bool service : {false, true}) {
      ExclusionSettings settings;
      settings.kill_excluded_executors = kill;
      settings.fetch_failure = true;
      ApplicationHealth health{settings, service};
      TaskSchedulerEffects effects;
      health.on_fetch_failure(at(hour), host_a, 1, effects);
      BOOST_TEST(health.is_excluded(1) == !service);
      BOOST_TEST(health.is_excluded(host_a) == service);
      BOOST_REQUIRE_EQUAL(effects.events.size(), kill ? 1U : 0U);
      if (kill) BOOST_TEST(std::holds_alternative<KillExcludedHost>(effects.events.front()) == service);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace task_tables_test

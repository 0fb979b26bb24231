// Settings that depend on each other, from the numbered cases of Spark's specification. Each row is a set of values,
// and whether it is valid or what it results in.
#include <boost/test/unit_test.hpp>

#include "config/table/derived_settings.hpp"
#include "config/table/settings.hpp"
#include "config/table/settings_rules.hpp"

namespace heddle::config {
namespace exclusion_rules_test {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

/// True if all values are valid, alone and together.
bool stands(const Values& values) {
  Settings settings;
  for (const auto& [key, value] : values)
    if (!settings.set(key, value, Origin::job_file, "job")) return false;
  return validate(settings).has_value();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(settings_that_contradict)

// C-HT-11
BOOST_AUTO_TEST_CASE(one_bad_node_must_not_fail_a_job_and_no_threshold_is_zero) {
  const std::string on = "spark.excludeOnFailure.enabled";
  for (const char* per_node : {"2", "3"})
    BOOST_TEST(!stands({{on, "true"},
                        {"spark.task.maxFailures", "2"},
                        {"spark.excludeOnFailure.task.maxTaskAttemptsPerNode", per_node}}));
  BOOST_TEST(stands(
      {{on, "true"}, {"spark.task.maxFailures", "3"}, {"spark.excludeOnFailure.task.maxTaskAttemptsPerNode", "2"}}));
  for (const char* key : {"task.maxTaskAttemptsPerExecutor", "task.maxTaskAttemptsPerNode",
                          "stage.maxFailedTasksPerExecutor", "stage.maxFailedExecutorsPerNode",
                          "application.maxFailedTasksPerExecutor", "application.maxFailedExecutorsPerNode", "timeout"})
    BOOST_TEST(!stands({{on, "true"}, {"spark.excludeOnFailure." + std::string{key}, "0"}}), key);
}

// C-HT-09, C-HT-10: which levels are on, and for how long, as values are added one by one.
BOOST_AUTO_TEST_CASE(an_old_time_out_turns_exclusion_on_and_the_nearest_switch_decides) {
  struct Row {
    const char *key, *value;
    bool application, task_and_stage;
    std::int64_t timeout_ms;
  };
  constexpr std::int64_t hour = 3'600'000;
  const std::string old = "spark.scheduler.executorTaskExcludeOnFailureTime";
  const std::vector<std::vector<Row>> stories{
      {{"heddle.exclusion.kill_executors", "false", false, false, hour},
       {old.c_str(), "5000", true, true, 5'000},
       {"spark.excludeOnFailure.timeout", "1000", true, true, 1'000},
       {old.c_str(), "0", false, false, 1'000},
       {"spark.excludeOnFailure.enabled", "true", true, true, 1'000}},
      {{"spark.excludeOnFailure.enabled", "true", true, true, hour},
       {"spark.excludeOnFailure.taskAndStage.enabled", "false", true, false, hour},
       {"spark.excludeOnFailure.application.enabled", "false", false, false, hour},
       {"spark.excludeOnFailure.application.enabled", "true", true, false, hour}},
      {{"spark.excludeOnFailure.enabled", "false", false, false, hour}, {old.c_str(), "5000", false, false, 5'000}}};
  for (const auto& story : stories) {
    Settings settings;
    for (const Row& row : story) {
      BOOST_REQUIRE(settings.set(row.key, row.value, Origin::job_file, "job").has_value());
      const auto rules = exclusion_rules(settings);
      BOOST_TEST(rules.application_enabled == row.application, row.key);
      BOOST_TEST(rules.task_and_stage_enabled == row.task_and_stage, row.key);
      BOOST_TEST(to_milliseconds(rules.timeout) == row.timeout_ms, row.key);
    }
  }
}

// C-AM-03: the master sends two heartbeats within the expiry interval of its ResourceManager.
BOOST_AUTO_TEST_CASE(the_allocator_beats_twice_before_it_counts_as_dead) {
  struct Row {
    const char* expiry;
    std::int64_t heartbeat_ms, initial_ms;
  };
  for (const Row& row : {Row{"120s", 3'000, 200}, Row{"4s", 2'000, 200}, Row{"300ms", 150, 150}}) {
    Settings settings;
    BOOST_REQUIRE(
        settings.set("heddle.resource_manager.master_timeout", row.expiry, Origin::job_file, "job").has_value());
    BOOST_TEST(validate(settings).has_value());
    const auto rules = allocator_rules(settings);
    BOOST_TEST(to_milliseconds(rules.heartbeat_interval) == row.heartbeat_ms);
    BOOST_TEST(to_milliseconds(rules.initial_interval) == row.initial_ms);
  }
}

// C-POOL-08: an unknown mode is refused with the list of modes.
BOOST_AUTO_TEST_CASE(a_mode_that_does_not_exist_is_refused) {
  Settings settings;
  const auto done = settings.set("spark.scheduler.mode", "NONE", Origin::job_file, "job");
  BOOST_REQUIRE(!done.has_value());
  BOOST_TEST(done.error().text.find("FIFO") != std::string::npos);
  BOOST_TEST(settings.set("spark.scheduler.mode", "FAIR", Origin::job_file, "job").has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace exclusion_rules_test
}  // namespace heddle::config

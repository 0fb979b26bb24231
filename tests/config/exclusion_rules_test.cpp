// Settings that contradict each other, as the numbered cases of Spark's specification have them: exclusion.
// Each row is a set of values and whether it stands.
#include <boost/test/unit_test.hpp>

#include "config/settings.hpp"
#include "config/settings_rules.hpp"

namespace heddle::config {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

/// All values are taken, and together they stand.
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
    BOOST_TEST(!stands({{on, "true"}, {"spark.task.maxFailures", "2"}, {"spark.excludeOnFailure.task.maxTaskAttemptsPerNode", per_node}}));
  BOOST_TEST(stands({{on, "true"}, {"spark.task.maxFailures", "3"}, {"spark.excludeOnFailure.task.maxTaskAttemptsPerNode", "2"}}));
  for (const char* key :
       {"task.maxTaskAttemptsPerExecutor", "task.maxTaskAttemptsPerNode", "stage.maxFailedTasksPerExecutor",
        "stage.maxFailedExecutorsPerNode", "application.maxFailedTasksPerExecutor", "application.maxFailedExecutorsPerNode", "timeout"})
    BOOST_TEST(!stands({{on, "true"}, {"spark.excludeOnFailure." + std::string{key}, "0"}}), key);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heddle::config

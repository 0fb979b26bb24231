// Combinations of settings with which Spark refuses to start are refused here too, with the keys and values in
// conflict.
#include "config/spark/spark_rules.hpp"

#include <boost/test/unit_test.hpp>

#include "config/files/settings_sources.hpp"
#include "tests/support/scratch_folder.hpp"

namespace heddle::config {
namespace spark_rules_test {
namespace {

std::string broken(std::vector<std::pair<std::string, std::string>> rows) {
  std::vector<SettingEntry> entries;
  for (auto& [key, value] : rows) entries.push_back({std::move(key), std::move(value), "f:1"});
  std::string sentences;
  for (const auto& sentence : broken_spark_rules(entries)) sentences += sentence + ". ";
  return sentences;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(spark_rules)

// C-HB-06: 30 s compared with the default interval of 60 s; the block manager's timeout has precedence if it is set.
BOOST_AUTO_TEST_CASE(a_silence_shorter_than_the_looks_for_it_is_refused) {
  BOOST_TEST(broken({{"spark.network.timeout", "30s"}}) ==
             "spark.network.timeoutInterval (1min) exceeds spark.network.timeout (30s). ");
  BOOST_TEST(broken({{"spark.storage.blockManagerHeartbeatTimeoutMs", "30s"}, {"spark.network.timeout", "120s"}}) ==
             "spark.network.timeoutInterval (1min) exceeds spark.storage.blockManagerHeartbeatTimeoutMs (30s). ");
  BOOST_TEST(broken({{"spark.network.timeout", "60"}}).empty());
  BOOST_TEST(broken({{"spark.network.timeout", "30"}, {"spark.network.timeoutInterval", "30000"}}).empty());
  BOOST_TEST(broken({}).empty());
}

// C-MOT-11.
BOOST_AUTO_TEST_CASE(outputs_that_fit_neither_a_message_nor_a_broadcast_are_refused) {
  BOOST_TEST(broken({{"spark.shuffle.mapOutput.minSizeForBroadcast", "2m"}, {"spark.rpc.message.maxSize", "1"}}) ==
             "spark.shuffle.mapOutput.minSizeForBroadcast (2m) exceeds spark.rpc.message.maxSize (1m). ");
  BOOST_TEST(
      broken({{"spark.shuffle.mapOutput.minSizeForBroadcast", "1m"}, {"spark.rpc.message.maxSize", "1"}}).empty());
}

BOOST_AUTO_TEST_CASE(a_file_that_spark_would_not_take_is_an_error_that_names_it) {
  const work::ScratchFolder folder;
  folder.write("spark-defaults.conf", "spark.network.timeout 30s\n");
  SettingsRequest request;
  request.environment.spark_conf_folder = folder.path();
  request.working_folder = folder.path();
  const auto loaded = load_settings(request);
  BOOST_REQUIRE(!loaded.has_value());
  BOOST_TEST(
      loaded.error().text.find(
          "spark-defaults.conf: Spark does not start with these settings: spark.network.timeoutInterval (1min)") !=
      std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace spark_rules_test
}  // namespace heddle::config

// Goal: Spark's pool files are parsed as in Spark, and invalid values are reported with their line. Method: the files
// of Spark's own cases as tables; random mutations of a valid file.
#include "config/spark/spark_pools_xml.hpp"

#include <boost/test/unit_test.hpp>
#include <random>

namespace heddle::config {
namespace spark_pools_xml_test {
namespace {

std::string pool(const std::string& min_share, const std::string& weight, const std::string& mode) {
  return "<allocations><pool name='p'><minShare>" + min_share + "</minShare><weight>" + weight +
         "</weight><schedulingMode>" + mode + "</schedulingMode></pool></allocations>";
}

// C-POOL-04.
BOOST_AUTO_TEST_CASE(invalid_and_blank_values_fall_back_one_by_one) {
  struct Row {
    const char *min_share, *weight, *mode;
    std::int32_t share, weighs;
    bool is_fair;
    std::size_t warnings;
  };
  const Row rows[] = {{"INVALID", "2", "FAIR", 0, 2, true, 1}, {"1", "INVALID", "FAIR", 1, 1, true, 1},
                      {"3", "2", "INVALID", 3, 2, false, 1},   {"2", "1", "fair", 2, 1, true, 0},
                      {"1", "2", "NONE", 1, 2, false, 1},      {" ", "2", "FAIR", 0, 2, true, 1},
                      {"1", " ", "FAIR", 1, 1, true, 1},       {"3", "2", " ", 3, 2, false, 1},
                      {"", "3", "FAIR", 0, 3, true, 1},        {"2", "", "FAIR", 2, 1, true, 1},
                      {"2", "2", "", 2, 2, false, 1},          {" 3 ", " 2 ", " FAIR ", 3, 2, true, 0}};
  for (const Row& row : rows) {
    const auto file = read_spark_pools_xml(pool(row.min_share, row.weight, row.mode), "fairscheduler.xml");
    BOOST_REQUIRE(file.has_value());
    BOOST_REQUIRE(file->pools.size() == 1U);
    BOOST_TEST(file->pools[0].min_share == row.share);
    BOOST_TEST(file->pools[0].weight == row.weighs);
    BOOST_TEST(file->pools[0].is_fair == row.is_fair);
    BOOST_TEST(file->warnings.size() == row.warnings);
  }
}

// C-POOL-09.
BOOST_AUTO_TEST_CASE(a_valid_file_gives_its_pools_in_order) {
  const auto file = read_spark_pools_xml(R"(<?xml version="1.0"?>
<allocations>
  <pool name="1"><minShare>3</minShare><weight>1</weight><schedulingMode>FIFO</schedulingMode></pool>
  <pool name="2"><minShare>4</minShare><weight>2</weight><schedulingMode>FAIR</schedulingMode></pool>
  <pool name="3"/>
</allocations>)",
                                         "fairscheduler.xml");
  BOOST_REQUIRE(file.has_value());
  const std::vector<SparkPool> expected{{"1", false, 1, 3}, {"2", true, 2, 4}, {"3", false, 1, 0}};
  BOOST_TEST((file->pools == expected));
  BOOST_TEST(file->warnings.empty());
}

BOOST_AUTO_TEST_CASE(a_misspelt_property_is_named_with_its_line_and_the_nearest_known_one) {
  const auto file =
      read_spark_pools_xml("<allocations>\n<pool name='a'>\n<minshare>2</minshare></pool></allocations>", "pools.xml");
  BOOST_REQUIRE(file.has_value());
  BOOST_REQUIRE(file->warnings.size() == 1U);
  BOOST_TEST(file->warnings[0].find("pools.xml:3: <minshare> is not a property of a pool") == 0U);
  BOOST_TEST(file->warnings[0].find("minShare") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_xml_is_an_error_with_its_line) {
  const auto file = read_spark_pools_xml("<allocations>\n<pool name='a'>\n</allocations>", "pools.xml");
  BOOST_REQUIRE(!file.has_value());
  BOOST_TEST(file.error().text.find("pools.xml:3: not well-formed XML") == 0U);
  BOOST_TEST(!read_spark_pools_xml("", "pools.xml").has_value());
}

BOOST_AUTO_TEST_CASE(a_pool_that_is_declared_twice_counts_once) {
  const auto file =
      read_spark_pools_xml("<a><pool name='x'/><pool name='x'><weight>7</weight></pool><pool/></a>", "pools.xml");
  BOOST_REQUIRE(file->pools.size() == 1U);
  BOOST_TEST(file->pools[0].weight == 7);
  BOOST_TEST(file->warnings.size() == 2U);
}

BOOST_AUTO_TEST_CASE(mutated_pool_files_give_pools_or_a_sentence) {
  std::mt19937_64 random{7};
  const auto valid = pool("3", "2", "FAIR");
  for (int round = 0; round < 4'000; ++round) {
    auto text = valid;
    for (std::uint64_t changes = 1 + random() % 4; changes > 0; --changes)
      text[random() % text.size()] = static_cast<char>(random() % 256);
    const auto file = read_spark_pools_xml(text, "p.xml");
    if (!file) BOOST_TEST(file.error().text.find("p.xml:") == 0U);
  }
}

}  // namespace
}  // namespace spark_pools_xml_test
}  // namespace heddle::config

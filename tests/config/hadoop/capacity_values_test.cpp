// Goal: each value of a capacity file is parsed as in Hadoop or refused with its location, and unused properties are
// reported. Method: tables of texts; the first error of a file is reported.
#include "config/hadoop/capacity_values.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::config {
namespace capacity_values_test {
namespace {

CapacityValues values(const std::string& text) { return {{{"a.capacity", text, 3}}, "queues.xml"}; }

BOOST_AUTO_TEST_SUITE(capacity_values)

BOOST_AUTO_TEST_CASE(a_capacity_is_a_percentage_a_weight_or_an_amount) {
  using Kind = ConfiguredCapacity::Kind;
  const std::pair<const char*, ConfiguredCapacity> table[] = {
      {"40", {Kind::percent, 40.0F, {}}},
      {" 12.5% ", {Kind::percent, 12.5F, {}}},
      {"2w", {Kind::weight, 2.0F, {}}},
      {"[memory=2G,vcores=4]", {Kind::absolute, 0, {2048, 4}}},
      {"[memory-mb=512]", {Kind::absolute, 0, {512, 0}}},
  };
  for (const auto& [text, expected] : table) {
    auto read = values(text);
    BOOST_TEST((read.capacity("a.capacity") == expected), text);
    BOOST_TEST(!read.error(), text);
  }
}

BOOST_AUTO_TEST_CASE(a_wrong_capacity_is_named_with_its_file_line_and_key) {
  for (const char* text : {"", "forty", "101", "-1", "nan", "w", "[memory=1G", "[", "[]]", "[disk=1]", "[memory]",
                           "[vcores=1.5]", "[memory=9223372036854775807T]"}) {
    auto read = values(text);
    static_cast<void>(read.capacity("a.capacity"));
    BOOST_REQUIRE_MESSAGE(read.error(), text);
    BOOST_TEST(read.error()->text.starts_with("queues.xml:3: a.capacity: must "), read.error()->text);
  }
}

BOOST_AUTO_TEST_CASE(only_the_first_error_counts_and_what_is_not_asked_for_stays_unread) {
  CapacityValues read{{{"a", "x", 1}, {"b", "y", 2}, {"c", "true", 4}}, "queues.xml"};
  BOOST_TEST(read.number<int>("a", 7, 0, 10) == 7);
  BOOST_TEST(read.truth("b", true) == false);
  BOOST_TEST(read.error()->text.starts_with("queues.xml:1: a: "));
  BOOST_TEST(read.by_key().at("b").is_read);
  BOOST_TEST(!read.by_key().at("c").is_read);
  BOOST_TEST(read.number<int>("absent", 7, 0, 10) == 7);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace capacity_values_test
}  // namespace heddle::config

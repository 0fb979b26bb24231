// References in Hadoop's configuration: their values, texts that are no references, and limits of nesting.
#include "config/hadoop/hadoop_references.hpp"

#include <boost/test/unit_test.hpp>

#include "config/hadoop/capacity_scheduler_xml.hpp"
#include "config/hadoop/hadoop_folder.hpp"
#include "model/random_stream.hpp"
#include "tests/support/scratch_folder.hpp"

namespace heddle::config {
namespace hadoop_references_test {
namespace {

NameLookup table(std::map<std::string, std::string> rows) {
  return [rows = std::move(rows)](const std::string& name) {
    const auto row = rows.find(name);
    return row == rows.end() ? std::nullopt : std::optional{row->second};
  };
}

const NameLookup properties =
    table({{"a", "1"}, {"b", "<${a}>"}, {"self", "x${self}"}, {"p", "${q}"}, {"q", "${p}"}, {"env.only", "here"}});
const NameLookup variables = table({{"HOME", "/home/me"}, {"EMPTY", ""}});

std::string expanded(const std::string& value) {
  const auto result = expand_references(value, properties, variables);
  return result ? *result : "error: " + result.error().text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hadoop_references)

BOOST_AUTO_TEST_CASE(a_reference_stands_for_another_property_or_a_variable) {
  const std::vector<std::pair<std::string, std::string>> rows{
      {"plain", "plain"},           {"${a}", "1"},
      {"x${a}y${b}z", "x1y<1>z"},   {"${env.HOME}/logs", "/home/me/logs"},
      {"${env.NONE-/tmp}", "/tmp"}, {"${env.NONE:-/tmp}", "/tmp"},
      {"${env.EMPTY-/tmp}", ""},    {"${env.EMPTY:-/tmp}", "/tmp"},
      {"${env.only}", "here"},      {"${env.HOME:-/tmp}", "/home/me"}};
  for (const auto& [value, meaning] : rows) BOOST_TEST(expanded(value) == meaning, value);
}

BOOST_AUTO_TEST_CASE(what_is_not_known_stays_as_it_is) {
  for (const char* value : {"${unknown}", "${}", "${a b}", "$a", "{a}", "${a", "${unknown}${a}", "$${", "${env.}"})
    BOOST_TEST(expanded(value) == value);
  BOOST_TEST(expanded("${$a}${a}") == "${$a}1");
}

BOOST_AUTO_TEST_CASE(a_value_that_comes_round_to_itself_stays_or_is_refused) {
  BOOST_TEST(expanded("${self}") == "${self}");
  BOOST_TEST(expanded("${p}") == "error: \"${p}\" refers to other values more than 20 times");
}

BOOST_AUTO_TEST_CASE(twenty_references_are_not_too_many_and_more_are) {
  std::string value;
  for (int i = 0; i < 19; ++i) value += "${a}";
  BOOST_TEST(expanded(value) == std::string(19, '1'));
  BOOST_TEST(expanded(value + "${a}${a}").starts_with("error: "));
}

BOOST_AUTO_TEST_CASE(site_files_of_one_folder_refer_to_each_other) {
  const work::ScratchFolder folder;
  folder.write("core-site.xml",
               "<configuration><property><name>our.size</name><value>2048</value></property></configuration>");
  folder.write(
      "yarn-site.xml",
      "<configuration><property><name>yarn.scheduler.maximum-allocation-mb</name><value>${our.size}</value></property>"
      "</configuration>");
  const auto read = read_hadoop_folder(folder.path());
  BOOST_REQUIRE(read.has_value());
  BOOST_REQUIRE(read->settings.size() == 1U);
  BOOST_TEST(read->settings[0].value == "2048");
}

BOOST_AUTO_TEST_CASE(capacities_may_refer_to_properties_of_their_file) {
  const auto read = read_capacity_scheduler_xml(
      "<configuration><property><name>half</name><value>50</value></property>"
      "<property><name>yarn.scheduler.capacity.root.queues</name><value>a,b</value></property>"
      "<property><name>yarn.scheduler.capacity.root.a.capacity</name><value>${half}</value></property>"
      "<property><name>yarn.scheduler.capacity.root.b.capacity</name><value>${half}</value></property></configuration>",
      "q.xml");
  BOOST_REQUIRE_MESSAGE(read.has_value(), (read ? std::string{} : read.error().text));
  BOOST_TEST(read->queues[1].capacity.number == 50.0F);
}

BOOST_AUTO_TEST_CASE(random_values_expand_or_are_refused) {
  RandomStream random{8};
  const std::vector<std::string> pieces{"${", "}",    "$",    "{",  "a", "b", "p",
                                        "q",  "env.", "HOME", ":-", "-", " ", "self"};
  for (int round = 0; round < 20'000; ++round) {
    std::string value;
    for (std::uint64_t i = random.below(12); i > 0; --i) value += pieces[random.below(pieces.size())];
    const auto result = expand_references(value, properties, variables);
    if (!result) BOOST_REQUIRE(result.error().text.find("more than 20 times") != std::string::npos);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace hadoop_references_test
}  // namespace heddle::config

// Stages with names of parents become a graph: parents first, indices instead of names, or an error that names a stage.
#include "config/files/stage_order.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::config {
namespace stage_order_test {
namespace {

using Kind = StageOrderFault::Kind;

NamedStage stage(const std::string& name, std::vector<std::string> after = {}) {
  NamedStage made;
  made.description.name = name;
  made.after = std::move(after);
  return made;
}

std::vector<std::string> names(const std::vector<StageDescription>& stages) {
  std::vector<std::string> found;
  for (const auto& one : stages) found.push_back(one.name);
  return found;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(order_of_named_stages)

BOOST_AUTO_TEST_CASE(parents_come_first_and_equals_stay_in_the_order_in_which_they_were_handed_in) {
  std::vector<StageDescription> ordered;
  const auto fault = order_stages({stage("join", {"b", "a"}), stage("a"), stage("b"), stage("c", {"a"})}, ordered);
  BOOST_REQUIRE((fault.kind == Kind::none));
  const std::vector<std::string> expected{"a", "b", "join", "c"};
  BOOST_TEST(names(ordered) == expected, boost::test_tools::per_element());
  const std::vector<std::int32_t> parents{1, 0};  // in the order in which the stage names them
  BOOST_TEST(ordered[2].parents == parents, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_fault_names_its_kind_and_the_stage_that_shows_it) {
  struct Row {
    std::vector<NamedStage> stages;
    Kind kind;
    std::size_t at;
    std::string said;
  };
  const std::vector<Row> rows{
      {{stage("a"), stage("b"), stage("a")}, Kind::duplicate_name, 2, "a"},
      {{stage("count"), stage("sum", {"cuont"})}, Kind::unknown_parent, 1, "count"},
      {{stage("a"), stage("b", {"c"}), stage("c", {"b"})}, Kind::cycle, 1, "b"},
      {{stage("a", {"a"})}, Kind::cycle, 0, "a"},
  };
  for (const auto& row : rows) {
    std::vector<StageDescription> ordered;
    const auto fault = order_stages(row.stages, ordered);
    BOOST_TEST((fault.kind == row.kind), row.said);
    BOOST_TEST(fault.stage == row.at, row.said);
    BOOST_TEST(fault.text.find(row.said) != std::string::npos, fault.text);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace stage_order_test
}  // namespace heddle::config
